"""What a session has changed: every file as it was before the first change, beside what it is now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from code_assistant.checkpoints.blobs import Blobs
from code_assistant.checkpoints.containment import OUTSIDE, IsInside, counts
from code_assistant.checkpoints.states import FileState, Link, Nothing, RegularFile, Strange, is_same, state_at
from code_assistant.checkpoints.turns import Entry, Turn
from code_assistant.errors import WorkspaceError
from code_assistant.workspace.diff_text import NOTHING_THERE, bounded_diff
from code_assistant.workspace.diffs import Hunk, added_and_removed, hunks_of
from code_assistant.workspace.file_text import NEW_FILE, FileText, file_text
from code_assistant.workspace.names import counted, plain_name
from code_assistant.workspace.opening import regular_file
from code_assistant.workspace.snapshots import whole_content
from code_assistant.workspace.text_edits import Replacement

MAXIMUM_FILE_CHARACTERS = 20_000
MAXIMUM_CHARACTERS = 400_000
TOO_MUCH = "not shown: the changes before it are long already"

ChangeKind: TypeAlias = Literal["created", "changed", "deleted"]


@dataclass(frozen=True, slots=True)
class FileDifference:
    """`diff` is bounded, and empty where a remark says why there is none."""

    path: Path
    shown: str
    kind: ChangeKind
    diff: str = ""
    added: int = 0
    removed: int = 0
    remark: str = ""


@dataclass(frozen=True, slots=True)
class SessionChanges:
    """`ran_commands`: what they changed is not among the files."""

    files: tuple[FileDifference, ...]
    ran_commands: bool

    @property
    def summary(self) -> str:
        added, removed = sum(each.added for each in self.files), sum(each.removed for each in self.files)
        return f"{counted(len(self.files), 'file')}, +{added} \N{MINUS SIGN}{removed}"


def differences(
    turns: Sequence[Turn], blobs: Blobs, show: Callable[[Path], str], is_inside: IsInside
) -> SessionChanges:
    """Of all turns that stand; files that are what they were are not among them."""
    files: list[FileDifference] = []
    room = MAXIMUM_CHARACTERS
    for path in dict.fromkeys(path for turn in turns for path in turn.entries):
        entries = [turn.entries[path] for turn in turns if path in turn.entries]
        if not counts(path, entries, is_inside):
            files.append(_unseen(path, plain_name(show(path)), entries))
            continue
        now = state_at(path)
        if not is_same(entries[0].before, now):
            difference = _difference(path, plain_name(show(path)), entries, now, blobs, room)
            room -= len(difference.diff)
            files.append(difference)
    return SessionChanges(tuple(files), any(turn.ran_commands for turn in turns))


def _difference(
    path: Path, shown: str, entries: Sequence[Entry], now: FileState | Strange, blobs: Blobs, room: int
) -> FileDifference:
    before = entries[0].before
    kind = _kind(before, now)
    if isinstance(now, Strange):
        return FileDifference(path, shown, kind, remark=now.words)
    is_ours = any(is_same(now, state) for state in entries[-1].possible)
    remark = "" if is_ours else "changed since by somebody else, too"
    links = [state.target for state in (before, now) if isinstance(state, Link)]
    if links:
        return FileDifference(path, shown, kind, remark=_joined(f"a link to {plain_name(links[0])}", remark))
    try:
        old, new = _old_text(before, blobs, shown), _new_text(path, now, shown)
    except WorkspaceError as error:
        return FileDifference(path, shown, kind, remark=_joined(str(error).rstrip("."), remark))
    hunks = _hunks(old, new)
    added, removed = added_and_removed(hunks)
    if room <= 0:
        return FileDifference(path, shown, kind, "", added, removed, _joined(TOO_MUCH, remark))
    old_name = NOTHING_THERE if isinstance(before, Nothing) else shown
    new_name = NOTHING_THERE if isinstance(now, Nothing) else shown
    text = old if isinstance(now, Nothing) else new
    diff = bounded_diff(hunks, old_name, new_name, text.shown, min(MAXIMUM_FILE_CHARACTERS, room))
    return FileDifference(path, shown, kind, diff, added, removed, remark)


def _unseen(path: Path, shown: str, entries: Sequence[Entry]) -> FileDifference:
    """Of one that is not looked at: what the session has left there."""
    left = entries[-1].after or entries[-1].intended or entries[-1].before
    return FileDifference(path, shown, _kind(entries[0].before, left), remark=OUTSIDE)


def _kind(before: FileState, now: FileState | Strange) -> ChangeKind:
    if isinstance(before, Nothing):
        return "created"
    return "deleted" if isinstance(now, Nothing) else "changed"


def _old_text(before: FileState, blobs: Blobs, shown: str) -> FileText:
    """Raises WorkspaceError for what is not text or not kept."""
    if not isinstance(before, RegularFile):
        return NEW_FILE
    if before.unkept:
        raise WorkspaceError(f"what it was before is not kept: {before.unkept}")
    return file_text(blobs.content(before.digest), shown)


def _new_text(path: Path, now: FileState, shown: str) -> FileText:
    if not isinstance(now, RegularFile):
        return NEW_FILE
    with regular_file(path, shown) as file:
        return file_text(whole_content(file, shown), shown)


def _hunks(old: FileText, new: FileText) -> list[Hunk]:
    if old.body == new.body:
        return []
    return hunks_of(old.body, [Replacement(0, len(old.body), new.body)])


def _joined(*remarks: str) -> str:
    return "; ".join(remark for remark in remarks if remark)
