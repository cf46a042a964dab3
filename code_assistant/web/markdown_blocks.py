"""Blocks of Markdown in lists and quotations: each line begins with what its place in them asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

# Deeper ones are written as if they were not there.
MAXIMUM_DEPTH = 10
# Thousands of short lines in many lists would grow to many times of what they are.
MAXIMUM_INDENTATION = 100_000


class Block(NamedTuple):
    """`is_rigid` says that its lines must stay as they are; `is_next_item`, that no blank line comes before it."""

    text: str
    is_rigid: bool
    is_next_item: bool


class _Quotation:
    first = rest = "> "


@dataclass(slots=True)
class _List:
    """`number` is that of the next item; None for bullets. `marker` waits for the first block of an item."""

    number: int | None
    marker: str = ""
    width: int = 2

    @property
    def first(self) -> str:
        return self.marker or self.rest

    @property
    def rest(self) -> str:
        return " " * self.width

    def begin_item(self) -> None:
        self.marker = "- " if self.number is None else f"{self.number}. "
        self.width = len(self.marker)
        if self.number is not None:
            self.number += 1


class BlockWriter:
    """Takes blocks in order; lists and quotations that are never closed do no harm."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.size = 0
        self._around: list[_Quotation | _List] = []
        self._too_deep = 0
        self._was_in_list = False

    def open_quotation(self) -> None:
        self._open(_Quotation())

    def open_list(self, first_number: int | None) -> None:
        self._open(_List(first_number))

    def close_quotation(self) -> None:
        self._close(_Quotation)

    def close_list(self) -> None:
        self._close(_List)

    def begin_item(self) -> None:
        if self._too_deep:
            return
        innermost = next((each for each in reversed(self._around) if isinstance(each, _List)), None)
        if innermost is None:
            innermost = _List(None)
            self._open(innermost)
        innermost.begin_item()

    def add(self, text: str, *, is_rigid: bool = False) -> None:
        lists = [each for each in self._around if isinstance(each, _List)]
        is_next_item = self._was_in_list and any(each.marker for each in lists)
        first, rest = "".join(each.first for each in self._around), "".join(each.rest for each in self._around)
        for each in lists:
            each.marker = ""
        if rest and text.count("\n") * len(rest) < MAXIMUM_INDENTATION:
            text = text.replace("\n", f"\n{rest}")
        self.blocks.append(Block(first + text, is_rigid, is_next_item))
        self.size += len(first) + len(text) + 2
        self._was_in_list = bool(lists)

    def text(self) -> str:
        return joined(self.blocks)

    def _open(self, container: _Quotation | _List) -> None:
        if len(self._around) < MAXIMUM_DEPTH:
            self._around.append(container)
        else:
            self._too_deep += 1

    def _close(self, kind: type[_Quotation | _List]) -> None:
        if self._too_deep:
            self._too_deep -= 1
        elif any(isinstance(each, kind) for each in self._around):
            while not isinstance(self._around.pop(), kind):
                pass


def joined(blocks: list[Block]) -> str:
    parts: list[str] = []
    for block in blocks:
        if parts:
            parts.append("\n" if block.is_next_item else "\n\n")
        parts.append(block.text)
    return "".join(parts)
