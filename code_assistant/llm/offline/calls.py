"""The tool calls that plans make, in the words of the tools' inputs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from code_assistant.llm.offline.steps import Call

COUNTED_FILES = 1000
ALL_FILES = "**/*"
EVERY_LINE = "^"


def list_folder(path: str, depth: int = 1) -> Call:
    return Call("list_files", {"path": path, "depth": depth})


def find_files(pattern: str, path: str = ".") -> Call:
    return Call("glob_files", {"pattern": pattern, "path": path})


def read(paths: Sequence[str]) -> Call:
    return Call("read_files", {"paths": list(paths)})


def search(
    pattern: str, path: str = ".", *, limit: int = 200, ignore_case: bool = False, only: str | None = None
) -> Call:
    """`only` is the pattern of the files to search in."""
    among = {"glob": only} if only is not None else {}
    return Call("search_files", {"pattern": pattern, "path": path, "limit": limit, "ignore_case": ignore_case, **among})


def count_matches(pattern: str, path: str = ".", *, ignore_case: bool = False, offset: int = 0) -> Call:
    """Of so many files at once; those behind them by an offset."""
    skipped = {"offset": offset} if offset else {}
    return Call(
        "search_files",
        {
            "pattern": pattern,
            "path": path,
            "mode": "counts",
            "limit": COUNTED_FILES,
            "ignore_case": ignore_case,
            **skipped,
        },
    )


def count_lines(path: str = ".", *, offset: int = 0) -> Call:
    """How many lines each text file has."""
    return count_matches(EVERY_LINE, path, offset=offset)


def run(command: str) -> Call:
    return Call("execute_command", {"command": command, "timeout_s": 30})


def whole_word(name: str) -> str:
    """The pattern of a name that is not a part of a longer one."""
    before = r"\b" if re.match(r"\w", name) else ""
    behind = r"\b" if re.search(r"\w\Z", name) else ""
    return f"{before}{literal(name)}{behind}"


def word_start(word: str) -> str:
    """The pattern of a word at the beginning of a word or of a part of one, as in `my_word` and `myWord`."""
    if not re.match(r"[A-Za-z]", word):
        return literal(word)
    return f"(?:^|[^A-Za-z]){_anyhow(word)}|[a-z]{_capitalized(word)}"


def whole_part(word: str) -> str:
    """The pattern of a word, or of several such, that is a whole word or a whole part of one, as in `my_word`."""
    if not re.match(r"[A-Za-z]", word):
        return literal(word)
    return f"(?:(?:^|[^A-Za-z]){_anyhow(word)}|[a-z]{_capitalized(word)})s?(?:[^a-z]|$)"


def _anyhow(word: str) -> str:
    """In small or large letters."""
    return "".join(
        f"[{each.upper()}{each.lower()}]" if each.isascii() and each.isalpha() else literal(each) for each in word
    )


def _capitalized(word: str) -> str:
    return literal(word[0].upper() + word[1:])


def literal(text: str) -> str:
    """A text as a pattern that every engine reads alike."""
    return re.sub(r"[\\.+*?()|\[\]{}^$]", r"\\\g<0>", text)
