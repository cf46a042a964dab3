"""Glob patterns: braces, and the rules of .gitignore for everything else, as regular expressions.

`re` holds up the whole program while it tries, so what is made here must never try the same thing twice. What stands
between two stars is of fixed length, and its leftmost place is as good as any other: atomic groups hold on to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import NamedTuple

from code_assistant.errors import WorkspaceError

MAXIMUM_ALTERNATIVES = 100
# No path of Linux or macOS is longer.
MAXIMUM_PATTERN_CHARACTERS = 4096
BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")

TOKEN = re.compile(
    r"""(?P<plain> [^\\\[*?]+ ) | \\(?P<escaped> . ) | (?P<stars> \*+ ) | (?P<any> \? )
    | \[ (?P<negated> [!^]? ) (?P<members> (?> \]? (?: \[:[^\]]{0,20}:\] | \\. | [^\]\\] )* ) ) \]""",
    re.DOTALL | re.VERBOSE,
)
MEMBER = re.compile(r"\[:(?P<named>[^\]]{0,20}):\]|(?P<low>\\.|.)(?:-(?P<high>\\.|.))?", re.DOTALL)
NAMED_MEMBERS = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r"\ \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": r"\x21-\x7e",
    "lower": "a-z",
    "print": r"\x20-\x7e",
    "punct": r"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    "space": r"\ \t-\r",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
ANY_FOLDERS = "**"


class EntryRegex(NamedTuple):
    """A regular expression for one entry (folders end in a slash), not for what is below."""

    regex: str
    ignores: bool
    # Whether it is for the entry's name alone, which is much faster to try, or for its path.
    is_for_name: bool

    @property
    def regex_with_below(self) -> str:
        """For the path of the entry, or of whatever lies below it, always with a slash at its end."""
        folder = self.regex.removesuffix(r"\Z").removesuffix("?")
        return f"(?:.*/)?{folder}" if self.is_for_name else folder


class _NoPatternError(ValueError):
    """Says what is wrong with a pattern."""


def entry_regex(line: str) -> EntryRegex | None:
    """None for comments, blank lines and lines that cannot be understood."""
    text = _without_trailing_spaces(line)
    if text.startswith("#"):
        return None
    pattern = text.removeprefix("!")
    try:
        return _translated(pattern)._replace(ignores=pattern == text)
    except _NoPatternError:
        return None


def _without_trailing_spaces(line: str) -> str:
    text = line.rstrip(" ")
    backslashes = len(text) - len(text.rstrip("\\"))
    return f"{text} " if backslashes % 2 and text != line else text


def _translated(pattern: str) -> EntryRegex:
    if len(pattern) > MAXIMUM_PATTERN_CHARACTERS:
        raise _NoPatternError("it is too long")
    path = pattern.removesuffix("/")
    if not path:
        raise _NoPatternError("it names nothing")
    end = r"/?\Z" if path == pattern else r"/\Z"
    if "/" not in path:
        return EntryRegex(_segment_regex(_pieces(path)) + end, True, True)
    segments = _segments(_pieces(path.removeprefix("/")))
    if len(segments) == 2 and segments[0] == ANY_FOLDERS != segments[1]:
        return EntryRegex(segments[1] + end, True, True)
    return EntryRegex(_path_regex(segments, end), True, False)


def _pieces(pattern: str) -> list[str]:
    """The pattern as regular expressions, apart from slashes and stars, which stand alone as they are."""
    pieces: list[str] = []
    position = 0
    while position < len(pattern):
        token = TOKEN.match(pattern, position)
        if token is None:
            what = "a [ without its ]" if pattern[position] == "[" else "a backslash with nothing behind it"
            raise _NoPatternError(f"it has {what}")
        pieces += _pieces_of(token)
        position = token.end()
    return pieces


def _pieces_of(token: re.Match[str]) -> list[str]:
    match token.lastgroup:
        case "stars":
            # git takes more than two for two.
            return [token[0][:2]]
        case "any":
            return ["[^/]"]
        case "members":
            return [_class_regex(token["members"], is_negated=bool(token["negated"]))]
        case _:
            return [re.escape(part) for part in re.split("(/)", token["plain"] or token["escaped"]) if part]


def _class_regex(members: str, *, is_negated: bool) -> str:
    inside = "".join(map(_member_regex, MEMBER.finditer(members)))
    return f"[^/{inside}]" if is_negated else f"(?!/)[{inside}]"


def _member_regex(member: re.Match[str]) -> str:
    if member["low"] is None:
        if member["named"] not in NAMED_MEMBERS:
            raise _NoPatternError(f"it has {member[0]}, which is no class")
        return NAMED_MEMBERS[member["named"]]
    # Of an escaped character only the character counts.
    low, high = member["low"][-1], (member["high"] or member["low"])[-1]
    if low > high:
        raise _NoPatternError(f"the range {member[0]} runs backwards")
    return f"{re.escape(low)}-{re.escape(high)}"


def _segments(pieces: Sequence[str]) -> list[str]:
    """What stands between the slashes, as regular expressions, apart from `**`."""
    segments: list[list[str]] = [[]]
    for piece in pieces:
        if piece == "/":
            segments.append([])
        else:
            segments[-1].append(piece)
    return [ANY_FOLDERS if segment == [ANY_FOLDERS] else _segment_regex(segment) for segment in segments]


def _segment_regex(pieces: Sequence[str]) -> str:
    parts = [""]
    for piece in pieces:
        if piece.startswith("*"):
            parts.append("")
        else:
            parts[-1] += piece
    if len(parts) == 1:
        return parts[0]
    if not any(parts):
        # A folder's path ends in a slash; there is no name behind it.
        return "[^/]+"
    first, *middle, last = parts
    return first + "".join(f"(?>[^/]*?{part})" for part in middle) + f"[^/]*{last}"


def _path_regex(segments: Sequence[str], end: str) -> str:
    """Each run of segments between `**` at its leftmost place, only the last one at the end."""
    is_open = segments[-1] == ANY_FOLDERS
    runs = ["/".join(run) for is_any, run in groupby(segments, ANY_FOLDERS.__eq__) if not is_any]
    last = None if is_open else runs.pop()
    regex = ""
    for number, run in enumerate(runs):
        is_first = number == 0 and segments[0] != ANY_FOLDERS
        regex += f"{run}/" if is_first else f"(?>(?:[^/]+/)*?{run}/)"
    if last is None:
        return regex + f".+{end}"
    return regex + (f"(?:.*/)?{last}{end}" if ANY_FOLDERS in segments else f"{last}{end}")


def expand_braces(pattern: str) -> list[str]:
    """`*.{ts,tsx}` as `*.ts` and `*.tsx`; braces may be nested."""
    waiting, finished = [pattern], list[str]()
    while waiting:
        if len(waiting) + len(finished) > MAXIMUM_ALTERNATIVES:
            raise WorkspaceError(f"The pattern {pattern} has too many alternatives in braces.")
        candidate = waiting.pop()
        found = BRACES.search(candidate)
        if found is None:
            finished.append(candidate)
            continue
        before, after = candidate[: found.start()], candidate[found.end() :]
        waiting += [f"{before}{choice}{after}" for choice in reversed(found[1].split(","))]
    return finished


def glob_matcher(pattern: str) -> Callable[[str], bool]:
    """Whether a path, relative to where the glob counts from, matches. No slash: a name in any folder."""
    regexes = [_glob_regex(pattern, alternative) for alternative in expand_braces(pattern) if alternative.strip()]
    if not regexes:
        raise WorkspaceError(f"{pattern!r} is not a pattern for file names.")
    matches = re.compile("|".join(regexes), re.DOTALL).match
    return lambda path: matches(path) is not None


def _glob_regex(pattern: str, alternative: str) -> str:
    text = _without_trailing_spaces(alternative).removeprefix("./")
    try:
        translated = _translated(f"{text}**" if text.endswith("/") else text)
    except _NoPatternError as error:
        raise WorkspaceError(f"{pattern!r} is not a pattern for file names: {error}.") from error
    return f"(?:.*/)?{translated.regex}" if translated.is_for_name else translated.regex
