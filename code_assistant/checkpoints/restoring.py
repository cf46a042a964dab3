"""Putting files back to what they were before some turns: checked all together first, then one by one in one step."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from code_assistant.checkpoints.blobs import DAMAGED, Blobs
from code_assistant.checkpoints.containment import OUTSIDE, IsInside, can_be_name, counts, made_folders
from code_assistant.checkpoints.states import FileState, Link, Nothing, RegularFile, Strange, is_same, state_at
from code_assistant.checkpoints.turns import Entry, Turn
from code_assistant.errors import AssistantError, WorkspaceError
from code_assistant.workspace.changes import (
    ContentChange,
    apply_content,
    apply_removal,
    content_to_change,
    removal_of,
)
from code_assistant.workspace.names import plain_name
from code_assistant.workspace.opening import opened_folder
from code_assistant.workspace.path_locks import locked
from code_assistant.workspace.replacing import FileChanged
from code_assistant.workspace.temporary_files import sweep
from code_assistant.workspace.threads import NOBODY_STOPS

CHANGED_SINCE = "has changed since"
SET_ID_BITS = stat.S_ISUID | stat.S_ISGID
MODE_BITS = 0o7777 & ~SET_ID_BITS

Show = Callable[[Path], str]


@dataclass(frozen=True, slots=True)
class Problem:
    """A path that cannot be put back, in words that go on after its name; None for what is about a whole turn."""

    path: Path | None
    words: str

    def told(self, show: Show) -> str:
        return f"{plain_name(show(self.path)) if self.path is not None else 'One turn'}: {self.words}"


class UndoRefused(AssistantError):
    """Not everything could be put back, so nothing was."""

    kind = "undo"

    def __init__(self, problems: Sequence[Problem], show: Show = str) -> None:
        lines = [f"  {problem.told(show)}" for problem in problems]
        super().__init__("\n".join(("Nothing was taken back:", *lines)))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class Step:
    """One path that will be what it was. `mode` is the one it will have, None where that is left alone."""

    path: Path
    now: FileState
    target: FileState
    mode: int | None


@dataclass(frozen=True, slots=True)
class Plan:
    """`mixed` are paths that somebody else had changed between the turns, which goes as well."""

    steps: tuple[Step, ...]
    folders: tuple[Path, ...]
    problems: tuple[Problem, ...]
    mixed: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was put back, and what could not be after all, because it changed in this very moment or the disk failed."""

    changed: tuple[Path, ...]
    failed: tuple[Problem, ...]


def planned(turns: Sequence[Turn], blobs: Blobs, is_inside: IsInside) -> Plan:
    """What it takes to bring all paths of these turns back to before the first of them; touches nothing."""
    steps: list[Step] = []
    problems = [Problem(None, words) for turn in turns for words in turn.problems]
    mixed: list[Path] = []
    folders: set[Path] = set()
    for path in dict.fromkeys(path for turn in turns for path in turn.entries):
        entries = [turn.entries[path] for turn in turns if path in turn.entries]
        if not counts(path, entries, is_inside):
            problems.append(Problem(path, OUTSIDE))
            continue
        folders |= {folder for entry in entries for folder in made_folders(path, entry, is_inside)}
        now = state_at(path)
        words = _problem(path, now, entries, blobs)
        if words:
            problems.append(Problem(path, words))
            continue
        if isinstance(now, Strange):
            continue
        target, mode = entries[0].before, _mode(now, entries)
        if is_same(now, target) and mode is None:
            continue
        steps.append(Step(path, now, target, mode))
        mixed += [path] if _is_mixed(entries) else []
    innermost_first = sorted(folders, key=lambda folder: len(folder.parts), reverse=True)
    return Plan(tuple(steps), tuple(innermost_first), tuple(problems), tuple(mixed))


