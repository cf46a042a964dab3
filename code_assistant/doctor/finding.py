"""What a check has found, in words for the person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

# In order, worth knowing, or in the way of the work.
Level: TypeAlias = Literal["ok", "note", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`words` say what is so and, where it is not in order, what to do. They are not sanitised or masked."""

    level: Level
    title: str
    words: str


def ok(title: str, words: str) -> Finding:
    return Finding("ok", title, words)


def note(title: str, words: str) -> Finding:
    return Finding("note", title, words)


def problem(title: str, words: str) -> Finding:
    return Finding("problem", title, words)
