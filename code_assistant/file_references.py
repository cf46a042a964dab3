"""Finding references to lines of files in text: `src/a.py:10`, `src/a.py:10-20`, `src/a.py#L10-L20`.

Every text is gone through once, whatever stands in it: each pattern gives nothing back of what it has taken, and
takes all of a word, so that no character is looked at more than a few times.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

# What ends a path: blanks, control characters, quotes, brackets and what stands between words in any language.
_ENDS_PATH = r"\s\x00-\x1f\x7f`\"'<>|*:;,=!?#(){}\[\]“”‘’„«»‹›—–…•→、。，：；（）「」『』【】《》"  # noqa: RUF001
# Names of folders like `[id]` and `(group)`, which web frameworks have; elsewhere brackets stand around a path.
_IN_BRACKETS = rf"(?<=/)[\[({{]{{1,2}}+(?:[^/{_ENDS_PATH}]|,){{1,100}}+[\])}}]{{1,2}}+"
_PATH = rf"(?:[^{_ENDS_PATH}]++|#(?!L[0-9])|{_IN_BRACKETS})++"
# What may not follow a number that is a line's: it would be part of a larger number, a word, an address or a share.
_END = r"(?![0-9A-Za-z]|\.[0-9]|_[0-9A-Za-z]|[/\\%])"
_DASH = r"(?:[-–—‑−]|\.{2,3})"  # noqa: RUF001
_LINE = r"[0-9]++(?:C[0-9]++)?+"
_RANGE = rf"L?{_LINE}(?:{_DASH}L?{_LINE}{_END})?+"
# Behind the lines there may be a column, as compilers write it.
_LINES = rf"(?::|#(?=L)){_RANGE}(?:[,/]{_RANGE}{_END})*+{_END}(?::[0-9]++(?:-[0-9]++)?+{_END})?+"
# A web address goes on to the end of its word, or of the text of a Markdown link.
_REST_OF_ADDRESS = r"(?:(?!\]\()[^\s`\"'<>|])*+"

_WORD = re.compile(
    rf"(?:[A-Za-z]:[\\/]|://){_REST_OF_ADDRESS}"
    rf"|(?P<path>{_PATH})(?:(?P<lines>{_LINES})|(?:://|:[0-9]++[/\\]){_REST_OF_ADDRESS})?+"
)
# In backticks a name may hold blanks.
_NAME = r"(?:[^`:#\x00-\x1f\x7f\x85\u2028\u2029]++|#(?!L[0-9]))++"
_TOKEN = re.compile(rf"(?<!`)`++(?P<name>{_NAME})(?P<name_lines>{_LINES})`++|{_WORD.pattern}")
_CANDIDATE = re.compile(r":L?[0-9]|#L[0-9]")
_NUMBERS = re.compile(rf"([0-9]++)(?:C[0-9]++)?+(?:{_DASH}L?([0-9]++)(?:C[0-9]++)?+)?+")
_WHOLE_PATH = re.compile(_PATH)
_EXTENSION = re.compile(r"\.\w*[^\W\d]")
_LAST_EXTENSION = re.compile(r"\.(?=\w*[^\W\d])\w++\Z")
_DATE_OR_NUMBER = re.compile(r"[0-9TZ.+/-]*")
# Endings of host names that are seldom those of files; a file that is there counts all the same.
_HOST_ENDINGS = frozenset(
    ("com", "org", "net", "edu", "gov", "io", "ai", "dev", "app", "cloud", "local", "internal", "lan")
)
# No file has more lines, and no longer number is worth reading.
_LONGEST_NUMBER = 9
BEYOND_ALL_LINES = 10**_LONGEST_NUMBER


def _no_file_is_known(_path: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class FileReference:
    """Lines of a file as somebody wrote them, at a place in a text.

    They may be impossible: `a.py:0`, or a last line before the first. Such a reference is found, too, so that whoever
    checks it can say so.
    """

    written: str
    path: str
    first: int
    last: int
    start: int
    end: int

    @property
    def is_possible(self) -> bool:
        return 1 <= self.first <= self.last


def find_references(text: str, is_file: Callable[[str], bool] = _no_file_is_known) -> tuple[FileReference, ...]:
    """All references of a text, in order; `is_file` tells of names without slash and extension, like `Makefile:3`."""
    return tuple(_references(text, is_file))


def _references(text: str, is_file: Callable[[str], bool]) -> Iterator[FileReference]:
    position = 0
    # Most lines have none; only those with something like a line number are looked at closely.
    while candidate := _CANDIDATE.search(text, position):
        start = text.rfind("\n", position, candidate.start()) + 1
        end = text.find("\n", candidate.end())
        end = len(text) if end < 0 else end
        yield from _in_line(text, max(start, position), end, is_file)
        position = end


def _in_line(text: str, start: int, end: int, is_file: Callable[[str], bool]) -> Iterator[FileReference]:
    for token in _TOKEN.finditer(text, start, end):
        yield from _in_word(token, is_file) if token["name"] is None else _in_span(token, is_file)


def _in_span(span: re.Match[str], is_file: Callable[[str], bool]) -> Iterator[FileReference]:
    """What stands in backticks is one name, blanks and all, or several words of which one is a path."""
    name, start, end = span["name"], span.start("name"), span.end("name_lines")
    words = [found for word in _WORD.finditer(span.string, start, end) for found in _in_word(word, is_file)]
    is_more_than_a_word = _WHOLE_PATH.fullmatch(name) is None and name == name.strip()
    if is_more_than_a_word and (
        is_file(name) or (_LAST_EXTENSION.search(name) and not any(is_file(word.path) for word in words))
    ):
        yield _reference(span.string, start, span.end("name"), end)
    else:
        yield from words


def _in_word(word: re.Match[str], is_file: Callable[[str], bool]) -> Iterator[FileReference]:
    if word["lines"] is None:
        return
    start, path_end = word.span("path")
    start += _emphasis(word)
    if word.string.startswith("@", start) and not is_file(word.string[start:path_end]):
        start += 1
    if _counts(word.string[start:path_end], is_file):
        yield _reference(word.string, start, path_end, word.end("lines"))


def _emphasis(word: re.Match[str]) -> int:
    """How many underscores before the path belong to Markdown: as many as stand behind the lines."""
    path, text, end = word["path"], word.string, word.end()
    count = 0
    while path.startswith("_", count) and text.startswith("_", end + count):
        count += 1
    return count


def _counts(path: str, is_file: Callable[[str], bool]) -> bool:
    """Whether a path with lines behind it is meant as one: a time, a ratio or a host with its port is not."""
    if _DATE_OR_NUMBER.fullmatch(path):
        return False
    first, slash, _ = path.partition("/")
    name = path[path.rfind("/") + 1 :]
    is_host = "." in first and first[first.rfind(".") + 1 :].casefold() in _HOST_ENDINGS
    is_number = bool(name) and _DATE_OR_NUMBER.fullmatch(name) is not None
    looks_like_file = bool(slash) or (_EXTENSION.search(name) is not None and not name.endswith("."))
    return (looks_like_file and not is_host and not is_number) or is_file(path)


def _reference(text: str, start: int, path_end: int, end: int) -> FileReference:
    lines, _, _column = text[path_end + 1 : end].partition(":")
    first, last = _first_and_last(lines)
    return FileReference(text[start:end], text[start:path_end], first, last, start, end)


def _first_and_last(lines: str) -> tuple[int, int]:
    """Of several ranges the lines from the first to the last of all; one that is impossible makes the whole so."""
    ranges = [(_number(found[1]), _number(found[2] or found[1])) for found in _NUMBERS.finditer(lines)]
    impossible = next(((first, last) for first, last in ranges if not 1 <= first <= last), None)
    return impossible or (min(first for first, _ in ranges), max(last for _, last in ranges))


def _number(digits: str) -> int:
    digits = digits.lstrip("0")
    return int(digits or "0") if len(digits) <= _LONGEST_NUMBER else BEYOND_ALL_LINES
