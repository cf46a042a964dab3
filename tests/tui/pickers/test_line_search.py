"""Searching in very many lines: plain text, aside, and what was typed last counts."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import pytest
from textual.events import Key

from code_assistant.tui.pickers import line_search
from code_assistant.tui.pickers.line_finder import LineFinder, places_of
from code_assistant.tui.pickers.line_search import LineSearch
from code_assistant.tui.pickers.picker_list import ListedRow
from tests.hang_guard import HANG_GUARD
from tests.tui.hostile import HOSTILE, is_safe
from tests.tui.pickers.host import Host, rows

LINES = ["def Compute(net):", "    return net * RATE", "Straße and  more", "net gain", "session d e f"]


async def found_by(queries: Sequence[str], lines: Sequence[str] = LINES) -> list[tuple[str, list[int]]]:
    """What is found when one query comes right after the other."""
    given: asyncio.Queue[tuple[str, list[int]]] = asyncio.Queue()
    finder = LineFinder(lines, lambda query, numbers: given.put_nowait((query, list(numbers))))
    for query in queries:
        finder.look(query)
    async with asyncio.timeout(HANG_GUARD):
        found = [await given.get()]
    assert not finder.is_looking
    return [*found, *(given.get_nowait() for _ in range(given.qsize()))]


@pytest.mark.parametrize(
    ("query", "numbers"),
    [("NET", [0, 1, 3]), ("def", [0]), ("strasse", [2]), ("and more", [2]), ("net  *", [1]), ("zz", []), ("e f", [4])],
)
async def test_what_is_found(query: str, numbers: list[int]) -> None:
    assert await found_by([query]) == [(query, numbers)]


async def test_the_latest_query_wins() -> None:
    assert await found_by(["d", "de", "r", "net"]) == [("net", [0, 1, 3])]


async def test_looking_is_done_in_a_thread_and_among_what_was_found_before(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    folded_line = LineFinder._folded_line  # pyright: ignore[reportPrivateUsage]

    def counting(self: LineFinder, number: int) -> str:
        assert threading.current_thread() is not threading.main_thread()
        looked.append(number)
        return folded_line(self, number)

    monkeypatch.setattr(LineFinder, "_folded_line", counting)
    lines = [f"line {number}" for number in range(5_000)]
    given: asyncio.Queue[int] = asyncio.Queue()
    finder = LineFinder(lines, lambda _, numbers: given.put_nowait(len(numbers)))
    for query, looks, count in (("line 49", 5_000, 111), ("line 499", 111, 11), ("line", 5_000, 5_000)):
        looked.clear()
        finder.look(query)
        async with asyncio.timeout(HANG_GUARD):
            assert await given.get() == count
        assert len(looked) == looks


def test_where_it_was_found() -> None:
    assert places_of("ss", "Straße ss") == [4, 4, 7, 8]
    assert places_of("a", "banana") == [1, 3, 5]
    assert places_of("", "x") == []


async def test_only_rows_in_sight_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def counting(title: str, *others: object) -> ListedRow:
        made.append(title)
        return ListedRow(title, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(line_search, "ListedRow", counting)
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        search = LineSearch("Search", [f"line {number}" for number in range(20_000)])
        app.open(search)
        await pilot.pause()
        await pilot.press("l", "i", "n", "e", "space", "1", "9", "9", "9", "9")
        async with asyncio.timeout(HANG_GUARD):
            while len(search.found) != 1:
                await pilot.pause(0.01)
        await pilot.press("backspace", "end", "ctrl+u", "end", "home")
        await pilot.pause()
        assert len(search.found) == 20_000
        assert len(set(made)) < 200


@pytest.mark.parametrize(
    ("keys", "given"),
    [
        ("enter", "0"),
        ("end enter", "4"),
        ("n e t enter", "0"),
        ("n e t down enter", "1"),
        ("g a i n backspace backspace backspace backspace enter", "3"),
        ("z z enter backspace backspace down enter", "1"),
        ("z z escape", None),
    ],
)
async def test_keys(keys: str, given: str | None) -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(search := LineSearch("Search", LINES))
        await pilot.pause()
        for key in keys.split():
            await pilot.press(key)
            async with asyncio.timeout(HANG_GUARD):
                while search._finder.is_looking:  # pyright: ignore[reportPrivateUsage]
                    await pilot.pause(0.001)
        await pilot.pause()
        assert app.given == given


async def test_enter_picks_of_what_was_typed_before_it_although_it_was_not_found_yet() -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(LineSearch("Search", LINES))
        await pilot.pause()
        for event in (Key("g", "g"), Key("a", "a"), Key("enter", "\r")):
            app.post_message(event)
        async with asyncio.timeout(HANG_GUARD):
            while app.given != "3":
                await pilot.pause(0.01)


async def test_hostile_lines_are_harmless() -> None:
    app = Host()
    async with app.run_test(size=(60, 30)) as pilot:
        app.open(search := LineSearch("Search", HOSTILE))
        await pilot.pause()
        assert all(map(is_safe, rows(app)))
        await pilot.press("e")
        async with asyncio.timeout(HANG_GUARD):
            while len(search.found) == len(HOSTILE):
                await pilot.pause(0.01)
        await pilot.pause()
        assert all(map(is_safe, rows(app)))
