"""Words in all sessions: what is found, where, and how much is read for it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from code_assistant.events import MAIN, Display, Event, Notice, PromptFinished, Rewound, TextDelta
from code_assistant.secrets import Masker
from code_assistant.session import reader
from code_assistant.session.line_filter import LineFilter
from code_assistant.session.lines import event_line
from code_assistant.session.search import Found, search, snippet
from code_assistant.session.store import SessionStore
from tests.unit.exporting.long_session import long_past
from tests.unit.session.made import BEGUN, agent, call, prompt, result, said, spawned, store_in, write_session


def found(store: SessionStore, words: str, limit: int = 100) -> list[Found]:
    return [each for group in search(store.folder, words, str, limit) for each in group]


def where(store: SessionStore, words: str) -> list[tuple[str, str]]:
    return [(each.who, each.prompt_id) for each in found(store, words)]


@pytest.mark.parametrize(
    ("words", "places"),
    [
        ("SEND TWO", [("main", "p1")]),
        ("two send", [("main", "p1")]),
        ("send nowhere", []),
        ("then. agents,", [("main", "p1")]),
        ("5 lines", [("scout", "p1")]),
        ("digging", [("deep", "p1")]),
        ("service gone", [("deep", "p1")]),
        ("thoroughly", [("scout", "p1")]),
        ("nearly full", [("main", "p3")]),
        ("talked taxes", [("main", "p1")]),
        ("make test", [("main", "p3"), ("main", "p3")]),
        ("get lost", [("lost", "p1")]),
        ("dig deeper", [("deep", "p1")]),
        ("rewound", []),
        ("told inside", [("scout", "p1")]),
        ("", []),
    ],
)
def test_what_is_found(tmp_path: Path, words: str, places: list[tuple[str, str]]) -> None:
    store = store_in(tmp_path)
    long_past(store)
    assert where(store, words) == places


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Die GRÖSSE der Straße", "größe"),
        ("Die Größe", "GRÖßE die"),
        ("ΟΔΟΣ", "οδος"),
        ("Ωmega", "ωMEGA"),
        ("300\u212a", "300k"),
        ("\u0130zmir", "\u0130ZMIR"),
        ('say "hi" \\ there', '"HI" \\'),
        ("\U00010400 deseret", "\U00010428"),
        ("tab\there", "tab here"),
        ("日本語のテキスト", "本語"),
        ("an emoji 🎉", "🎉"),
    ],
)
def test_case_and_characters(tmp_path: Path, text: str, words: str) -> None:
    store = store_in(tmp_path)
    write_session(store, [prompt("go"), said(text)])
    is_there = all(word in text.lower() for word in words.lower().split())
    assert bool(found(store, words)) is is_there
    assert is_there or text.startswith("Die GRÖSSE")


@given(st.text(max_size=12), st.text(max_size=6))
@settings(max_examples=300, deadline=None)
def test_a_line_that_has_the_words_is_never_passed_over(text: str, more: str) -> None:
    words = tuple((text.swapcase() + " " + more).lower().split())
    line = event_line(said(f"{text} {more}"), BEGUN, MAIN, str)
    if all(word in f"{text} {more}".lower() for word in words):
        assert LineFilter(words).may_have(line)


def test_most_lines_are_passed_over_by_their_bytes() -> None:
    line = event_line(said("Grün ist die Heide"), BEGUN, MAIN, str)
    assert not LineFilter(("rot",)).may_have(line)
    assert not LineFilter(("blöd",)).may_have(line)
    assert LineFilter(("grün", "heide")).may_have(line)


def test_damage_costs_itself_only(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    scout = agent("scout", "c1")
    events: list[Event] = [prompt("go"), spawned(scout, "Look", "Look.")]
    session_id = write_session(store, events, [[events[1], said("treasure", scout)]])
    write_session(store, [prompt("treasure")])
    folder = store.read(session_id).folder
    with folder.main_file.open("ab") as file:
        file.write(b'{"type":"BlockAdded","treasure":\n\xff\xfe treasure\n')
        file.write(event_line(said("a treasure"), BEGUN, MAIN, str))
        file.write(b'{"type":"BlockAdded","at":1,"block":{"type":"Text","text":"torn treasure')
    assert sorted(each.snippet for each in found(store, "treasure")) == ["a treasure", "treasure", "treasure"]
    folder.agent_file("c1").write_bytes(b"no header\n")
    assert sorted(each.snippet for each in found(store, "treasure")) == ["a treasure", "treasure"]


def test_the_newest_come_first_and_there_is_an_end(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    ids = [write_session(store, [prompt(f"word {number}"), said("word")]) for number in range(4)]
    for number, session_id in enumerate(ids):
        os.utime(store.read(session_id).folder.main_file, (number, number))
    assert [each.session.id for each in found(store, "word", 5)] == [ids[3], ids[3], ids[2], ids[2], ids[1]]


def test_the_same_words_in_a_prompt_are_told_once(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    write_session(
        store,
        [
            prompt("go"),
            TextDelta(MAIN, "treasure"),
            said("treasure"),
            PromptFinished(MAIN, "p1", "completed", "treasure", 1, 1.0),
            prompt("again", "p2"),
            said("treasure"),
        ],
    )
    assert where(store, "treasure") == [("main", "p1"), ("main", "p2")]


def test_what_was_rewound_is_gone_with_its_agents(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    scout = agent("scout", "c1")
    events: list[Event] = [
        prompt("go", "p1"),
        Notice(MAIN, "info", "treasure one"),
        prompt("go", "p2"),
        Notice(MAIN, "info", "treasure two"),
        spawned(scout, "Look", "Look."),
        Rewound(MAIN, "p2"),
        Notice(MAIN, "info", "treasure three"),
    ]
    write_session(store, events, [[events[4], said("treasure", scout)]])
    assert [(each.snippet, each.prompt_id) for each in found(store, "treasure")] == [
        ("treasure one", "p1"),
        ("treasure three", "p1"),
    ]


def test_a_snippet_is_one_line_around_the_words() -> None:
    text = "before " * 50 + "the\n\ttreasure " + "after " * 50
    cut = snippet(text, ("treasure",))
    assert "the treasure after" in cut
    assert cut.startswith("…")
    assert cut.endswith("…")
    assert len(cut) < 130


def test_a_key_is_taken_out_before_the_text_is_cut(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    key = "sk-" + "0123456789" * 12
    write_session(store, [prompt(f"treasure {key}")])
    ((only,),) = search(store.folder, "treasure", Masker((key,)).mask)
    assert only.snippet == "treasure [key removed]"


def test_what_comes_before_a_rewinding_stays_found_with_its_agents(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    kept, gone = agent("kept", "c1"), agent("gone", "c2")
    events = [
        prompt("treasure one", "p1"),
        spawned(kept, "l", "look"),
        prompt("treasure two", "p2"),
        spawned(gone, "l", "look"),
        prompt("treasure three", "p3"),
        Rewound(MAIN, "p3"),
        Rewound(MAIN, "p2"),
        Rewound(MAIN, "p2"),
        said("treasure four"),
    ]
    write_session(store, events, [[said("treasure of kept", kept)], [said("treasure of gone", gone)]])
    assert [(each.snippet, each.prompt_id) for each in found(store, "treasure")] == [
        ("treasure one", "p1"),
        ("treasure four", "p1"),
        ("treasure of kept", "p1"),
    ]


class Counted:
    """All that is read of files of sessions."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.opens = self.bytes = 0
        real = reader.open_regular

        def opened(path: Path) -> BinaryIO:
            self.opens += 1
            return _CountingFile(real(path), self)  # type: ignore[return-value]

        monkeypatch.setattr(reader, "open_regular", opened)


