"""ripgrep's regular expressions for Python's `re`: translated, refused, and their certain literal."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass

from code_assistant.errors import WorkspaceError

TOKEN = re.compile(
    r"""
      (?P<code>\\[xuU]\{[0-9A-Fa-f]{1,6}\}|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})
    | (?P<escape>\\.)
    | (?P<set>\[\^?\]?(?:\[:\^?[a-z]+:\]|\\.|[^\]\\])*\])
    | (?P<named>\(\?<(?![=!]))
    | (?P<plain_group>\(\?:|\(\?P<)
    | (?P<look>\(\?<?[=!])
    | (?P<flags>\(\?[a-zA-Z]*-?[a-zA-Z]*[:)])
    | (?P<unknown>\(\?)
    | (?P<open>\()
    | (?P<close>\))
    | (?P<repeat>[*+?]|\{\d*,?\d*\})
    | (?P<special>[.^$|])
    | (?P<literal>.)
    """,
    re.VERBOSE | re.DOTALL,
)
POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
# Nothing may match a newline: a match would run on through all of the file, and take its time for it.
ESCAPES = {
    r"\s": r"[^\S\n]",
    r"\W": r"[^\w\n]",
    r"\D": r"[^\d\n]",
    # As with ripgrep, every line is a text of its own.
    r"\A": "^",
    r"\z": "$",
    r"\<": r"\b(?=\w)",
    r"\>": r"\b(?<=\w)",
}
SET_OPERATORS = re.compile(r"&&|--|~~|(?<!\\)\[(?!:)")
LONGEST_QUICK_LINE = 1000
# How often Python's engine may look at a character of such lines: enough for one endless repetition and a bit more.
MAXIMUM_QUICK_STEPS = 4 * LONGEST_QUICK_LINE


@dataclass(frozen=True, slots=True)
class TranslatedPattern:
    """`literal` is in every line that matches; empty when none is certain.

    `is_quick` promises a bounded time for each character of lines up to LONGEST_QUICK_LINE; others may take for ever.
    """

    regex: str
    literal: str
    is_quick: bool


def literal_pattern(text: str) -> TranslatedPattern:
    return TranslatedPattern(re.escape(text), text, is_quick=True)


def translated(pattern: str) -> TranslatedPattern:
    """Raises WorkspaceError for what ripgrep understands and `re` does not, and the other way round."""
    translation = _Translation(pattern)
    for token in TOKEN.finditer(pattern):
        translation.add(token)
    regex = "".join(translation.parts)
    try:
        re.compile(regex)
    except (re.error, OverflowError, RecursionError) as error:
        raise WorkspaceError(f"{pattern!r} is not a regular expression: {error}.") from error
    return TranslatedPattern(regex, translation.longest_literal(), translation.is_quick)


def _unsupported(pattern: str, what: str) -> WorkspaceError:
    return WorkspaceError(f"{pattern!r} cannot be searched for: {what}.")


class _Translation:
    """A pattern being read token by token."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.parts: list[str] = []
        self._literals: list[str] = [""]
        self._literal_is_certain = True
        self._steps = _Steps()

    def add(self, token: re.Match[str]) -> None:
        kind, text = token.lastgroup or "literal", token[0]
        self.parts.append(self._translate(kind, text))
        self._follow_literals(kind, text)
        self._steps.add(kind, text)

    @property
    def is_quick(self) -> bool:
        return self._steps.are_few

    def longest_literal(self) -> str:
        return max(self._literals, key=len) if self._literal_is_certain else ""

    def _translate(self, kind: str, text: str) -> str:
        if kind == "look":
            raise _unsupported(self.pattern, "look-around is not supported")
        if kind == "flags" and "u" in text:
            raise _unsupported(self.pattern, "the flag u needs ripgrep, which is not installed")
        if kind == "unknown":
            raise _unsupported(self.pattern, "it holds an unknown kind of group")
        if kind == "named":
            return "(?P<"
        if text == ".":
            return r"[^\n]"
        if kind == "code":
            return re.escape(self._character(text))
        if kind == "set":
            return self._translate_set(text)
        if kind == "escape":
            if text[1] in "pP":
                raise _unsupported(self.pattern, "Unicode classes need ripgrep, which is not installed")
            if text[1] in "123456789":
                raise _unsupported(self.pattern, "backreferences are not supported")
            if text[1] in "NZ":
                raise _unsupported(self.pattern, f"{text} has no meaning")
            if text in (r"\n", r"\r"):
                raise _unsupported(self.pattern, "it is searched line by line, and no line holds its own end")
            return ESCAPES.get(text, text)
        return text

    def _character(self, code: str) -> str:
        number = int(code[2:].strip("{}"), 16)
        if number > sys.maxunicode or chr(number) in "\r\n":
            raise _unsupported(self.pattern, f"{code} is no character that a line can hold")
        return chr(number)

    def _translate_set(self, text: str) -> str:
        without_posix = re.sub(r"\[:[a-z]+:\]", "", text[1:-1])
        unknown = set(re.findall(r"\[:([a-z]+):\]", text)) - POSIX.keys()
        if SET_OPERATORS.search(without_posix) or "[:^" in text or unknown:
            raise _unsupported(self.pattern, "sets within sets need ripgrep, which is not installed")
        translated_set = re.sub(r"\[:([a-z]+):\]", lambda found: POSIX[found[1]], text)
        translated_set = translated_set.replace("||", "|")
        if translated_set.startswith("[^"):
            return rf"[^\n{translated_set[2:]}" if translated_set[2] != "]" else rf"[^\n\{translated_set[2:]}"
        return rf"(?!\n){translated_set}" if "\\" in translated_set else translated_set

    def _follow_literals(self, kind: str, text: str) -> None:
        if kind == "flags" or (text == "|" and self._steps.depth == 0):
            self._literal_is_certain = False
        if self._steps.depth > 0:
            return
        if kind == "literal":
            self._literals[-1] += text
        elif kind == "code":
            self._literals[-1] += self._character(text)
        elif kind == "escape" and not text[1].isalnum() and text not in ESCAPES:
            self._literals[-1] += text[1]
        elif kind == "repeat":
            # What repeats may be missing, unless it must be there at least once.
            if text != "+":
                self._literals[-1] = self._literals[-1][:-1]
            self._literals.append("")
        else:
            self._literals.append("")


@dataclass(slots=True)
class _Alternatives:
    """A group being read: the ways to match its finished alternatives, and those of the one being read."""

    finished: int = 0
    current: int = 1

    @property
    def all(self) -> int:
        return self.finished + self.current


class _Steps:
    """How many ways there are to match a pattern at one place; Python's engine may try all of them."""

    def __init__(self) -> None:
        # The pattern itself is the first group.
        self._groups = [_Alternatives()]
        self._follows_group = False
        self._is_unclear = False

    @property
    def depth(self) -> int:
        return len(self._groups) - 1

    @property
    def are_few(self) -> bool:
        return not self._is_unclear and self._groups[0].all <= MAXIMUM_QUICK_STEPS

    def add(self, kind: str, text: str) -> None:
        if kind == "flags" and "x" in text:
            # Blanks mean nothing then, and a repetition may stand far from what it repeats.
            self._is_unclear = True
        if kind == "repeat":
            self._repeat(text)
        self._follows_group = kind == "close"
        if kind in ("open", "plain_group", "named") or (kind == "flags" and text.endswith(":")):
            self._groups.append(_Alternatives())
        elif kind == "close" and self.depth > 0:
            ways = self._groups.pop().all
            self._groups[-1].current *= ways
        elif text == "|" and kind == "special":
            self._groups[-1].finished += self._groups[-1].current
            self._groups[-1].current = 1

    def _repeat(self, text: str) -> None:
        if self._follows_group and text != "?":
            # The ways to match the group, to the power of its repetitions.
            self._is_unclear = True
        self._groups[-1].current *= _most_repetitions(text)


def _most_repetitions(repeat: str) -> int:
    if repeat in ("*", "+") or repeat.endswith(",}"):
        return LONGEST_QUICK_LINE
    most = repeat.strip("{}").rpartition(",")[2]
    # A missing part is a way of its own.
    return int(most) + 1 if most.isdecimal() else 2
