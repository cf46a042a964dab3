"""The checkpoints of one session: what every file was before a turn changed it, and the way back."""

from __future__ import annotations

import logging
import stat
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from code_assistant.checkpoints.blobs import Blobs
from code_assistant.checkpoints.containment import IsInside
from code_assistant.checkpoints.journal import (
    ChangeBegan,
    ChangeFailed,
    ChangeMade,
    CommandRan,
    Gap,
    Journal,
    Line,
    RestoreBegan,
    Restored,
    TurnBegan,
    TurnForgotten,
)
from code_assistant.checkpoints.states import (
    FileState,
    Link,
    Nothing,
    RegularFile,
    digest_of,
    is_same,
    missing_folders,
    state_at,
)
from code_assistant.checkpoints.turns import Turn, Turns, in_order
from code_assistant.errors import AssistantError, WorkspaceError
from code_assistant.private_files import make_private_folder
from code_assistant.workspace.names import plain_name, plain_size
from code_assistant.workspace.replacing import FileChanged
from code_assistant.workspace.witness import Content, Found, LeadsTo

if TYPE_CHECKING:
    from code_assistant.checkpoints.differences import SessionChanges
    from code_assistant.checkpoints.restoring import Problem

logger = logging.getLogger(__name__)

JOURNAL = "files.jsonl"
BLOBS = "contents"


class NothingToUndo(AssistantError):
    """No turn has changed a file, or all of that is taken back."""

    kind = "undo"


@dataclass(frozen=True, slots=True)
class Bounds:
    """In bytes: the largest content that is kept, and all of a session together."""

    one: int = 20_000_000
    session: int = 200_000_000


@dataclass(frozen=True, slots=True)
class Restoration:
    """What came of taking turns back.

    `changed` are the paths that were put back. `left` could not be and were left as they are, by the person's wish;
    `failed` could not be after all: trying again goes on with them. `mixed` are changed paths that somebody else had
    changed between these turns, which is gone, too. What commands changed is not taken back: `ran_commands` tells
    whether there were any. `words` are all of that for people, once the session has told it.
    """

    turns: tuple[str, ...]
    changed: tuple[Path, ...]
    left: tuple[Problem, ...] = ()
    failed: tuple[Problem, ...] = ()
    mixed: tuple[Path, ...] = ()
    ran_commands: bool = False
    words: str = ""


