"""What is known of a command before anybody is asked: what it is made of, what it names, whether it only reads."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from code_assistant.permissions.access import CommandAccess, Place
from code_assistant.permissions.approver import PermissionRequest
from code_assistant.permissions.shell.analysing import analyse
from code_assistant.permissions.shell.analysis import Analysis, Member, Verdict
from code_assistant.permissions.shell.git_changers import after_changed_git
from code_assistant.permissions.shell.globs import FolderNames
from code_assistant.permissions.shell.judging import judge
from code_assistant.permissions.shell.link_makers import after_new_links, may_be_led_elsewhere
from code_assistant.permissions.shell.program_finding import SystemPrograms
from code_assistant.permissions.shell.reading_environment import reading_environment
from code_assistant.permissions.shell.starters import WRAPPERS
from code_assistant.permissions.shell.tables import program_tables
from code_assistant.permissions.shell.told_programs import told_programs
from code_assistant.tools.command_bounds import has_too_many_parts
from code_assistant.tools.command_places import TOO_MANY, CommandPlaces, places_of
from code_assistant.tools.command_walks import looks_through
from code_assistant.tools.command_words import place_named
from code_assistant.tools.kept_places import KeptPlaces, kept_places
from code_assistant.tools.proved_among_others import (
    can_be_given_settings,
    is_word_of_shell,
    leaves_alone,
    with_settings,
    wrappers_of,
)
from code_assistant.tools.tool import ToolContext
from code_assistant.workspace.commands.environment import SYSTEM_FOLDERS
from code_assistant.workspace.git_probe import Git, find_repository
from code_assistant.workspace.git_reading import declares_submodules, git_for_reading
from code_assistant.workspace.git_tracked import tracked_files
from code_assistant.workspace.workspace import Workspace

SECONDS_FOR_GIT = 3.0
GIT_ELSEWHERE = "git is proved to start nothing only in the folder that you work in"
GIT_UNTRUSTED = "this folder is not trusted, so git is not even asked what is configured here"
GIT_UNSURE = "what this repository holds could make git start a program, look elsewhere or write"
OTHER_PROGRAMS = "This is of the system's own programs. For other commands, by PATH, {0}."
SPECIAL = "{0} is neither a file nor a folder, so reading it may never end"
OUTSIDE = "it reads {0}, which is outside or kept from being read"
WALKS = "it looks through folders, and a rule keeps files from being read"
WALKS_SECRETS = "it looks through folders in which keys and other secrets are kept"
# After these nothing is as it was looked at: the folder, variables, what words stand for.
SHELL_CHANGING = frozenset(
    {
        *("cd", "pushd", "popd", "export", "declare", "typeset", "local", "readonly", "unset", "set", "shopt", "alias"),
        *("unalias", "hash", "enable", "source", ".", "eval", "exec", "trap", "read", "mapfile", "readarray"),
        *("umask", "ulimit", "builtin", "command", "bind", "complete", "compopt", "getopts", "let", "wait", "fc"),
    }
)


@dataclass(frozen=True, slots=True)
class Proof:
    """`variables` are those that a command which only reads is to run with: the proof counts with them.

    Where only some of its parts do, `script` is the command in which those that need them have them; empty without any.
    """

    access: CommandAccess
    variables: tuple[tuple[str, str], ...] = ()
    script: str = ""
    # What its result leaves open, for the model.
    remark: str = ""


@dataclass(frozen=True, slots=True)
class _Judged:
    analysis: Analysis
    places: CommandPlaces
    verdict: Verdict
    members: dict[Member, Verdict]
    kept: KeptPlaces
    # Whether something in it makes links, and something else goes where they lead.
    goes_astray: bool

    @property
    def proofs(self) -> tuple[Verdict, ...]:
        """Of the whole, and of the parts by themselves."""
        return (self.verdict, *self.members.values())


class Prover:
    """Of one command, in one folder by its resolved path. Nothing in the command is run; git is, where it is safe."""

    def __init__(self, command: str, folder: Path, context: ToolContext, request: PermissionRequest) -> None:
        self._command = command
        self._folder = folder
        self._context = context
        self._request = request
        # An agent may work in a folder further down; rules are about the one that the person works in.
        self._is_in_root = folder == context.workspace.folders[0]
        self._at_folder = context.workspace.moved_to(folder)
        # By the text of a path: the same ones are part of several proofs.
        self._objections: dict[str, str] = {}
        # For what it is needed for, once somebody has looked; and whether it knows files that a rule keeps.
        self._git: Git | None = None
        self._shows_kept = False

    async def prove(self) -> Proof:
        judged = await asyncio.to_thread(self._judge)
        if any(each.uses_git for each in judged.proofs):
            self._git = await self._found_git()
            self._shows_kept = await self._knows_kept_files(judged)
        objection = await asyncio.to_thread(self._objection, judged.verdict)
        git_stays = bool(objection) and await self._git_stays_as_it_is(judged)
        access = await asyncio.to_thread(self._access, judged, objection, git_stays)
        variables = reading_environment(SYSTEM_FOLDERS)
        if self._git is not None:
            variables |= _further_settings(variables, self._git)
        if access.is_read_only:
            return Proof(access, tuple(variables.items()), remark=self._remark(judged.analysis.members))
        harmless = (each for each in judged.analysis.members if each in access.harmless)
        members = judged.analysis.members
        apart = [each for each in harmless if not _is_of_shell(each, members)]
        script = with_settings(self._command, apart, members, variables) if apart else ""
        return Proof(access, script=script, remark=self._remark(apart))

    def _access(self, judged: _Judged, objection: str, git_stays: bool) -> CommandAccess:
        """For any thread."""
        changes = judged.places.changes
        harmless = (
            member
            for member, each in judged.members.items()
            if (git_stays or not each.uses_git) and not self._objection(each)
        )
        return CommandAccess(
            self._command,
            self._is_in_root,
            judged.analysis,
            tuple(judged.places.reads),
            tuple(judged.places.writes),
            tuple(judged.places.inputs),
            is_read_only=not objection,
            reason=judged.analysis.obstacle or objection,
            changes=(*changes.sure, *judged.kept.changed),
            uproots=tuple(changes.uprooted),
            reworks=tuple(dict.fromkeys(place for place, _ in changes.reworked)),
            could_change=(*changes.unsure, *judged.kept.doubtful),
            copies=tuple(changes.copies),
            may_name_anything=judged.places.is_cut,
            may_change_anything=judged.places.is_cut and judged.places.changes_surely,
            is_too_deep=judged.kept.is_cut or judged.places.is_too_long,
            comes_upon=judged.kept.read,
            looks_through=self._may_come_upon_kept(judged),
            harmless=frozenset(harmless),
        )

    def _judge(self) -> _Judged:
        """For any thread."""
        analysis = analyse(self._command)
        programs = SystemPrograms(SYSTEM_FOLDERS, (*self._context.workspace.untrusted, Path.home()))
        names = FolderNames(self._folder, self._context.workspace.folders)

        def judged(member: Member) -> Verdict:
            alone = replace(member, is_direct=True, connector="", redirections=())
            if not member.words:
                return Verdict(True)
            return judge(Analysis(member.text, (alone,)), programs, names)

        if has_too_many_parts(analysis):
            places = CommandPlaces(obstacle=TOO_MANY, is_cut=True, changes_surely=True)
        else:
            places = places_of(analysis, self._context.workspace, self._folder, judged)
        if places.obstacle and analysis.obstacle is None:
            analysis = replace(analysis, obstacle=places.obstacle)
        verdict = judge(analysis, programs, names)
        kept = kept_places(places, self._context.services.gate, self._context.workspace)
        direct = [member for member in analysis.members if member.is_direct]
        astray = after_new_links(direct, {member for member in direct if judged(member).is_read_only})
        members = _without_paths(self._judged_alone(analysis, programs, names), astray)
        goes_astray = any(may_be_led_elsewhere(member) and not _needs_no_path(judged(member)) for member in astray)
        return _Judged(analysis, places, verdict, members, kept, goes_astray)

    def _may_come_upon_kept(self, judged: _Judged) -> bool:
        gate = self._context.services.gate
        if gate.unreadable() is not None and looks_through(judged.analysis):
            return True
        # What may not be read may not be changed, either.
        return judged.goes_astray and gate.unchangeable() is not None

    def _judged_alone(self, analysis: Analysis, programs: SystemPrograms, names: FolderNames) -> dict[Member, Verdict]:
        """Each simple command by itself, but for where its output goes, which is looked at apart.

        Git counts as long as nothing has changed what it goes by.
        """
        direct = [member for member in analysis.members if member.is_direct]
        if analysis.obstacle is not None or any(map(_changes_shell, direct)):
            return {}
        # Of members that are alike one may be wrapped and another not.
        around = [each for member in direct for each in wrappers_of(member, analysis.members)]
        if not can_be_given_settings() or not all(self._runs_alike(each, programs) for each in around):
            return {}
        judged: dict[Member, Verdict] = {}
        for member in direct:
            alone = replace(member, connector="", redirections=tuple(r for r in member.redirections if not r.writes))
            verdict = judge(Analysis(member.text, (alone,)), programs, names)
            if verdict.is_read_only:
                judged[member] = verdict
        after_git = after_changed_git(direct, judged)
        return {member: each for member, each in judged.items() if not each.uses_git or member not in after_git}

    def _runs_alike(self, wrapper: Member, programs: SystemPrograms) -> bool:
        """Whether a wrapper is that of the system, or of the shell, and leaves nothing behind."""
        name = wrapper.words[0].value or ""
        is_known = programs.is_of_system(name) or is_word_of_shell(wrapper, self._command)
        return name in WRAPPERS and name != "nohup" and is_known

    def _on_path(self, name: str) -> str | None:
        folders = self._context.services.commands.supervisor.environment.get("PATH", "").split(os.pathsep)
        # A folder may be written as seen from where the command runs.
        return _first(name, [str(self._folder / folder) for folder in folders])

    def _remark(self, members: Sequence[Member]) -> str:
        """Where it tells of programs, which of them are others for commands that are not proved."""
        told = dict.fromkeys(name for member in members for name in told_programs(member))
        found = {name: self._on_path(name) for name in told}
        others = [f"{name} is {each}" for name, each in found.items() if each and each != _first(name, SYSTEM_FOLDERS)]
        return OTHER_PROGRAMS.format(", ".join(others)) if others else ""

    def _objection(self, verdict: Verdict) -> str:
        """Why a proof does not hold here; empty where it does."""
        if not verdict.is_read_only:
            return verdict.reason
        if verdict.uses_git and self._git is None:
            if not self._context.services.is_trusted:
                return GIT_UNTRUSTED
            return GIT_UNSURE if self._is_in_root else GIT_ELSEWHERE
        gate = self._context.services.gate
        if (verdict.shows and gate.unreadable() is not None) or (verdict.shows_tracked and self._shows_kept):
            return WALKS
        for text in (".", *verdict.paths):
            if text not in self._objections:
                self._objections[text] = self._objection_to(text)
            if self._objections[text]:
                return self._objections[text]
            if verdict.walks and not self._is_covered() and self._holds_secrets(text):
                return WALKS_SECRETS
        unseen = next((text for text in verdict.looked_at if not self._may_look_at(text)), None)
        return "" if unseen is None else OUTSIDE.format(unseen)

    async def _knows_kept_files(self, judged: _Judged) -> bool:
        """Whether git, which is to show what is in the files that it knows, may know one that a rule keeps."""
        is_kept = self._context.services.gate.unreadable()
        if is_kept is None or self._git is None or not any(each.shows_tracked for each in judged.proofs):
            return False
        try:
            async with asyncio.timeout(SECONDS_FOR_GIT):
                files = await tracked_files(self._git)
        except TimeoutError:
            return True
        return files is None or any(map(is_kept, files))

    async def _git_stays_as_it_is(self, judged: _Judged) -> bool:
        """Whether what was found out of git holds among parts that do more than to read."""
        git = self._git
        if git is None or not leaves_alone(git.root, judged.places):
            return False
        try:
            async with asyncio.timeout(SECONDS_FOR_GIT):
                return not await declares_submodules(git)
        except TimeoutError:
            return False

    def _may_look_at(self, text: str) -> bool:
        place = self._place(text)
        return place is not None and self._context.services.gate.may_look_at(self._request, place)

    def _holds_secrets(self, text: str) -> bool:
        place = self._place(text)
        return place is not None and self._context.services.gate.has_secrets_in(place.path)

    def _objection_to(self, text: str) -> str:
        place = self._place(text)
        if place is None or not self._context.services.gate.may_read(self._request, place):
            return OUTSIDE.format(text)
        return SPECIAL.format(text) if _is_special(place.path) else ""

    def _is_covered(self) -> bool:
        """Whether it runs where secret places cannot be seen: of the walls only those of bubblewrap hide anything."""
        sandbox = self._context.services.sandbox
        return sandbox is not None and sandbox.kind == "bubblewrap"

    def _place(self, text: str) -> Place | None:
        # A tilde that is left in a proof is one of the name itself: the shell has put the home folder for no other.
        return place_named(f"./{text}" if text.startswith("~") else text, self._at_folder)

    async def _found_git(self) -> Git | None:
        workspace: Workspace = self._context.workspace
        if not self._is_in_root or not self._context.services.is_trusted:
            return None
        root = await asyncio.to_thread(find_repository, self._folder, workspace.surroundings)
        if root is None:
            return None
        environment = self._context.services.commands.supervisor.environment
        try:
            async with asyncio.timeout(SECONDS_FOR_GIT):
                return await git_for_reading(root, environment, workspace.untrusted)
        except TimeoutError:
            return None


def _is_of_shell(member: Member, members: Sequence[Member]) -> bool:
    """Whether it is a word of the shell itself, for which no program is looked up."""
    name = member.words[0].value or ""
    table = program_tables().get(name)
    return table is not None and table.builtin and not wrappers_of(member, members)


def _changes_shell(member: Member) -> bool:
    if member.program == "printf":
        return any(word.value is None or word.value.startswith("-v") for word in member.words)
    return member.program in SHELL_CHANGING


def _needs_no_path(verdict: Verdict) -> bool:
    """Whether it is proved to read nothing but what it is given."""
    return verdict.is_read_only and not (verdict.paths or verdict.looked_at or verdict.walks)


def _without_paths(judged: Mapping[Member, Verdict], astray: Container[Member]) -> dict[Member, Verdict]:
    """Those whose proof holds: of what goes astray it is known only when it runs where its paths lead."""
    return {
        member: verdict
        for member, verdict in judged.items()
        if member not in astray or not (verdict.paths or verdict.looked_at)
    }


def _first(name: str, folders: Sequence[str]) -> str | None:
    """The program that a shell would take from these folders; None for none, as for a word of the shell itself."""
    candidates = (name,) if "/" in name else (f"{folder}/{name}" for folder in folders)
    return next((os.path.realpath(each) for each in candidates if os.access(each, os.X_OK)), None)


def _is_special(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _further_settings(variables: Mapping[str, str], git: Git) -> dict[str, str]:
    """What the look at a repository has to turn off, after the settings that are there already."""
    first = int(variables.get("GIT_CONFIG_COUNT", "0"))
    further = {"GIT_CONFIG_COUNT": str(first + len(git.settings)), "GIT_CEILING_DIRECTORIES": str(git.root.parent)}
    for number, (key, value) in enumerate(git.settings, first):
        further |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return further
