"""The event parser: any chunking, every line end, bounded memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from code_assistant.errors import StreamBroken
from code_assistant.llm.sse import EventParser


def parse(*chunks: bytes) -> list[bytes]:
    parser = EventParser()
    return [event for chunk in chunks for event in parser.feed(chunk)]


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_the_parts_of_an_event(newline: bytes) -> None:
    stream = b"\n".join([b": comment", b"id: 7", b"event: note", b"data: one", b"data:two", b"data", b"", b""])
    assert parse(stream.replace(b"\n", newline)) == [b"one\ntwo\n"]


def test_an_event_without_data_or_without_an_end_is_none() -> None:
    assert parse(b"event: ping\n\ndata: unfinished\n") == []


def test_cr_and_lf_in_different_chunks_are_one_line_end() -> None:
    assert parse(b"data: a\r", b"\ndata: b\r", b"\n\r", b"\n") == [b"a\nb"]


@given(st.lists(st.text(alphabet="ab:é \u2028", max_size=6), max_size=5), st.data())
def test_chunking_changes_nothing(lines: list[str], data: st.DataObject) -> None:
    newline = data.draw(st.sampled_from([b"\n", b"\r\n", b"\r"]))
    stream = b"".join(b"event: e" + newline + b"data: " + line.encode() + newline * 2 for line in lines)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=10)))
    chunks = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert parse(*chunks) == [line.encode() for line in lines]


def test_safe_r7_an_endless_line_is_refused() -> None:
    parser = EventParser(max_event_bytes=1000)
    with pytest.raises(StreamBroken, match="larger than 1,000 bytes"):
        for _ in range(100):
            parser.feed(b"data: " + b"x" * 50)


def test_safe_r7_an_event_of_endless_lines_is_refused() -> None:
    parser = EventParser(max_event_bytes=1000)
    with pytest.raises(StreamBroken):
        for _ in range(100):
            parser.feed(b"data: " + b"x" * 50 + b"\n")
