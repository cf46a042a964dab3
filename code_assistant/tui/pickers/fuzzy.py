"""Fuzzy matching of short titles: the letters in order, better at the start of words and next to each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

# The work is the product of the two, so both have bounds.
LONGEST_TEXT = 200
LONGEST_QUERY = 64
_AT_WORD = 8
_NEXT_TO = 10
_LETTER = 1


class Match(NamedTuple):
    """`positions` are the characters of the text that were matched."""

    score: float
    positions: tuple[int, ...]


def match(query: str, text: str) -> Match | None:
    """None where the text does not have all the words of the query."""
    score = 0.0
    positions: set[int] = set()
    for word in query[:LONGEST_QUERY].split():
        found = _match_word(word.casefold(), text[:LONGEST_TEXT])
        if found is None:
            return None
        score += found.score
        positions.update(found.positions)
    # Of two that match alike, the shorter one is meant.
    return Match(score - len(text[:LONGEST_TEXT]) / 1000, tuple(sorted(positions)))


def _match_word(word: str, text: str) -> Match | None:
    # Letter by letter, so that positions stay those of the text where folding makes two letters of one.
    folded = [character.casefold() for character in text]
    best: list[Match | None] = [None] * len(text)
    for number, letter in enumerate(word):
        best = _next_letter(letter, folded, text, best, is_first=number == 0)
        if not any(best):
            return None
    return max((found for found in best if found is not None), key=lambda found: found.score)


def _next_letter(
    letter: str, folded: Sequence[str], text: str, before: Sequence[Match | None], *, is_first: bool
) -> list[Match | None]:
    """The best way to end at each place with this letter, given the best ways for the letters before it."""
    ends: list[Match | None] = [None] * len(text)
    reached: Match | None = None
    for place, character in enumerate(folded):
        if place > 1 and (earlier := before[place - 2]) is not None and (not reached or earlier.score > reached.score):
            reached = earlier
        if character != letter:
            continue
        worth = _LETTER + (_AT_WORD if _starts_word(text, place) else 0)
        if is_first:
            ends[place] = Match(worth, (place,))
            continue
        choices = [Match(reached.score + worth, (*reached.positions, place))] if reached is not None else []
        if place and (adjacent := before[place - 1]) is not None:
            choices.append(Match(adjacent.score + worth + _NEXT_TO, (*adjacent.positions, place)))
        ends[place] = max(choices, key=lambda found: found.score, default=None)
    return ends


def _starts_word(text: str, place: int) -> bool:
    if place == 0:
        return True
    before, here = text[place - 1], text[place]
    return not before.isalnum() or (before.islower() and here.isupper())
