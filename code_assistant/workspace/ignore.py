"""Which files git (and .ignore files) leave out. The rules of one file become two regular expressions."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from code_assistant.workspace.globs import ANY_DEPTH, entry_regex

MAXIMUM_RULE_FILE_BYTES = 1 << 20
# The first that says anything about a path decides; within one kind the deepest folder does.
RULE_FILES = (".rgignore", ".ignore", ".gitignore", ".git/info/exclude")
GIT_RULE_FILES = RULE_FILES[2:]
NAMES_OF_RULES = frozenset(rule_file.partition("/")[0] for rule_file in RULE_FILES)
FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class _Alternatives:
    """Several patterns as one: the group that matched tells the rule, the last rule being tried first."""

    regex: re.Pattern[str]
    rules: tuple[int, ...]

    def last_match(self, text: str) -> int:
        found = self.regex.match(text)
        return -1 if found is None or found.lastindex is None else self.rules[found.lastindex - 1]


def _alternatives(regexes: dict[int, str]) -> _Alternatives | None:
    if not regexes:
        return None
    numbers = tuple(sorted(regexes, reverse=True))
    return _Alternatives(re.compile("|".join(f"({regexes[n]})" for n in numbers), re.DOTALL), numbers)


class RuleSet:
    """The rules of one ignore file."""

    def __init__(self, lines: Iterable[str]) -> None:
        names: dict[int, str] = {}
        paths: dict[int, str] = {}
        self._ignores: list[bool] = []
        for line in lines:
            translated = entry_regex(line)
            if translated is None:
                continue
            regex, ignores = translated
            name_regex = _name_regex(regex)
            number = len(self._ignores)
            if name_regex is None:
                paths[number] = regex
            else:
                names[number] = name_regex
            self._ignores.append(ignores)
        self._names = _alternatives(names)
        self._paths = _alternatives(paths)

    def __bool__(self) -> bool:
        return bool(self._ignores)

    @property
    def looks_at_paths(self) -> bool:
        """Whether any rule says more than a name does."""
        return self._paths is not None

    def verdict(self, path: str, name: str) -> bool | None:
        """True: ignored, False: expressly not, None: no rule about it. Folders end in a slash."""
        rule = self._names.last_match(name) if self._names is not None else -1
        if self._paths is not None:
            rule = max(rule, self._paths.last_match(path))
        return None if rule < 0 else self._ignores[rule]


def _name_regex(regex: str) -> str | None:
    """The part for the last name of a path, where a pattern looks at no more than that; much faster to try."""
    if regex == ".":
        return regex
    if not regex.startswith(ANY_DEPTH):
        return None
    rest = regex.removeprefix(ANY_DEPTH)
    core = rest.removesuffix(r"/?\Z").removesuffix(r"/\Z").replace("[^/]", "")
    return None if "/" in core else rest


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The rules in force in one folder: for each kind of rule file its sets, deepest folder first."""

    kinds: tuple[tuple[tuple[RuleSet, int], ...], ...] = ((),) * len(RULE_FILES)
    chain: tuple[tuple[RuleSet, int], ...] = ()
    stops_at_repositories: bool = False

    def entering(self, folder: str, names: Iterable[str]) -> IgnoreRules:
        """The rules inside a folder with these names in it."""
        present = NAMES_OF_RULES.intersection(names)
        if not present:
            return self
        kinds = list(self.kinds)
        if ".git" in present and self.stops_at_repositories:
            kinds[RULE_FILES.index(GIT_RULE_FILES[0]) :] = [()] * len(GIT_RULE_FILES)
        prefix = len(folder.rstrip("/")) + 1
        for index, rule_file in enumerate(RULE_FILES):
            if rule_file.partition("/")[0] in present:
                rules = RuleSet(_lines_of(f"{folder}/{rule_file}"))
                if rules:
                    kinds[index] = ((rules, prefix), *kinds[index])
        chain = tuple(level for kind in kinds for level in kind)
        return IgnoreRules(tuple(kinds), chain, self.stops_at_repositories)

    def ignores(self, path: str, name: str) -> bool:
        """Whether an entry of that folder is left out; the path is absolute, folders end in a slash."""
        for rules, prefix in self.chain:
            verdict = rules.verdict(path[prefix:], name)
            if verdict is not None:
                return verdict
        return False


def rules_above(folder: Path) -> IgnoreRules:
    """The rules that the folders above a folder bring with them."""
    stops = is_in_repository(folder)
    rules = IgnoreRules(stops_at_repositories=stops)
    for parent in map(str, reversed(folder.parents)):
        rules = rules.entering(parent, names_of_rules_in(parent))
    return rules


def names_of_rules_in(folder: str) -> list[str]:
    """The names in a folder that make a difference to `IgnoreRules.entering`."""
    return [name for name in NAMES_OF_RULES if os.path.lexists(f"{folder}/{name}")]


def is_in_repository(folder: Path) -> bool:
    return any(os.path.lexists(parent / ".git") for parent in (folder, *folder.parents))


def _lines_of(path: str) -> list[str]:
    try:
        descriptor = os.open(path, FLAGS)
    except OSError:
        # Rules that are not there or cannot be read are no rules, as with git.
        return []
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return []
        data = os.read(descriptor, MAXIMUM_RULE_FILE_BYTES)
    finally:
        os.close(descriptor)
    text = data.decode("utf-8-sig", "surrogateescape")
    return [line.removesuffix("\r") for line in text.split("\n")]
