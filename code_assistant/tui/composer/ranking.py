"""Which paths a few typed letters may mean, best first."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import NamedTuple

SHOWN_MATCHES = 50
# Between slices somebody else may run: the interpreter does one thing at a time, and keys go first.
SLICE = 256


@dataclass(frozen=True, slots=True)
class Candidate:
    """A path with what matching needs, worked out once: folded letters and where the name begins."""

    path: str
    folded: str
    name_start: int

    @property
    def is_folder(self) -> bool:
        return self.path.endswith("/")


class Ranking(NamedTuple):
    """The best, and everything that matched: a longer query finds nothing else."""

    best: list[str]
    matching: Sequence[Candidate]


def candidates_of(paths: Iterable[str]) -> list[Candidate]:
    return [candidate_of(path) for path in paths if is_offered(path)]


def candidate_of(path: str) -> Candidate:
    folded = path.casefold()
    if len(folded) != len(path):
        folded = path.lower()
    return Candidate(path, folded, folded.rstrip("/").rfind("/") + 1)


def is_offered(path: str) -> bool:
    """Names that nobody could have typed or quoted are left alone, as are those a message could not carry."""
    if path.isascii() and path.isprintable():
        return '"' not in path
    return '"' not in path and not any(_is_unusable(ord(c)) for c in path)


def _is_unusable(code: int) -> bool:
    is_control = code < 0x20 or 0x7F <= code <= 0x9F or code in (0x2028, 0x2029)
    return is_control or 0xD800 <= code <= 0xDFFF or code >= 0x100000


def rank(candidates: Sequence[Candidate], query: str, is_wanted: Callable[[], bool]) -> Ranking | None:
    """The best matches; None as soon as nobody waits for them any more."""
    folded = query.casefold()
    scored: list[tuple[tuple[int, int, int, str], Candidate]] = []
    for start in range(0, len(candidates), SLICE):
        if not is_wanted():
            return None
        time.sleep(0)
        for candidate in candidates[start : start + SLICE]:
            score = score_of(candidate, folded)
            if score is not None:
                scored.append((score, candidate))
    best = nsmallest(SHOWN_MATCHES, scored, key=lambda each: each[0])
    return Ranking([candidate.path for _, candidate in best], [candidate for _, candidate in scored])


def score_of(candidate: Candidate, query: str) -> tuple[int, int, int, str] | None:
    """How well a path matches a folded query, lower being better; None when it does not."""
    text, start = candidate.folded, candidate.name_start
    length = len(text)
    if not query:
        return (0, text.rstrip("/").count("/"), 0, text)
    place = text.find(query, start)
    if place >= 0:
        if place == start:
            rest = text[start + len(query) :]
            is_whole = not rest.strip("/") or rest.startswith(".")
            return (0 if is_whole else 1, candidate.is_folder, length, text)
        return (2, 0 if not text[place - 1].isalnum() else 1, length, text)
    place = text.find(query)
    if place >= 0:
        return (3, 0 if not place or not text[place - 1].isalnum() else 1, length, text)
    extent = _extent(text, query, start)
    if extent is not None:
        return (4, extent, length, text)
    extent = _extent(text, query, 0)
    return None if extent is None else (5, extent, length, text)


def _extent(text: str, query: str, start: int) -> int | None:
    """How many characters it takes to find the letters one after the other."""
    position = first = text.find(query[0], start)
    for letter in query[1:]:
        if position < 0:
            return None
        position = text.find(letter, position + 1)
    return None if position < 0 else position - first


def matched_places(text: str, query: str) -> list[int]:
    """Which characters of a text a query means, for showing them; empty when it does not match."""
    folded, wanted = text.lower(), query.casefold()
    if not wanted or len(folded) != len(text):
        return []
    place = folded.find(wanted, folded.rstrip("/").rfind("/") + 1)
    place = place if place >= 0 else folded.find(wanted)
    if place >= 0:
        return list(range(place, place + len(wanted)))
    for start in (folded.rstrip("/").rfind("/") + 1, 0):
        places: list[int] = []
        position = start - 1
        for letter in wanted:
            position = folded.find(letter, position + 1)
            if position < 0:
                break
            places.append(position)
        if len(places) == len(wanted):
            return places
    return []
