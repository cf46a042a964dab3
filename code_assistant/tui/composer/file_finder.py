"""Finding files while somebody types: listed and ranked in threads, the latest query wins."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from code_assistant.errors import AssistantError
from code_assistant.tui.composer.ranking import Candidate, Ranking, candidates_of, rank

FRESH_SECONDS = 3.0


class FileFinder:
    """`found` is called with the query and its best paths. What is found in an old list is found again in a new one."""

    def __init__(
        self,
        list_files: Callable[[], Sequence[str]],
        found: Callable[[str, list[str]], None],
        complain: Callable[[str], None],
        clock: Callable[[], float],
    ) -> None:
        self._list_files = list_files
        self._found = found
        self._complain = complain
        self._clock = clock
        self._candidates: Sequence[Candidate] | None = None
        self._listed_at = float("-inf")
        self._wanted: str | None = None
        # The last query that was answered in full: a query that goes on from it need only look at what it found.
        self._last: tuple[str, Ranking] | None = None
        self._listing: asyncio.Task[None] | None = None
        self._ranking: asyncio.Task[None] | None = None

    @property
    def is_listed(self) -> bool:
        return self._candidates is not None

    def look(self, query: str) -> None:
        """Ask for a query. Cheap: the work is done elsewhere."""
        self._wanted = query
        self._refresh()
        self._rank()

    def stop(self) -> None:
        """Nobody looks any more; a listing on its way may still end, for the next time."""
        self._wanted = None

    def close(self) -> None:
        self._wanted = None
        for task in (self._listing, self._ranking):
            if task is not None:
                task.cancel()

    def _refresh(self) -> None:
        is_old = self._clock() - self._listed_at >= FRESH_SECONDS
        if is_old and (self._listing is None or self._listing.done()):
            self._listing = asyncio.get_running_loop().create_task(self._list())

    async def _list(self) -> None:
        try:
            self._candidates = await asyncio.to_thread(self._listed)
        except (AssistantError, OSError) as error:
            self._complain(f"The files cannot be listed: {error}")
        self._listed_at = self._clock()
        self._last = None
        self._rank()

    def _listed(self) -> Sequence[Candidate]:
        return candidates_of(self._list_files())

    def _rank(self) -> None:
        is_busy = self._ranking is not None and not self._ranking.done()
        if self._candidates is not None and self._wanted is not None and not is_busy:
            self._ranking = asyncio.get_running_loop().create_task(self._rank_wanted())

    async def _rank_wanted(self) -> None:
        while (query := self._wanted) is not None:
            all_candidates = self._candidates
            candidates = self._narrowed(query)
            ranking = await asyncio.to_thread(rank, candidates, query, lambda query=query: self._wanted == query)
            if ranking is None or all_candidates is not self._candidates:
                continue
            self._last = (query, ranking)
            if self._wanted == query:
                self._found(query, ranking.best)
                return

    def _narrowed(self, query: str) -> Sequence[Candidate]:
        if self._last is not None and self._last[0] and query.casefold().startswith(self._last[0].casefold()):
            return self._last[1].matching
        return self._candidates or ()
