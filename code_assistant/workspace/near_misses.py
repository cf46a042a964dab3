"""Why a text was not found: what it would match if white space, letter case or Unicode forms did not count."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import accumulate

from code_assistant.workspace.encodings import DAMAGED_UTF_8
from code_assistant.workspace.file_text import STAND_IN, FileText

# Looking for a reason is a help that must not take long.
MAXIMUM_BYTES = 8 << 20
NUMBERED = re.compile(r"\s*\d+\t")
READ_AGAIN = "Read the place again and copy the text exactly."


def near_miss(text: FileText, old: str) -> str:
    """A sentence or two that say what to do."""
    if not text.body:
        return "The file is empty; use write_file to fill it."
    lines = [line for line in old.split("\n") if line]
    if lines and all(map(NUMBERED.match, lines)):
        return "It begins with line numbers as read_files shows them; leave out the numbers and the tabs after them."
    if text.decoding is DAMAGED_UTF_8 and STAND_IN in old:
        return f"{STAND_IN} only stands for bytes that are no text; choose a text without it."
    if len(text.body) > MAXIMUM_BYTES:
        return READ_AGAIN
    whole, old = text.shown(text.body).replace("\r\n", "\n"), old.replace("\r\n", "\n")
    for difference, line_of in WAYS.items():
        line = line_of(whole, old)
        if line is not None:
            return f"With {difference} it would match at line {line}. {READ_AGAIN}"
    return READ_AGAIN


def _ignoring_case(whole: str, old: str) -> int | None:
    return _line_in(whole.casefold(), old.casefold())


def _ignoring_forms(whole: str, old: str) -> int | None:
    from unicodedata import normalize

    return _line_in(normalize("NFC", whole), normalize("NFC", old))


def _ignoring_space(whole: str, old: str) -> int | None:
    """Looked for without any white space at all; the lines are found again by their lengths."""
    wanted = "".join(old.split())
    lines = ["".join(line.split()) for line in whole.split("\n")]
    position = "".join(lines).find(wanted) if wanted else -1
    if position < 0:
        return None
    ends = accumulate(map(len, lines))
    return next(number for number, end in enumerate(ends, 1) if end > position)


def _line_in(whole: str, old: str) -> int | None:
    position = whole.find(old)
    return None if position < 0 else whole.count("\n", 0, position) + 1


WAYS: dict[str, Callable[[str, str], int | None]] = {
    "other letter case": _ignoring_case,
    "another Unicode form (composed or decomposed characters)": _ignoring_forms,
    "other white space": _ignoring_space,
}
