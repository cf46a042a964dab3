"""What the journal says: the turns of a session whose changes stand, and what each did to which file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from code_assistant.checkpoints.journal import (
    ChangeBegan,
    ChangeFailed,
    ChangeMade,
    CommandRan,
    Gap,
    Line,
    RestoreBegan,
    Restored,
    TurnBegan,
    TurnForgotten,
)
from code_assistant.checkpoints.states import FileState, RegularFile

DAMAGED = "a part of what was written down about it cannot be read"


@dataclass(slots=True)
class Entry:
    """One path in one turn: before its first change, after its last, and what a change that has no end would make.

    `is_of_this_process` where it did not come from a file.
    """

    before: FileState
    after: FileState | None = None
    intended: FileState | None = None
    is_of_this_process: bool = False

    @property
    def possible(self) -> tuple[FileState, ...]:
        """What the path can be if nobody but us has changed it."""
        states = [self.after, self.intended]
        if self.after is None:
            states.append(self.before)
        return tuple(state for state in states if state is not None)


@dataclass(slots=True)
class Turn:
    """`problems` are why not all of it can be taken back, beside what its entries say."""

    id: str
    entries: dict[Path, Entry] = field(default_factory=dict[Path, Entry])
    ran_commands: bool = False
    problems: list[str] = field(default_factory=list[str])

    @property
    def digests(self) -> set[str]:
        """The contents that taking it back needs."""
        states = (entry.before for entry in self.entries.values())
        return {state.digest for state in states if isinstance(state, RegularFile) and not state.unkept}


class Turns:
    """All turns in the order in which they began."""

    def __init__(self) -> None:
        self._turns: dict[str, Turn] = {}
        self._unfinished: tuple[str, ...] = ()
        self._last = ""

    def take_all(self, lines: Iterable[Line | None]) -> None:
        for line in lines:
            if line is None:
                self.turn(self._last).problems.append(DAMAGED)
            else:
                self.take(line)

    def take(self, line: Line, *, is_of_this_process: bool = False) -> None:
        match line:
            case TurnBegan(turn):
                self.turn(turn)
                self._last = turn
            case ChangeBegan(turn, path, before, after):
                new = Entry(before, is_of_this_process=is_of_this_process)
                self.turn(turn).entries.setdefault(Path(path), new).intended = after
            case ChangeMade(turn, path, mode):
                self._made(self.turn(turn), Path(path), mode)
            case ChangeFailed(turn, path):
                self._failed(self.turn(turn), Path(path))
            case CommandRan(turn):
                self.turn(turn).ran_commands = True
            case Gap(turn, why):
                self.turn(turn).problems.append(why)
            case TurnForgotten(turn, why):
                self._forget(self.turn(turn), why)
            case RestoreBegan(turns):
                self._unfinished = turns
            case Restored(turns):
                self._unfinished = ()
                for turn in turns:
                    self._turns[turn] = Turn(turn)

    def turn(self, turn_id: str) -> Turn:
        return self._turns.setdefault(turn_id, Turn(turn_id))

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(self._turns)

    @property
    def standing(self) -> list[Turn]:
        """Those that changed something which is not taken back, or may have, the oldest first."""
        return [turn for turn in self._turns.values() if turn.entries or turn.problems]

    def last_step(self) -> list[Turn]:
        """What is taken back next: the last turn, or all those of a restoring that did not come to its end."""
        standing = self.standing
        if standing and standing[-1].id in self._unfinished:
            return [turn for turn in standing if turn.id in self._unfinished]
        return standing[-1:]

    def _made(self, turn: Turn, path: Path, mode: int) -> None:
        entry = turn.entries.get(path)
        if entry is None or entry.intended is None:
            return
        made = entry.intended
        entry.after = replace(made, mode=mode) if isinstance(made, RegularFile) else made
        entry.intended = None

    def _failed(self, turn: Turn, path: Path) -> None:
        entry = turn.entries.get(path)
        if entry is None:
            return
        entry.intended = None
        if entry.after is None:
            del turn.entries[path]

    def _forget(self, turn: Turn, why: str) -> None:
        for entry in turn.entries.values():
            if isinstance(entry.before, RegularFile):
                entry.before = replace(entry.before, unkept=entry.before.unkept or why)


def in_order(prompts: Sequence[str], known: Sequence[str]) -> list[str]:
    """All turns of a conversation and of its journal, of which each may know only some, in one order.

    What the conversation does not know comes before the next that both know, else at the end.
    """
    order = list(dict.fromkeys(prompts))
    position = len(order)
    for turn in reversed(known):
        if turn in order:
            position = order.index(turn)
        else:
            order.insert(position, turn)
    return order