class _CountingFile:
    def __init__(self, file: BinaryIO, counted: Counted) -> None:
        self._file, self._counted = file, counted

    def __enter__(self) -> _CountingFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[bytes]:
        for line in self._file:
            self._counted.bytes += len(line)
            yield line

    def seek(self, offset: int) -> int:
        return self._file.seek(offset)

    def readline(self) -> bytes:
        line = self._file.readline()
        self._counted.bytes += len(line)
        return line


def test_a_thousand_sessions_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = store_in(tmp_path)
    for number in range(1000):
        write_session(store, [prompt(f"session {number}"), said("some words"), call("c1", "read_files", "Read it")])
    store.list()
    size = sum(path.stat().st_size for path in store.folder.glob("*/session.jsonl"))
    counted = Counted(monkeypatch)
    assert [each.snippet for each in found(store, "session 777")] == ["session 777"]
    assert counted.opens == 2000
    assert counted.bytes == size


def test_who_looks_can_stop_after_any_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = store_in(tmp_path)
    for _ in range(20):
        write_session(store, [prompt("go"), result("c1", "x", Display("nothing"))])
    store.list()
    counted = Counted(monkeypatch)
    looking = search(store.folder, "treasure", str)
    assert next(looking) == ()
    looking.close()
    assert counted.opens == 2
