"""Random edits with pastes: nothing is lost or changed but by deleting it."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from textual.widgets.text_area import Selection

from code_assistant.tui.composer.composer import Composer
from tests.tui.composer.host import Host, paste

BIG = ["line\n" * 20, "x" * 1200, "y\x1b" * 600, "\U0010e001 private", "[Pasted text #1 · 20 lines]\n" * 12]
SMALL = [
    "a b",
    "\x1b[31m",
    "two\nlines",
    "[Pasted text #1 · 20 lines]",
    "é\u202e",
    "tab\tx",
    "\x0c\u2028",
    "👩\u200d💻",
]
MOVES = ["left", "right", "up_line", "home", "end", "ctrl+left", "ctrl+right", "shift+left", "shift+right", "f7"]
DELETES = ["backspace", "delete", "ctrl+w", "ctrl+u", "ctrl+k", "alt+delete"]
TURNS = ["ctrl+underscore", "ctrl+y"]

steps = st.one_of(
    st.tuples(st.just("type"), st.sampled_from("xyz ")),
    st.tuples(st.just("line"), st.just("ctrl+j")),
    st.tuples(st.just("paste"), st.sampled_from(BIG + SMALL)),
    st.tuples(st.just("delete"), st.sampled_from(DELETES)),
    st.tuples(st.just("move"), st.sampled_from(MOVES)),
    st.tuples(st.just("turn"), st.sampled_from(TURNS)),
    st.tuples(
        st.just("select"), st.tuples(st.integers(0, 6), st.integers(0, 60), st.integers(0, 6), st.integers(0, 60))
    ),
)


def parts_around_selection(composer: Composer) -> tuple[str, str]:
    start, end = sorted(composer.selection)
    before = composer.folds.opened(composer.get_text_range((0, 0), start)).text
    after = composer.folds.opened(composer.get_text_range(end, composer.document.end)).text
    return before, after


def check_cursor(composer: Composer) -> None:
    for row, column in composer.selection:
        assert not any(span.start < column < span.end for span in composer.folds.spans(composer.document[row]))


@settings(max_examples=6, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(steps, min_size=8, max_size=25))
def test_nothing_is_lost_or_changed_but_by_deleting(todo: list[tuple[str, object]]) -> None:
    asyncio.run(_edit(todo))


@pytest.mark.soak
@pytest.mark.timeout(3600)
@settings(max_examples=1_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(steps, min_size=1, max_size=25))
def test_soak_nothing_is_lost_or_changed_but_by_deleting(todo: list[tuple[str, object]]) -> None:
    asyncio.run(_edit(todo))


async def _edit(todo: list[tuple[str, object]]) -> None:
    app = Host()
    async with app.run_test(size=(50, 20)) as pilot:
        composer = app.composer
        seen = {""}
        for kind, what in todo:
            whole = composer.draft().text
            before, after = parts_around_selection(composer)
            contents = {whole[span.start : span.end] for span in composer.draft().folds}
            match kind:
                case "type" | "line":
                    await pilot.press("space" if what == " " else str(what))
                    assert composer.draft().text == before + ("\n" if kind == "line" else str(what)) + after
                case "paste":
                    await paste(pilot, str(what))
                    assert composer.draft().text == before + str(what) + after
                case "delete":
                    await pilot.press(str(what))
                    left = composer.draft()
                    start = common_start(whole, left.text)
                    gone = len(whole) - len(left.text)
                    assert gone >= 0
                    assert any(whole[:cut] + whole[cut + gone :] == left.text for cut in range(start, -1, -1))
                    assert {left.text[span.start : span.end] for span in left.folds} <= contents
                case "move":
                    if what != "up_line":
                        await pilot.press(str(what))
                    assert composer.draft().text == whole
                case "turn":
                    await pilot.press(str(what))
                    assert composer.draft().text in seen
                case _:
                    row, column, other_row, other_column = what  # type: ignore[misc]
                    composer.selection = Selection((row, column), (other_row, other_column))
                    assert composer.draft().text == whole
            seen.add(composer.draft().text)
            check_cursor(composer)
        expected = composer.draft()
        await pilot.press("escape")
        composer.action_send()
        await pilot.pause()
        assert app.sent == ([] if expected.is_blank or expected.text.endswith("\\") else [expected])


def common_start(one: str, other: str) -> int:
    length = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        length += 1
    return length
