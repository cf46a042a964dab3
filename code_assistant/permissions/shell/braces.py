"""What braces stand for, `a{b,c}` for `ab` and `ac`: within a bound, for rules that deny or ask."""

from __future__ import annotations

import re
from itertools import pairwise

MOST_ALTERNATIVES = 100
MOST_CHARACTERS = 1_000
_MARKS = re.compile(r"[{},]")
_NUMBERS = re.compile(r"(0|[1-9]\d{0,8})\.\.(0|[1-9]\d{0,8})")


def alternatives(text: str) -> list[str] | None:
    """Every word that a word without quotes may become; None where those are too many."""
    if "{" in text and len(text) > MOST_CHARACTERS:
        return None
    done: list[str] = []
    waiting = [text]
    while waiting:
        word = waiting.pop()
        found = _first_braces(word)
        if found is None:
            done.append(word)
        elif isinstance(found, str):
            return None
        else:
            before, choices, after = found
            waiting.extend(f"{before}{choice}{after}" for choice in reversed(choices))
        if len(done) + len(waiting) > MOST_ALTERNATIVES:
            return None
    return done


def _first_braces(text: str) -> tuple[str, list[str], str] | str | None:
    """The first that stand for several words, with what is around them; a text alone for those that count far."""
    for cuts in _closed_braces(text):
        start, end = cuts[0], cuts[-1]
        inside = text[start + 1 : end]
        if text[start - 1 : start] == "$":
            continue
        if len(cuts) > 2:
            choices = [text[left + 1 : right] for left, right in pairwise(cuts)]
            return text[:start], choices, text[end + 1 :]
        if ".." in inside and "{" not in inside:
            counted = _counted(inside)
            return inside if counted is None else (text[:start], counted, text[end + 1 :])
    return None


def _closed_braces(text: str) -> list[list[int]]:
    """Where each pair opens, has its own commas, and closes, in the order in which they open: in one go."""
    opened: list[list[int]] = []
    closed: list[list[int]] = []
    for mark in _MARKS.finditer(text):
        if mark[0] == "{":
            opened.append([mark.start()])
        elif opened:
            opened[-1].append(mark.start())
            if mark[0] == "}":
                closed.append(opened.pop())
    return sorted(closed)


def _counted(inside: str) -> list[str] | None:
    """`1..3`; None for all that is less simple, or too much."""
    found = _NUMBERS.fullmatch(inside)
    if found is None:
        return None
    low, high = sorted(map(int, found.groups()))
    return [str(number) for number in range(low, high + 1)] if high - low < MOST_ALTERNATIVES else None
