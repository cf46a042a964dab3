"""Words of bash taken apart by its own rules of quoting: what a program would be given, as far as that is certain."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from code_assistant.permissions.shell.analysis import Word

METACHARACTERS = " \t\n|&;()<>"
GLOB_CHARACTERS = "*?["
_ESCAPED_IN_QUOTES = '$`"\\'
# What follows a dollar that stands for itself.
_AFTER_LITERAL_DOLLAR = METACHARACTERS.replace("(", "")
_ORDINARY = re.compile(r"[A-Za-z0-9_./,@%+^\-\]}!#]+")
_PLAIN_IN_QUOTES = re.compile(r'[^$`"\\]+')
# Neither a brace nor what counts between braces.
_QUOTED = "'"
# Some systems take these for blanks wherever they occur in a character's bytes.
_BYTES_TAKEN_FOR_BLANKS = frozenset({0x85, 0xA0})


class NotPlain(Exception):
    """A command is more than a list of literal words; says why, in words that go on after "asked because"."""


@dataclass(slots=True)
class Scan:
    """A word while it is read. In `pattern` everything that only looks like a glob has a backslash before it.

    `bare` is what stands outside of quotes, with a mark wherever something is quoted: braces count only there.
    """

    text: str
    end: int
    value: list[str] = field(default_factory=list[str])
    pattern: list[str] = field(default_factory=list[str])
    bare: list[str] = field(default_factory=list[str])
    has_glob: bool = False
    has_tilde: bool = False
    has_braces: bool = False

    def take(self, piece: str, *, quoted: bool) -> None:
        self.value.append(piece)
        self.pattern.append(_escaped(piece) if quoted else piece)
        self.bare.append(_QUOTED if quoted else piece)

    @property
    def is_literal(self) -> bool:
        return not (self.has_glob or self.has_tilde or self.has_braces)

    def word(self, start: int) -> Word:
        text = self.text[start : self.end]
        return Word(text, "".join(self.value) if self.is_literal or text == "[" else None, start)


def scan_word(text: str, start: int = 0) -> Scan:
    """Reads one word from `start` on. Whatever bash would have to work out first is refused."""
    scan = Scan(text, start)
    size = len(text)
    while scan.end < size and (character := text[scan.end]) not in METACHARACTERS:
        if ordinary := _ORDINARY.match(text, scan.end):
            scan.take(ordinary.group(), quoted=False)
            scan.end = ordinary.end()
        elif character == "'":
            _single_quotes(scan)
        elif character == '"':
            _double_quotes(scan)
        elif character == "\\":
            _backslash(scan)
        else:
            _unquoted(scan, character, is_first=scan.end == start)
            scan.end += 1
    scan.has_braces = _may_expand_braces("".join(scan.bare))
    return scan


def pattern_of(text: str) -> Scan | None:
    """The one word that `text` is, with its glob; None where there is more to it than that."""
    try:
        scan = scan_word(text)
    except NotPlain:
        return None
    return scan if scan.end == len(text) and not (scan.has_tilde or scan.has_braces) else None


def _single_quotes(scan: Scan) -> None:
    close = scan.text.find("'", scan.end + 1)
    if close < 0:
        raise NotPlain("a quote in it is not closed")
    scan.take(scan.text[scan.end + 1 : close], quoted=True)
    scan.end = close + 1


def _double_quotes(scan: Scan) -> None:
    text = scan.text
    scan.end += 1
    scan.take("", quoted=True)
    while scan.end < len(text):
        if plain := _PLAIN_IN_QUOTES.match(text, scan.end):
            scan.take(plain.group(), quoted=True)
            scan.end = plain.end()
            continue
        character, following = text[scan.end], text[scan.end + 1 : scan.end + 2]
        if character == '"':
            scan.end += 1
            return
        if character == "`":
            raise NotPlain("it holds a substitution")
        if character == "$":
            if following != '"':
                raise NotPlain("it holds a variable or a substitution")
            scan.take("$", quoted=True)
            scan.end += 1
        elif following == "\n":
            scan.end += 2
        else:
            scan.take(following if following and following in _ESCAPED_IN_QUOTES else "\\" + following, quoted=True)
            scan.end += 2
    raise NotPlain("a quote in it is not closed")


def _backslash(scan: Scan) -> None:
    following = scan.text[scan.end + 1 : scan.end + 2]
    if not following:
        raise NotPlain("it ends in a backslash")
    if following == "\n":
        raise NotPlain("a word in it goes on in the next line")
    scan.take(following, quoted=True)
    scan.end += 2


def _unquoted(scan: Scan, character: str, *, is_first: bool) -> None:
    if character == "`":
        raise NotPlain("it holds a substitution")
    if character == "$":
        following = scan.text[scan.end + 1 : scan.end + 2]
        if following and following not in _AFTER_LITERAL_DOLLAR:
            raise NotPlain("it holds a variable or a substitution")
    elif character in GLOB_CHARACTERS:
        scan.has_glob = True
    elif character == "~":
        scan.has_tilde |= is_first or scan.text[scan.end - 1] in "=:"
    elif not _BYTES_TAKEN_FOR_BLANKS.isdisjoint(character.encode(errors="replace")):
        raise NotPlain("it holds a character outside of quotes that some shells take for a blank")
    scan.take(character, quoted=False)


def _may_expand_braces(word: str) -> bool:
    inside = word.partition("{")[2]
    return "," in inside or ".." in inside


def _escaped(piece: str) -> str:
    return re.sub(r"[*?\[\\]", r"\\\g<0>", piece)
