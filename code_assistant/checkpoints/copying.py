"""The checkpoints of a session for a copy of it: its journal, up to a turn or whole, and the contents that it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from code_assistant.checkpoints.blobs import Blobs
from code_assistant.checkpoints.checkpoints import BLOBS, JOURNAL, Bounds, words_of
from code_assistant.checkpoints.journal import Gap, Journal, Line, RestoreBegan, Restored, TurnBegan
from code_assistant.checkpoints.turns import Turns, in_order
from code_assistant.errors import WorkspaceError
from code_assistant.private_files import make_private_folder


def copy_checkpoints(
    source: Path, target: Path, prompts: Sequence[str], before: str | None = None, bounds: Bounds | None = None
) -> None:
    """`prompts` are those of the original in order, also the rewound; those from `before` on are left out.

    The original may be open elsewhere. What of it cannot be read is missing in the copy, which then says so. Raises
    OSError or WorkspaceError where the copy cannot be written.
    """
    try:
        lines = Journal(source / JOURNAL).lines()
    except (OSError, WorkspaceError) as error:
        lines = [Gap("", f"what was written down before could not be copied: {words_of(error)}")]
    if not lines:
        return
    known = Turns()
    known.take_all(lines)
    order = in_order(prompts, known.ids)
    cut = order.index(before) if before is not None and before in order else len(order)
    # What is about no turn in particular stays.
    later = set(order[cut:]) - {""}
    # All turns first: the conversation of a copy does not tell any more which came before which.
    begun = (TurnBegan(turn) for turn in order if turn and turn not in later)
    make_private_folder(target)
    make_private_folder(target / BLOBS)
    journal = Journal(target / JOURNAL)
    journal.add_all((*begun, *_cut(lines, lambda turn: turn not in later)))
    turns = Turns()
    turns.take_all(journal.lines())
    _share(turns, Blobs(source / BLOBS), Blobs(target / BLOBS), (bounds or Bounds()).session)


def _cut(lines: Sequence[Line | None], is_kept: Callable[[str], bool]) -> Iterator[Line | None]:
    last = ""
    for line in lines:
        match line:
            case None:
                if is_kept(last):
                    yield line
            case RestoreBegan(turns) | Restored(turns):
                if kept := tuple(turn for turn in turns if is_kept(turn)):
                    yield replace(line, turns=kept)
            case _:
                last = line.turn if isinstance(line, TurnBegan) else last
                if is_kept(line.turn):
                    yield line


def _share(turns: Turns, source: Blobs, target: Blobs, room: int) -> None:
    """The newest first, as far as there is room; what is not there is told when it is to be taken back."""
    sizes = source.sizes()
    done: set[str] = set()
    for turn in reversed(turns.standing):
        for digest in sorted(turn.digests & sizes.keys() - done):
            room -= sizes[digest]
            if room < 0:
                return
            done.add(digest)
            with suppress(WorkspaceError):
                source.share(digest, target)
