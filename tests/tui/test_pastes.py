"""Nothing inside a paste presses a key, however the bytes arrive."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from textual.events import Key, Paste
from textual.message import Message

from code_assistant.tui.pastes import BEGIN, END, SafeParser
from tests.rows import each_row

TEXTS = (
    "plain",
    "",
    "\x1b\r",
    "!touch evil\x1b]0;\rmore\x04\x03",
    "\x1b[2J\x1b]52;c;aGk=\x07\x1b\x1b[20\x1b[201",
    "a\x1b",
    "\x1b[200~twice",
    "\x1b[A\x1b[<0;1;1M\x1b[27u\x1b[I",
    "漢字\x9b31m",
)


def parsed(sent: str, *cuts: int) -> list[Message]:
    parser = SafeParser()
    places = [0, *sorted(cuts), len(sent)]
    return [each for start, end in pairwise(places) if sent[start:end] for each in parser.feed(sent[start:end])]


@each_row("text", TEXTS)
def test_a_paste_is_one_paste(text: str) -> None:
    messages = parsed(f"x{BEGIN}{text}{END}yz")
    keys = [each.character for each in messages if isinstance(each, Key)]
    assert keys == ["x", "y", "z"]
    assert [each.text for each in messages if isinstance(each, Paste)] == [text]


def test_wherever_the_bytes_are_cut() -> None:
    random = Random(3)
    sent = "".join(f"k{BEGIN}{text}{END}" for text in TEXTS if text) + "k"
    for _ in range(300):
        messages = parsed(sent, *(random.randrange(1, len(sent)) for _ in range(random.randint(0, 12))))
        assert [each.text for each in messages if isinstance(each, Paste)] == [text for text in TEXTS if text]
        assert {each.character for each in messages if isinstance(each, Key)} == {"k"}


def test_keys_outside_of_pastes_are_as_before() -> None:
    messages = parsed("a\x1b[A\x1b[27u\x1b[20~\x1b[Z", 2, 5)
    assert [each.key for each in messages if isinstance(each, Key)] == ["a", "up", "escape", "f9", "shift+tab"]
