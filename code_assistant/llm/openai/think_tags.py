"""Thinking that is written into the text: `<think>…</think>` at the beginning of an answer, as local models do."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

OPENING, CLOSING = "<think>", "</think>"
# More empty space than this at the beginning is part of an answer.
MAX_HELD = 100

_Stage: TypeAlias = Literal["before", "inside", "behind"]


class Piece(NamedTuple):
    text: str
    is_thinking: bool


class ThinkTags:
    """Fed with the text as it comes. What may be the beginning of a tag is held back until it is known.

    Once `are_over` all text is simply text.
    """

    def __init__(self) -> None:
        self.are_over = False
        self._stage: _Stage = "before"
        self._held = ""

    def feed(self, text: str) -> list[Piece]:
        if self.are_over:
            return [Piece(text, False)] if text else []
        text = self._held + text
        self._held = ""
        match self._stage:
            case "before":
                return self._before(text)
            case "inside":
                return self._inside(text)
            case _:
                return self._behind(text)

    def finish(self) -> list[Piece]:
        """What was held back for a tag that did not come."""
        held, self._held = self._held, ""
        is_thinking = self._stage == "inside"
        self.are_over = True
        return [Piece(held, is_thinking)] if held else []

    def _before(self, text: str) -> list[Piece]:
        begun = text.lstrip()
        if begun.startswith(OPENING):
            self._stage = "inside"
            return self._inside(begun.removeprefix(OPENING))
        if OPENING.startswith(begun) and len(text) <= MAX_HELD:
            self._held = text
            return []
        self.are_over = True
        return [Piece(text, False)]

    def _inside(self, text: str) -> list[Piece]:
        thought, closing, said = text.partition(CLOSING)
        if closing:
            self._stage = "behind"
            return [*([Piece(thought, True)] if thought else ()), *self._behind(said)]
        kept = _begun_tag(text)
        self._held = text[len(text) - kept :]
        text = text[: len(text) - kept]
        return [Piece(text, True)] if text else []

    def _behind(self, text: str) -> list[Piece]:
        # The empty lines behind the tag are not part of what is said.
        text = text.lstrip()
        if not text:
            return []
        self.are_over = True
        return [Piece(text, False)]


def _begun_tag(text: str) -> int:
    """How many characters at the text's end may be the beginning of the closing tag."""
    longest = min(len(text), len(CLOSING) - 1)
    return next((size for size in range(longest, 0, -1) if CLOSING.startswith(text[-size:])), 0)
