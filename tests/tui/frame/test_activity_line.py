"""The line below: what goes on, who waits, which keys help."""

from __future__ import annotations

from code_assistant.tui.frame.activity_line import (
    SPINNER,
    WORKING_HINTS,
    Activity,
    Hint,
    activity_spans,
    at_time,
)
from tests.rows import each_row
from tests.tui.frame.states import cells_of, text_of
from tests.tui.hostile import HOSTILE, is_safe

IDLE_HINTS = (Hint("shift+tab", "mode"), Hint("ctrl+o", "details"), Hint("ctrl+t", "agents"), Hint("?", "keys"))
WORK = Activity("Reading shop/cart.py", tokens=1234, running=2, waiting=1, elapsed=12, frame=0)


def text(activity: Activity, width: int, hints: tuple[Hint, ...] = WORKING_HINTS) -> str:
    spans = activity_spans(activity, hints, "f8", width)
    assert cells_of(spans) == width
    return text_of(spans)


def test_all_of_it_where_there_is_room() -> None:
    left, right = text(WORK, 140).split("   ", 1)
    assert left == " ⠋ Reading shop/cart.py · 0:12 · 1.2k tok · 2 running · 1 approval waiting (f8)"
    assert right.strip() == "esc interrupt · ctrl+o details · ? keys"


def test_idle_shows_keys_only() -> None:
    assert text(Activity(), 80, IDLE_HINTS).strip() == "shift+tab mode · ctrl+o details · ctrl+t agents · ? keys"


def test_idle_with_agents_in_the_background() -> None:
    assert text(Activity(running=1, waiting=2), 100, IDLE_HINTS).startswith(" 1 running · 2 approvals waiting (f8) ")


def test_agents_without_a_place_are_counted_apart() -> None:
    full = Activity(running=10, waiting=1, queued=2)
    assert text(full, 100, IDLE_HINTS).startswith(" 10 running · 2 queued · 1 approval waiting (f8) ")
    for width in range(20, 201):
        assert "1 " in text(full, width) and "waiting (f8)" in text(full, width)


def test_it_fits_every_width_and_never_hides_a_waiting_approval() -> None:
    for width in range(20, 201):
        assert "1 " in text(WORK, width)
        assert "waiting (f8)" in text(WORK, width)


def test_how_to_interrupt_outlives_the_other_hints() -> None:
    quiet = Activity("Thinking", elapsed=5, frame=1)
    assert "esc interrupt" in text(quiet, 40)
    assert "details" not in text(quiet, 40)


@each_row("hints", [(), WORKING_HINTS[:1], WORKING_HINTS[:2], IDLE_HINTS])
def test_any_number_of_hints(hints: tuple[Hint, ...]) -> None:
    for width in range(20, 201):
        text(WORK, width, hints)


@each_row("hostile", HOSTILE)
def test_hostile_activities(hostile: str) -> None:
    from code_assistant.tui.frame.spans import plain

    for width in range(20, 201):
        shown = text(Activity(plain(hostile), tokens=10**12, running=10**6, elapsed=10**6, frame=3), width)
        assert is_safe(shown)


def test_time_moves_spinner_and_clock() -> None:
    started = at_time(Activity("Thinking"), 100.0, 100.0)
    assert (started.elapsed, started.frame) == (0, 0)
    assert at_time(Activity("Thinking"), 100.0, 100.35).frame == 3
    later = at_time(Activity("Thinking"), 100.0, 163.0)
    assert (later.elapsed, later.frame) == (63, 630 % len(SPINNER))
    assert at_time(Activity("Thinking"), 100.0, 50.0).elapsed == 0
    assert at_time(Activity("Thinking"), None, 50.0).frame is None


def test_questions_are_no_approvals() -> None:
    assert text(Activity(waiting=1, questions=1), 100, IDLE_HINTS).startswith(" 1 question waiting (f8) ")
    both = text(Activity(waiting=3, questions=2), 100, IDLE_HINTS)
    assert both.startswith(" 1 approval, 2 questions waiting (f8) ")
