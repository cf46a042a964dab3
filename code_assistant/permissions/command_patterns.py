"""Patterns of commands: exact words, words that others may follow, and `*` for anything in one simple command."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, takewhile
from typing import TYPE_CHECKING

from code_assistant.errors import UsageError
from code_assistant.permissions.shell.vague_words import may_begin

if TYPE_CHECKING:
    from code_assistant.permissions.shell.analysis import Analysis, Member
    from code_assistant.permissions.shell.spellings import Spellings

# Stands for a wildcard while a pattern is read: no command can hold it.
_ANYTHING = "\0"
_STARS = re.compile(r"\\\*|\*")
_OPEN_END = re.compile(r"(?::| )\*\Z")
_QUOTES = re.compile(r"[\\'\"]")
_NEEDS_QUOTES = re.compile(r"[\s\\'\"]")


@dataclass(frozen=True, slots=True)
class Pieces:
    """Text with anything between its pieces; `is_open` where further words may follow. Never slower than a search."""

    pieces: tuple[str, ...]
    is_open: bool

    def match(self, text: str) -> bool:
        if _lie_in(self.pieces, text):
            return True
        *before, last = self.pieces
        return self.is_open and _lie_in((*before, f"{last} ", ""), text)

    def match_beginning(self, text: str) -> bool:
        """Whether a text that goes on may match."""
        first = self.pieces[0]
        if first.startswith(text):
            return True
        if len(self.pieces) > 1:
            return text.startswith(first)
        return self.is_open and text.startswith(f"{first} ")

    @property
    def first_word(self) -> str | None:
        """What a text must begin with; None where that is not a whole word."""
        first, blank, _ = self.pieces[0].partition(" ")
        return first if blank or len(self.pieces) == 1 else None


@dataclass(frozen=True, slots=True)
class CommandPattern:
    """`text` is the exact command where there is no wildcard, else None.

    `narrow` is for words in one spelling, those with blanks quoted; `wide` for all spellings, with no quotes at all.
    `beginning` are the words before the first wildcard, the program by its name alone.
    """

    text: str | None
    narrow: Pieces
    wide: tuple[Pieces, ...]
    beginning: tuple[str, ...]

    def covers(self, member: Member) -> bool:
        """Whether it allows a simple command. Exact words say nothing about words that only running could tell."""
        if self.text is not None and any(word.value is None for word in member.words):
            return False
        return self.narrow.match(spelled(member))

    def touches(self, command: str, analysis: Analysis | None) -> bool:
        """Whether anything in a command is meant, wherever it stands and however it is written."""
        if self.text == command:
            return True
        whole = " ".join(command.split())
        if any(pieces.match(whole) for pieces in self.wide):
            return True
        if analysis is None:
            return False
        return self.is_among(analysis.spellings)

    def is_among(self, spellings: Spellings) -> bool:
        return spellings.is_anything or self._is_spelled(spellings) or self._is_among_vague(spellings)

    @property
    def program(self) -> str | None:
        """By its name alone; None where a wildcard stands for it."""
        return self.beginning[0] if self.beginning else None

    def _is_spelled(self, spellings: Spellings) -> bool:
        return any(
            any(map(pieces.match, _beginning_with(pieces.first_word, spellings.whole)))
            or any(map(pieces.match_beginning, _beginning_with(pieces.first_word, spellings.cut)))
            for pieces in self.wide
        )

    def _is_among_vague(self, spellings: Spellings) -> bool:
        is_all = self.text is not None
        return bool(self.beginning) and any(
            may_begin(each.words, self.beginning, is_all=is_all, goes_on=each.goes_on) for each in spellings.vague
        )


def command_pattern(inside: str) -> CommandPattern:
    """What stands in the brackets; raises UsageError for what would never match anything."""
    is_open = _OPEN_END.search(inside) is not None
    words = _OPEN_END.sub("", inside)
    if is_open and not words.strip():
        raise UsageError(f"{inside!r} names no command. Leave out the brackets to mean every command.")
    marked = _STARS.sub(lambda found: _ANYTHING if found[0] == "*" else "*", words)
    text = None if is_open or _ANYTHING in marked else marked
    plain = _split(marked)
    based = [plain[0].rpartition("/")[2] or plain[0], *plain[1:]] if plain else []
    wide = dict.fromkeys((" ".join(plain), " ".join(based), " ".join(marked.split())))
    return CommandPattern(
        text,
        _pieces(_spelling(plain), is_open),
        tuple(_pieces(each, is_open) for each in wide),
        tuple(takewhile(lambda word: _ANYTHING not in word, based)),
    )


def spelled(member: Member) -> str:
    """A simple command in the one spelling that rules which allow are compared with."""
    return _spelling([word.text if word.value is None else word.value for word in member.words])


def written_pattern(text: str) -> str:
    """A text as a pattern that means just this text."""
    return text.replace("*", "\\*")


def _beginning_with(word: str | None, texts: Mapping[str, Sequence[str]]) -> Iterable[str]:
    return chain.from_iterable(texts.values()) if word is None else texts.get(word, ())


def _spelling(words: Sequence[str]) -> str:
    return " ".join(shlex.quote(word) if not word or _NEEDS_QUOTES.search(word) else word for word in words)


def _split(text: str) -> list[str]:
    """The words of a rule, with its quoting undone where it has any."""
    if _QUOTES.search(text):
        try:
            return shlex.split(text)
        except ValueError:
            # Half a quote is no quoting; it is compared as it stands.
            return text.split()
    return text.split()


def _pieces(text: str, is_open: bool) -> Pieces:
    return Pieces(tuple(text.split(_ANYTHING)), is_open)


def _lie_in(pieces: Sequence[str], text: str) -> bool:
    """Whether a text is these pieces with anything between them."""
    first, last = pieces[0], pieces[-1]
    if len(pieces) == 1:
        return text == first
    at, end = len(first), len(text) - len(last)
    if end < at or not text.startswith(first) or not text.endswith(last):
        return False
    for piece in pieces[1:-1]:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True