class Checkpoints:
    """A witness of all changes to files, by whichever agent; used from any thread.

    Keeping never fails a change: what could not be kept is told once, by `warnings`, and when it is to be taken back.
    All but `begin` and `warnings` wait for the disk.
    """

    def __init__(
        self,
        folder: Path,
        *,
        is_inside: IsInside,
        outermost: Path | None = None,
        turns: Sequence[str] = (),
        bounds: Bounds | None = None,
        show: Callable[[Path], str] = str,
    ) -> None:
        """`is_inside` says which paths of an earlier run may be touched, or looked at: those in the folders that are
        open now. What this process changes itself may lie elsewhere. `outermost` is the first folder above that is
        ours and made private. `turns` are those of a session that is resumed, in order, of which the journal may know
        only some."""
        self._folder = folder
        self._outermost = outermost or folder
        self._bounds = bounds or Bounds()
        self._show = show
        self._is_inside = is_inside
        self._journal = Journal(folder / JOURNAL)
        self._blobs = Blobs(folder / BLOBS)
        self._lock = threading.Lock()
        self._turns: Turns | None = None
        self._sizes: dict[str, int] = {}
        self._earlier = tuple(turns)
        self._begun: list[str] = []
        self._turn = ""
        self._is_turn_written = False
        self._has_folders = False
        self._gaps: list[Gap] = []
        self._told: set[str] = set()
        self._warnings: deque[str] = deque()

    def begin(self, turn: str) -> None:
        """Changes count for this turn from now on; not while one is made. Nothing is written before the first."""
        self._turn, self._is_turn_written = turn, False
        self._begun.append(turn)

    def warnings(self) -> tuple[str, ...]:
        """What the person has to be told and was not; each is given once."""
        # Without the lock: whoever holds it may wait for a disk.
        return tuple(self._warnings.popleft() for _ in range(len(self._warnings)))

    def before_change(self, path: Path, found: Found, after: bytes | None) -> None:
        with self._lock:
            known = self._loaded().turn(self._turn).entries.get(path)
            # Only the first of a turn is gone back to.
            before = self._kept(path, found) if known is None else known.before
            then = Nothing() if after is None else RegularFile(digest_of(after), 0, len(after))
            self._write(ChangeBegan(self._turn, str(path), before, then), at_once=True)

    def after_change(self, path: Path) -> None:
        mode = _mode_of(path)
        with self._lock:
            self._write(ChangeMade(self._turn, str(path), mode))

    def change_failed(self, path: Path, error: BaseException) -> None:
        now = state_at(path)
        mode = _mode_of(path)
        with self._lock:
            entry = self._loaded().turn(self._turn).entries[path]
            if is_same(now, entry.intended):
                self._write(ChangeMade(self._turn, str(path), mode))
            elif isinstance(error, FileChanged) or is_same(now, entry.after or entry.before):
                self._write(ChangeFailed(self._turn, str(path)))

    def command_ran(self) -> None:
        """What commands change is not seen, but that there were some is told."""
        with self._lock:
            if not self._loaded().turn(self._turn).ran_commands:
                self._write(CommandRan(self._turn))

    def undo(self, *, leaving: bool = False) -> Restoration:
        """Take back the last turn that changed files; a restoring that broke off is brought to its end first.

        Raises NothingToUndo, or UndoRefused with all that stands in the way; nothing was touched then. `leaving` puts
        back what can be and leaves the rest as it is.
        """
        with self._lock:
            turns = self._loaded().last_step()
            if not turns:
                raise NothingToUndo("There is nothing to take back: no file was changed by an edit in this session.")
            return self._restore(turns, any(turn.ran_commands for turn in turns), leaving)

    def rewind(self, turn: str, *, leaving: bool = False) -> Restoration:
        """Every file that this turn or a later one changed, back to what it was before. Raises as `undo` does."""
        with self._lock:
            loaded = self._loaded()
            before = [each for each in loaded.ids if each not in self._begun]
            order = list(dict.fromkeys((*in_order(self._earlier, before), *self._begun)))
            if turn not in order:
                raise NothingToUndo("Nothing is known about the files at that message.")
            later = set(order[order.index(turn) :])
            turns = [each for each in loaded.standing if each.id in later]
            if not turns:
                raise NothingToUndo("No file was changed by an edit since that message.")
            ran_commands = any(loaded.turn(each).ran_commands for each in loaded.ids if each in later)
            return self._restore(turns, ran_commands, leaving)

    def changes(self) -> SessionChanges:
        """What the session has changed and not taken back, file by file."""
        from code_assistant.checkpoints.differences import differences

        with self._lock:
            return differences(self._loaded().standing, self._blobs, self._show, self._is_inside)

    def _restore(self, turns: Sequence[Turn], ran_commands: bool, leaving: bool) -> Restoration:
        from code_assistant.checkpoints.restoring import UndoRefused, carried_out, planned

        plan = planned(turns, self._blobs, self._is_inside)
        if plan.problems and not leaving:
            raise UndoRefused(plan.problems, self._show)
        ids = tuple(turn.id for turn in turns)
        self._write(RestoreBegan(ids), at_once=True)
        outcome = carried_out(plan, self._blobs)
        if not outcome.failed:
            self._write(Restored(ids, tuple(str(each.path) for each in plan.problems if each.path is not None)))
        mixed = tuple(path for path in plan.mixed if path in outcome.changed)
        return Restoration(ids, outcome.changed, plan.problems, outcome.failed, mixed, ran_commands)

    def _loaded(self) -> Turns:
        if self._turns is None:
            self._turns = Turns()
            try:
                self._turns.take_all(self._journal.lines())
                self._sizes = self._blobs.sizes()
            except (OSError, WorkspaceError) as error:
                # Whoever writes there finds the same, and warns.
                why = words_of(error)
                self._turns.take(Gap("", f"what was written down before cannot be read: {why}"))
        return self._turns

    def _kept(self, path: Path, found: Found) -> FileState:
        """The state for the journal, with the content on disk or a word why it is not."""
        if found is None:
            return Nothing(missing_folders(path))
        if isinstance(found, LeadsTo):
            return Link(found.target)
        if not isinstance(found, Content):
            self._warn(found.why, path)
            return RegularFile("", found.mode, 0, found.why)
        state = RegularFile(digest_of(found.data), found.mode, len(found.data))
        why = self._keep(found.data, state.digest)
        if why:
            self._warn(why, path)
        return replace(state, unkept=why)

    def _keep(self, data: bytes, digest: str) -> str:
        """Why the content is not kept, empty when it is."""
        if len(data) > self._bounds.one:
            return f"it was larger than {plain_size(self._bounds.one)}"
        try:
            if digest not in self._sizes and not self._make_room(len(data)):
                return f"the changes of one turn had more than {plain_size(self._bounds.session)}"
            self._make_folders()
            self._blobs.keep(data, digest)
        except (OSError, WorkspaceError) as error:
            self._has_folders = False
            return words_of(error)
        self._sizes[digest] = len(data)
        return ""

    def _make_room(self, size: int) -> bool:
        """First what no turn needs any more goes, then what the oldest need; never what this turn needs."""
        turns = self._loaded()
        room = self._bounds.session - size
        if sum(self._sizes.values()) <= room:
            return True
        needed = [turn for turn in turns.standing if turn.digests]
        self._drop(set(self._sizes) - _all_digests(needed))
        while sum(self._sizes.values()) > room and needed and needed[0].id != self._turn:
            oldest = needed.pop(0)
            why = f"a session keeps {plain_size(self._bounds.session)}, and later turns needed the room"
            gone = oldest.digests - _all_digests(needed)
            self._write(TurnForgotten(oldest.id, why))
            self._drop(gone)
            self._warn(why)
        return sum(self._sizes.values()) <= room

    def _drop(self, digests: set[str]) -> None:
        if digests:
            self._blobs.drop(digests)
            for digest in digests:
                self._sizes.pop(digest, None)

    def _write(self, line: Line, *, at_once: bool = False) -> None:
        """It counts for this process in any case."""
        turns = self._loaded()
        began: list[Line] = []
        if not self._is_turn_written and self._turn:
            began = [TurnBegan(self._turn)]
        for each in (*began, line):
            turns.take(each, is_of_this_process=True)
        try:
            self._make_folders()
            for each in (*self._gaps, *began):
                self._journal.add(each)
            self._gaps, self._is_turn_written = [], True
            self._journal.add(line, at_once=at_once)
        except (OSError, WorkspaceError) as error:
            why = words_of(error)
            self._has_folders = False
            logger.warning("a checkpoint could not be written: %s", why)
            self._gaps.append(Gap(self._turn, f"it could not be written down: {why}"))
            self._warn(why)

    def _make_folders(self) -> None:
        if self._has_folders:
            return
        above = [each for each in self._folder.parents if each.is_relative_to(self._outermost)]
        for folder in (*reversed(above), self._folder, self._blobs.folder):
            make_private_folder(folder)
        self._has_folders = True

    def _warn(self, why: str, path: Path | None = None) -> None:
        if why in self._told:
            return
        self._told.add(why)
        what = f"to {plain_name(self._show(path))} " if path is not None else ""
        self._warnings.append(f"Not every change {what}can be taken back with /undo: {why}.")


def _mode_of(path: Path) -> int:
    """The mode of what is at a path, 0 where nothing is."""
    try:
        return stat.S_IMODE(path.lstat().st_mode)
    except OSError:
        return 0


def _all_digests(turns: Sequence[Turn]) -> set[str]:
    return {digest for turn in turns for digest in turn.digests}


def words_of(error: OSError | WorkspaceError) -> str:
    """Why, to go on behind a colon."""
    return str(error).rstrip(".") if isinstance(error, WorkspaceError) else error.strerror or str(error)
