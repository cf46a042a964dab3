"""The strict reader itself: what it lets through and what it finds."""

from __future__ import annotations

from tests.e2e.screen.terminal_bytes import copies_in, modes_after, unsafe
from tests.rows import each_row

ALLOWED = (
    "plain text, 漢字 and 👩\r\n",
    "\x1b[1;38;2;1;2;3mbold\x1b[0m\x1b[12;40H",
    "\x1b[?1049h\x1b[?2026$p\x1b[>25u\x1b[<u\x1b[?25l",
    "\x1b]2;● code-assistant\x1b\\\x1b]2;\x1b\\",
    "\x1b]52;c;aGVsbG8=\x07\x07",
)
REFUSED = (
    "\x1b",
    "\x1b[2J",
    "\x1b[31",
    "\x1b[?1002h",
    "\x1b]52;c;!\x07",
    "\x1b]52;c;aGk\x07",
    "\x1b]52;p;aGk=\x07",
    "\x1b]8;;http://x\x1b\\",
    "\x1b]0;x\x07",
    "\x1b]2;another title\x1b\\",
    "\x1bP1$tq\x1b\\",
    "\x1bc",
    "\x08",
    "\r",
    "\r\r\n",
    "\x7f",
    "\x9b31m",
    "\x85",
    "\u202e",
    "\u2066",
    "\u200b",
    "\ufeff",
    "\U000e0041",
)


@each_row("text", ALLOWED)
def test_what_textual_writes_is_allowed(text: str) -> None:
    assert unsafe(text.encode()) == []


@each_row("text", REFUSED)
def test_everything_else_is_found(text: str) -> None:
    assert unsafe(f"a\x1b[0m{text}b".encode()) != []


def test_modes_and_copies() -> None:
    assert not modes_after("\x1b[?7h\x1b[?25h\x1b[?1049h").is_restored
    assert not modes_after("\x1b[?7h\x1b[?25h\x1b]2;x\x1b\\").is_restored
    assert modes_after("\x1b[?7l\x1b[?25l\x1b[>1u\x1b]2;x\x1b\\\x1b[?7h\x1b[?25h\x1b[<u\x1b]2;\x1b\\").is_restored
    assert copies_in(b"\x1b]52;c;aGVsbG8=\x07") == ["hello"]