def carried_out(plan: Plan, blobs: Blobs) -> Outcome:
    """Each file in one step; what fails leaves the others as they are, and can be tried again."""
    changed: list[Path] = []
    failed: list[Problem] = []
    for step in plan.steps:
        try:
            _restore(step, blobs)
        except (WorkspaceError, OSError) as error:
            failed.append(Problem(step.path, _failure_words(error)))
        else:
            changed.append(step.path)
    for folder in plan.folders:
        _remove_if_empty(folder)
    return Outcome(tuple(changed), tuple(failed))


def _problem(path: Path, now: FileState | Strange, entries: Sequence[Entry], blobs: Blobs) -> str:
    """Why a path cannot be put back, empty when it can, or need not."""
    target = entries[0].before
    if is_same(now, target):
        return ""
    if isinstance(now, Strange):
        return now.words
    if not any(is_same(now, state) for state in entries[-1].possible):
        return "is gone" if isinstance(now, Nothing) else CHANGED_SINCE
    if isinstance(now, Link):
        return "is a link now"
    if isinstance(target, Link) and not can_be_name(target.target):
        return DAMAGED
    try:
        if isinstance(target, RegularFile):
            if target.unkept:
                return f"what it was before is not kept: {target.unkept}"
            blobs.content(target.digest)
        if isinstance(now, RegularFile):
            content_to_change(path, "it")
    except WorkspaceError as error:
        return str(error).rstrip(".")
    return ""


def _mode(now: FileState, entries: Sequence[Entry]) -> int | None:
    """The mode from before, unless somebody else has set the one that is there now."""
    target, after = entries[0].before, entries[-1].after
    if not isinstance(target, RegularFile):
        return None
    # Who owned a program is not kept, so it must not begin to run with our rights.
    wanted = target.mode & MODE_BITS
    if not isinstance(now, RegularFile):
        return wanted
    is_ours = isinstance(after, RegularFile) and after.mode == now.mode
    return wanted if is_ours and wanted != now.mode & ~SET_ID_BITS else None


def _is_mixed(entries: Sequence[Entry]) -> bool:
    return any(
        not any(is_same(later.before, state) for state in earlier.possible) for earlier, later in pairwise(entries)
    )


def _restore(step: Step, blobs: Blobs) -> None:
    """Raises WorkspaceError or OSError; then the path is what it was."""
    match step.target:
        case RegularFile(digest):
            _put_content(step, blobs.content(digest))
        case Link(leads_to):
            _put_link(step, leads_to)
        case Nothing():
            removal = removal_of(step.path, "it")
            _require_same(step)
            apply_removal(removal, NOBODY_STOPS)


def _put_content(step: Step, data: bytes) -> None:
    before = None if isinstance(step.now, Nothing) else content_to_change(step.path, "it")
    if before is not None:
        _require_same(step)
    apply_content(ContentChange(step.path, "it", before, data, step.mode), NOBODY_STOPS)


def _put_link(step: Step, leads_to: str) -> None:
    with locked(step.path), opened_folder(step.path.parent, making=True) as folder:
        if isinstance(step.now, Nothing):
            os.symlink(leads_to, step.path.name, dir_fd=folder)
            return
        temporary = f".code-assistant-{os.urandom(8).hex()}.tmp"
        os.symlink(leads_to, temporary, dir_fd=folder)
        try:
            _require_same(step)
            os.rename(temporary, step.path.name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            os.unlink(temporary, dir_fd=folder)
            raise


def _remove_if_empty(folder: Path) -> None:
    """One that somebody uses by now stays; what a killed change left in it is nobody's."""
    with suppress(OSError):
        with opened_folder(folder) as inside:
            sweep(inside)
        with opened_folder(folder.parent) as above:
            os.rmdir(folder.name, dir_fd=above)


def _require_same(step: Step) -> None:
    if not is_same(state_at(step.path), step.now):
        raise FileChanged("it has changed in this moment.")


def _failure_words(error: WorkspaceError | OSError) -> str:
    return str(error).rstrip(".") if isinstance(error, WorkspaceError) else error.strerror or str(error)
