"""The line above: everything where there is room, the important where there is not."""

from __future__ import annotations

import math

import pytest

from code_assistant.permissions.modes import PERMISSION_MODES, PermissionMode
from code_assistant.tui.frame.spans import Span
from code_assistant.tui.frame.status_line import Status, status_spans
from tests.rows import each_row
from tests.tui.frame.states import cells_of, text_of, working_state
from tests.tui.hostile import HOSTILE, is_safe


def line(width: int, **changes: object) -> list[Span]:
    return status_spans(Status.of(working_state(**changes)), width)


def test_the_picture() -> None:
    text = text_of(line(88))
    assert text.startswith(" shop · main ±3 · claude-sonnet · ask ")
    assert text.endswith(" ctx 12% · $0.04 ")


@each_row("mode", PERMISSION_MODES)
def test_it_fits_every_width_and_always_says_the_mode(mode: PermissionMode) -> None:
    for width in range(20, 201):
        spans = line(width, mode=mode, model="claude-sonnet-4-5-20250929", folder="a-rather-long-folder")
        assert cells_of(spans) == width
        assert mode in text_of(spans).lower()


def test_more_room_never_shows_less() -> None:
    parts = ["main", "shop", "ctx 12%", "$0.04", "claude-sonnet"]
    shown = [sum(part in text_of(line(width)) for part in parts) for width in range(20, 201)]
    assert shown == sorted(shown)
    assert shown[-1] == len(parts)


def test_safe_s4_it_says_what_stands_around_commands() -> None:
    assert " ask · bwrap " in text_of(line(88, sandbox="bubblewrap"))
    assert " ask · landlock " in text_of(line(88, sandbox="landlock"))
    without = line(88, sandbox="none")
    assert " ask · no sandbox " in text_of(without)
    assert [span.role for span in without if "no sandbox" in span.text] == ["warning"]


@each_row("mode", PERMISSION_MODES)
@pytest.mark.parametrize(
    ("sandbox", "word", "short"),
    [("bubblewrap", "bwrap", "bw"), ("landlock", "landlock", "ll"), ("none", "no sandbox", "no box")],
)
def test_safe_s4_what_stands_around_commands_gives_way_last(
    mode: PermissionMode, sandbox: str, word: str, short: str
) -> None:
    state = {"sandbox": sandbox, "mode": mode, "model": "claude-sonnet-4-5-20250929", "folder": "a-rather-long-folder"}
    for width in range(20, 201):
        spans = line(width, **state)
        assert cells_of(spans) == width
        assert word in text_of(spans) or width < 30, width
        untrusted = text_of(line(width, is_untrusted=True, **state))
        assert word in untrusted or short in untrusted or width < 36, width
        assert word in untrusted or width < 40, width


def test_changed_files_stand_behind_the_branch_whole_or_not_at_all() -> None:
    for width in range(20, 201):
        text = text_of(line(width, changed_files=1234, branch="feature/a-rather-long-name"))
        assert ("±" in text) == ("feat" in text), text
        assert ("±" in text) == (" ±1234 · " in text), text
    assert " ±1234 · " in text_of(line(88, changed_files=1234))


@pytest.mark.parametrize("count", [None, 0, -1])
def test_no_changed_files_and_an_unknown_number_are_not_shown(count: int | None) -> None:
    assert text_of(line(88, changed_files=count)).startswith(" shop · main · claude-sonnet · ask ")


def test_forty_columns_keep_model_mode_context_and_cost() -> None:
    assert text_of(line(40)) == " claude-sonnet · ask    ctx 12% · $0.04 "


def test_modes_differ_in_words_and_looks() -> None:
    shown = {mode: next(span for span in line(80, mode=mode) if span.part == "mode") for mode in PERMISSION_MODES}
    assert len({span.text for span in shown.values()}) == len({span.role for span in shown.values()}) == 4
    assert shown["yolo"] == Span(" YOLO ", "loud", "mode")


@each_row("cost", [None, math.nan, math.inf, -1.0])
def test_an_unknown_cost_shows_tokens_and_never_money(cost: float | None) -> None:
    text = text_of(line(88, cost=cost))
    assert "12.3k tok" in text
    assert "$" not in text


def test_nothing_is_said_of_cost_before_anything_was_used() -> None:
    from code_assistant.messages import Usage

    assert "$" not in text_of(line(88, cost=0.0, usage=Usage()))
    assert "tok" not in text_of(line(88, cost=None, usage=Usage()))
    assert "$0.00" in text_of(line(88, cost=0.0))


@pytest.mark.parametrize(("used", "role"), [(24_000, "muted"), (160_000, "warning"), (190_000, "error")])
def test_a_filling_context_is_seen(used: int, role: str) -> None:
    assert next(span.role for span in line(88, context_tokens=used) if span.text.startswith("ctx")) == role


def test_what_is_unknown_is_left_out() -> None:
    text = text_of(line(88, branch=None, changed_files=None, context_window=0))
    assert text.startswith(" shop · claude-sonnet · ask ")
    assert "ctx" not in text


@each_row("hostile", HOSTILE)
def test_hostile_names_stay_in_the_line_and_harmless(hostile: str) -> None:
    for width in range(20, 201):
        spans = line(width, folder=hostile, model=hostile, branch=hostile)
        assert cells_of(spans) == width
        assert is_safe(text_of(spans))
