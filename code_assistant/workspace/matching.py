"""The matching lines of one text for Python's `re`, found without going through it line by line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import AnyStr, Generic, TypeAlias

from code_assistant.workspace.patterns import LONGEST_QUICK_LINE, literal_pattern, translated
from code_assistant.workspace.search import FoundLine, SearchQuery, cut_line

# Python's engine lets no other thread run until it is through with what it was given.
PIECE_CHARACTERS = 8192
LONG_S = "\u017f"
# Where a matching line starts and ends, and where the match begins; a plain tuple, for there may be a million.
MatchingLine: TypeAlias = tuple[int, int, int]


class NotQuick(Exception):
    """The search may take so long that it must not hold up the rest of the program."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How a search gets on: `check` raises when it is to stop, and NotQuick is raised where it must be quick."""

    check: Callable[[], None]
    must_be_quick: bool


@dataclass(frozen=True, slots=True)
class LineSearch(Generic[AnyStr]):
    """What to look for, in the form of the text. No regular expression: the literal is all there is to find."""

    regex: re.Pattern[AnyStr] | None
    literal: AnyStr
    pace: Pace


class SearchedText(Generic[AnyStr]):
    """A text, as bytes or as characters, with the pattern and the literal in the same form."""

    def __init__(self, text: AnyStr, newline: AnyStr, search: LineSearch[AnyStr], folded: AnyStr | None = None) -> None:
        self._text = text
        self._newline = newline
        self._search = search
        self._folded = text if folded is None else folded

    def matches(self) -> Iterator[MatchingLine]:
        """The matching lines in order."""
        if self._search.regex is None:
            return self._lines_with_literal()
        if self._search.literal:
            return self._matches_among(self._search.regex, self._lines_with_literal())
        return self._matches_anywhere(self._search.regex)

    def _lines_with_literal(self) -> Iterator[MatchingLine]:
        find, literal = self._folded.find, self._search.literal
        position = find(literal)
        while position >= 0:
            start, end = self._line_around(position)
            yield start, end, position
            position = find(literal, end + 1)

    def _matches_among(self, regex: re.Pattern[AnyStr], lines: Iterator[MatchingLine]) -> Iterator[MatchingLine]:
        for start, end, _ in lines:
            self._search.pace.check()
            if self._search.pace.must_be_quick and end - start > LONGEST_QUICK_LINE:
                raise NotQuick
            found = regex.search(self._text, start, end)
            if found is not None:
                yield start, end, found.start()

    def _matches_anywhere(self, regex: re.Pattern[AnyStr]) -> Iterator[MatchingLine]:
        if self._search.pace.must_be_quick and self._has_long_lines():
            raise NotQuick
        text, position = self._text, 0
        while position < len(text):
            self._search.pace.check()
            piece_end = self._piece_end(position)
            found = regex.search(text, position, piece_end)
            if found is None:
                position = piece_end + 1
                continue
            # What follows the last newline is no line.
            if found.start() == len(text) and text.endswith(self._newline):
                return
            start, end = self._line_around(found.start())
            yield start, end, found.start()
            position = end + 1

    def _piece_end(self, position: int) -> int:
        """The end of the last line that begins and ends within a piece from here, or else of the one that begins."""
        limit = position + PIECE_CHARACTERS
        if limit >= len(self._text):
            return len(self._text)
        end = self._text.rfind(self._newline, position, limit)
        return end if end >= 0 else self._line_around(limit)[1]

    def _has_long_lines(self) -> bool:
        """Whether there may be a line over the limit; sure for lines twice as long, and very cheap to find out."""
        places = range(0, len(self._text) - LONGEST_QUICK_LINE, LONGEST_QUICK_LINE)
        return any(self._text.find(self._newline, place, place + LONGEST_QUICK_LINE) < 0 for place in places)

    def lines(self, matches: list[MatchingLine], context: int) -> list[FoundLine]:
        """These matches and the lines around them, in order, none twice."""
        lines: dict[int, FoundLine] = {}
        number, position = 1, 0
        for start, end, match_start in matches:
            number += self._text.count(self._newline, position, start)
            position = start
            self._add_before(lines, start, number, context)
            lines[number] = FoundLine(number, self._shown(start, end, match_start), True)
            self._add_after(lines, end, number, context)
        return [lines[number] for number in sorted(lines)]

    def _add_before(self, lines: dict[int, FoundLine], start: int, number: int, context: int) -> None:
        for distance in range(1, context + 1):
            if start == 0 or number - distance in lines:
                return
            end = start - 1
            start = self._text.rfind(self._newline, 0, end) + 1
            lines[number - distance] = FoundLine(number - distance, self._shown(start, end, start), False)

    def _add_after(self, lines: dict[int, FoundLine], end: int, number: int, context: int) -> None:
        for distance in range(1, context + 1):
            start = end + 1
            if start >= len(self._text):
                return
            _, end = self._line_around(start)
            lines[number + distance] = FoundLine(number + distance, self._shown(start, end, start), False)

    def _line_around(self, position: int) -> tuple[int, int]:
        end = self._text.find(self._newline, position)
        start = self._text.rfind(self._newline, 0, position) + 1
        return start, len(self._text) if end < 0 else end

    def _shown(self, start: int, end: int, match_start: int) -> str:
        before = _plain_text(self._text[start:match_start])
        return cut_line(_plain_text(self._text[start:end]), len(before))


def _plain_text(text: str | bytes) -> str:
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    return data.decode("utf-8", "replace")


class Matcher:
    """A query's pattern, ready for many texts; bytes are searched where that makes no difference."""

    def __init__(self, query: SearchQuery, pace: Pace) -> None:
        pattern = literal_pattern(query.pattern) if query.literal else translated(query.pattern)
        if pace.must_be_quick and not pattern.is_quick:
            raise NotQuick
        literal = pattern.literal
        if query.ignore_case:
            literal = literal.lower() if literal.isascii() else ""
        is_literal = bool(literal) and re.escape(pattern.literal) == pattern.regex
        flags = re.MULTILINE | (re.IGNORECASE if query.ignore_case else 0)
        characters = re.compile(pattern.regex, flags)
        self._ignores_case = query.ignore_case
        self._characters = LineSearch(None if is_literal else characters, literal, pace)
        self._without_literal = LineSearch(characters, "", pace)
        self._bytes: LineSearch[bytes] | None = None
        self._literal = literal.encode()
        if is_literal:
            self._bytes = LineSearch(None, self._literal, pace)
        elif pattern.regex.isascii():
            self._bytes = LineSearch(re.compile(pattern.regex.encode(), flags), self._literal, pace)

    def may_match(self, data: bytes) -> bool:
        """A cheap look at a text; False means that nothing in it matches."""
        if not self._ignores_case:
            return self._literal in data
        return self._literal in data.lower() or not data.isascii()

    def searched(self, data: bytes) -> SearchedText[bytes] | SearchedText[str]:
        """The text ready to be searched; as bytes only where every byte is a character."""
        if self._bytes is not None and data.isascii():
            return SearchedText(data, b"\n", self._bytes, data.lower() if self._ignores_case else None)
        text = data.decode("utf-8", "surrogateescape")
        if not self._ignores_case:
            return SearchedText(text, "\n", self._characters)
        folded = text.lower()
        # A few letters change the length when they are folded, and with it every position; and one is an s.
        if len(folded) != len(text) or LONG_S in text:
            return SearchedText(text, "\n", self._without_literal)
        return SearchedText(text, "\n", self._characters, folded)
