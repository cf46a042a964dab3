"""Whether a command was proved to change nothing, by the tables of programs: what is not known is asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from code_assistant.permissions.shell.analysis import Analysis, Member, Verdict, Word
from code_assistant.permissions.shell.arguments import Refused, shown, sorted_arguments
from code_assistant.permissions.shell.expressions import find_paths, test_paths
from code_assistant.permissions.shell.git_commands import sorted_git
from code_assistant.permissions.shell.globs import Names, begins_with_glob, unexpanded
from code_assistant.permissions.shell.operands import paths_among, walks_with
from code_assistant.permissions.shell.program_finding import ProgramFinder
from code_assistant.permissions.shell.starters import WRAPPERS
from code_assistant.permissions.shell.tables import Table, program_tables, version_queries

# Each of them has to be looked up before anything runs.
MOST_PATHS = 500
MOST_PARTS = 10_000
_WORDS_OF_SHELL = frozenset({"time"})
_WHATEVER_HAPPENED = frozenset({";", "\n"})
_MOST_FOLDERS = 8
_UNCERTAIN = "after cd, it is not certain in which folder each part of it runs"


def judge(analysis: Analysis, programs: ProgramFinder, names: Names | None = None) -> Verdict:
    """Whether it only reads, and what.

    `names` are those in the folder it runs in: without them globs are asked about, and what depends on files being
    none of the kind that lead elsewhere.
    """
    if analysis.obstacle is not None:
        return Verdict(False, analysis.obstacle)
    proof = _Proof(programs, names)
    try:
        for member in analysis.members:
            proof.add(member)
        proof.finish(analysis)
    except Refused as reason:
        return Verdict(False, str(reason))
    paths, looked_at = tuple(dict.fromkeys(proof.paths)), tuple(dict.fromkeys(proof.looked_at))
    if len(paths) + len(looked_at) > MOST_PATHS:
        return Verdict(False, f"it reads more than {MOST_PATHS} files")
    if sum(path.count("/") for path in (*paths, *looked_at)) > MOST_PARTS:
        return Verdict(False, "it reads files that lie too deep to be looked at")
    return Verdict(True, "", paths, proof.uses_git, proof.walks, proof.shows, proof.shows_tracked, looked_at)


@dataclass(slots=True)
class _Proof:
    """What is known so far of a list of commands, going through it from left to right.

    `folders` are those that the next part may run in, `possible` all so far: `cd` may fail, and after a `;` whatever
    comes next runs all the same. `loose` are those words of the part at hand of which some may be there, in any order.
    """

    programs: ProgramFinder
    names: Names | None
    paths: list[str] = field(default_factory=list[str])
    uses_git: bool = False
    walks: bool = False
    shows: bool = False
    shows_tracked: bool = False
    looked_at: list[str] = field(default_factory=list[str])
    folders: list[str] = field(default_factory=lambda: [""])
    possible: list[str] = field(default_factory=lambda: [""])
    is_wrapped: bool = False
    loose: set[str] = field(default_factory=set[str])

    def add(self, member: Member) -> None:
        name = member.words[0].value or ""
        bare = name.rpartition("/")[2]
        if not member.is_direct:
            self._check_wrapper(name)
            self.is_wrapped = self.is_wrapped or name not in _WORDS_OF_SHELL
            return
        if member.connector in _WHATEVER_HAPPENED:
            self.folders = list(self.possible)
        self._check_redirections(member)
        words = self._literal(bare, member.words[1:])
        if words and words == list(_query(bare, words)):
            self._check_program(name, is_builtin=False)
        elif bare == "cd" and name == bare:
            self._change_folder(member, words)
        elif bare == "git":
            self._git(name, words)
        else:
            self._program(name, bare, words)
        self.is_wrapped = False

    def finish(self, analysis: Analysis) -> None:
        if not any(member.is_direct for member in analysis.members):
            raise Refused("there is nothing in it to run")
        changes = [at for at, member in enumerate(analysis.members) if member.is_direct and member.program == "cd"]
        if not changes:
            return
        if "||" in [member.connector for member in analysis.members]:
            raise Refused(_UNCERTAIN)
        after = [analysis.members[at + 1].connector for at in changes if at + 1 < len(analysis.members)]
        if "|" in (*after, *(analysis.members[at].connector for at in changes)):
            raise Refused("cd is a part of a pipe")

    def _check_wrapper(self, name: str) -> None:
        if name not in WRAPPERS or name == "nohup":
            raise Refused(f"it is not known that {shown(name)} only reads")
        self._check_program(name, is_builtin=name in _WORDS_OF_SHELL)

    def _check_program(self, name: str, *, is_builtin: bool) -> None:
        if "/" in name and not name.startswith("/"):
            raise Refused(f"{shown(name)} is not a program of the system")
        if not is_builtin and not self.programs.is_of_system(name):
            raise Refused(f"{shown(name)} is not a program of the system")

    def _check_redirections(self, member: Member) -> None:
        for redirection in member.redirections:
            target = redirection.target.value or ""
            if redirection.writes:
                raise Refused(f"it writes to {shown(target)}")
            self._read([target])

    def _literal(self, program: str, words: Sequence[Word]) -> list[str]:
        """The words as the program gets them, globs looked up; those that only may be among them are `loose`."""
        literal: list[str] = []
        self.loose = set()
        for word in words:
            if word.value is not None:
                literal.append(word.value)
                continue
            kept = unexpanded(word.text)
            found = self.names.matching(word.text) if self.names and kept is not None and not self._has_moved else None
            if kept is None or found is None:
                raise Refused(f"what {shown(word.text)} stands for is known only when it runs")
            table = program_tables().get(program)
            may_be_option = "--" not in literal and begins_with_glob(word.text) and not (table and table.globs)
            if may_be_option or any(name.startswith("-") for name in found):
                raise Refused(f"{shown(word.text)} may become an option")
            # Whether the shell finds any of them is not certain; without a match the word stays as it is.
            literal.extend((kept, *found))
            if found:
                self.loose |= {kept, *found}
        return literal

    def _with_loose(self, paths: Sequence[str]) -> list[str]:
        """Whatever the program takes them for, it may be given them as paths."""
        return [*paths, *sorted(self.loose.difference(paths))]

    def _with_loose_for(self, table: Table, paths: Sequence[str]) -> list[str]:
        return list(paths) if table.operands == "text" else self._with_loose(paths)

    def _read(self, paths: Sequence[str], *, only_looks: bool = False) -> None:
        for path in paths:
            if self._has_moved and ".." in path.split("/"):
                raise Refused(f"{shown(path)} leads up after cd")
            if not path:
                raise Refused("it is given an empty path")
            (self.looked_at if only_looks else self.paths).extend(self._seen_from_folders(path))

    @property
    def _has_moved(self) -> bool:
        return self.folders != [""]

    def _seen_from_folders(self, path: str) -> list[str]:
        if path.startswith("/"):
            return [path]
        return [f"{folder}/{path}" if folder else path for folder in self.folders]

    def _change_folder(self, member: Member, words: Sequence[str]) -> None:
        target = words[1] if len(words) == 2 and words[0] == "--" else words[0] if len(words) == 1 else ""
        if self.is_wrapped or not target or target.startswith(("-", "~")):
            raise Refused("it is not certain where cd leads")
        if ".." in target.split("/"):
            raise Refused(f"cd leads up to {shown(target)}")
        self._read([target])
        self.folders = self._seen_from_folders(target)
        self.possible = list(dict.fromkeys((*self.possible, *self.folders)))
        if len(self.possible) > _MOST_FOLDERS:
            raise Refused(_UNCERTAIN)

    def _git(self, name: str, words: Sequence[str]) -> None:
        self._check_program(name, is_builtin=False)
        if self._has_moved:
            raise Refused("git runs after cd, in a folder that was not looked at")
        reading = sorted_git(words, self.loose)
        self.uses_git = self.walks = True
        self.shows |= reading.shows and not reading.shows_tracked
        self.shows_tracked |= reading.shows_tracked
        self._read(self._with_loose(reading.paths), only_looks=not reading.shows)

    def _program(self, name: str, bare: str, words: Sequence[str]) -> None:
        table = program_tables().get(bare)
        if table is None:
            raise Refused(f"it is not known that {shown(name)} only reads")
        self._check_program(name, is_builtin=table.builtin and name == bare and not self.is_wrapped)
        if bare == "find":
            self.walks = True
            self._read(self._with_loose(find_paths(table, words, self.loose)))
        elif bare in ("test", "["):
            self._read(self._with_loose(test_paths(bare, table, words)), only_looks=True)
        else:
            arguments = sorted_arguments(bare, table, words)
            walks = walks_with(table, arguments)
            self.walks |= walks
            self.shows |= walks and not table.lists
            paths = self._with_loose_for(table, paths_among(bare, table, arguments, walks=walks, loose=self.loose))
            looked_at = [path for path in paths if self._is_only_looked_at(table, path)]
            self._read([path for path in paths if path not in looked_at])
            self._read(looked_at, only_looks=True)
            if table.files:
                self._check_files(bare, [seen for path in paths for seen in self._seen_from_folders(path)])

    def _is_only_looked_at(self, table: Table, path: str) -> bool:
        if table.looks != "files":
            return table.looks == "all"
        return self.names is not None and not any(map(self.names.may_be_folder, self._seen_from_folders(path)))

    def _check_files(self, program: str, paths: Sequence[str]) -> None:
        if self.names is None or any(self.names.may_be_folder(path) for path in paths):
            raise Refused(f"{program} follows the links in a folder, and may be given one")


def _query(program: str, words: Sequence[str]) -> Sequence[str]:
    """The words, if they ask for the version and nothing else."""
    return words if len(words) == 1 and words[0] in version_queries().get(program, ()) else ()
