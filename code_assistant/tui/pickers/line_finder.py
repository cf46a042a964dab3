"""Finding lines of text while somebody types: looked for in a thread, the latest query wins."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

from code_assistant.tui.frame.spans import plain

# Between slices somebody else may run: the interpreter does one thing at a time, and keys go first.
SLICE = 1_000


class LineFinder:
    """`found` is called with the query and the numbers of the lines that have it, whatever the case of its letters."""

    def __init__(self, lines: Sequence[str], found: Callable[[str, Sequence[int]], None]) -> None:
        self._lines = lines
        self._found = found
        self._folded: list[str] = []
        self._wanted: str | None = None
        # The last query that was answered: a query that goes on from it need only look at what it found.
        self._last: tuple[str, Sequence[int]] = ("", range(len(lines)))
        self._looking: asyncio.Task[None] | None = None

    @property
    def is_looking(self) -> bool:
        return self._wanted is not None

    def look(self, query: str) -> None:
        """Ask for a query. Cheap: the work is done elsewhere."""
        self._wanted = query
        if self._looking is None or self._looking.done():
            self._looking = asyncio.get_running_loop().create_task(self._look())

    def stop(self) -> None:
        self._wanted = None

    async def _look(self) -> None:
        while (query := self._wanted) is not None:
            numbers = await asyncio.to_thread(self._numbers, query)
            if numbers is None:
                continue
            self._last = (_folded(query), numbers)
            if self._wanted == query:
                self._wanted = None
                self._found(query, numbers)

    def _numbers(self, query: str) -> Sequence[int] | None:
        """In a thread; None as soon as nobody waits for it any more."""
        wanted = _folded(query)
        before, among = self._last
        if not wanted.startswith(before):
            among = range(len(self._lines))
        numbers: list[int] = []
        for start in range(0, len(among), SLICE):
            if self._wanted != query:
                return None
            numbers += [number for number in among[start : start + SLICE] if wanted in self._folded_line(number)]
            time.sleep(0)
        return numbers

    def _folded_line(self, number: int) -> str:
        # The first time all of them are asked for, in their order.
        if number >= len(self._folded):
            self._folded += [plain(line).casefold() for line in self._lines[len(self._folded) : number + 1]]
        return self._folded[number]


def places_of(query: str, text: str) -> list[int]:
    """The characters of a text that a query was found in."""
    wanted = _folded(query)
    folded: list[str] = []
    origins: list[int] = []
    # Letter by letter, so that places stay those of the text where folding makes two letters of one.
    for place, character in enumerate(text):
        folded.append(character.casefold())
        origins += [place] * len(folded[-1])
    whole = "".join(folded)
    places: list[int] = []
    at = whole.find(wanted) if wanted else -1
    while at >= 0:
        places += origins[at : at + len(wanted)]
        at = whole.find(wanted, at + len(wanted))
    return places


def _folded(query: str) -> str:
    return plain(query).casefold()
