"""Output for people who watch: pieces come seldom, are small, whole characters, and what is left out is counted."""

from __future__ import annotations

import asyncio
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from code_assistant.workspace.commands import live_output
from code_assistant.workspace.commands.live_output import MAXIMUM_BYTES, LiveOutput

LEFT_OUT = re.compile(r"\A\n\[… ([\d,]+) characters left out …\]\n")


def shown(pieces: list[str]) -> list[str]:
    """What is shown of pieces that come between two showings."""

    async def show() -> list[str]:
        texts: list[str] = []
        live = LiveOutput(texts.append)
        for piece in pieces:
            live.add(piece)
        assert texts == []
        live.finish()
        live.finish()
        return texts

    return asyncio.run(show())


TEXT = st.characters(exclude_categories=["Cs"], exclude_characters="[")


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.lists(st.tuples(st.text(TEXT, max_size=20), st.integers(1, 400)), min_size=1, max_size=8))
def test_safe_o3_pieces_are_joined_bounded_and_counted(pieces: list[tuple[str, int]]) -> None:
    texts = [text * times for text, times in pieces]
    whole = "".join(texts)
    (seen,) = shown(texts)
    assert len(seen.encode()) <= MAXIMUM_BYTES
    match = LEFT_OUT.match(seen)
    if match is None:
        assert seen == whole
        return
    rest = seen[match.end() :]
    assert whole.endswith(rest)
    assert int(match[1].replace(",", "")) == len(whole) - len(rest)
    # As much as fits, but for the line and for a character that would have been cut.
    assert len(rest.encode()) > MAXIMUM_BYTES - 110


def test_what_is_shown_once_is_not_shown_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_output, "SECONDS_BETWEEN", 0)

    async def show() -> list[str]:
        texts: list[str] = []
        came = asyncio.Event()

        def take(text: str) -> None:
            texts.append(text)
            came.set()

        live = LiveOutput(take)
        for word in ("one", "two"):
            live.add(word)
            await asyncio.wait_for(came.wait(), 60)
            came.clear()
        live.finish()
        live.add("three")
        live.finish()
        return texts

    assert asyncio.run(show()) == ["one", "two", "three"]
