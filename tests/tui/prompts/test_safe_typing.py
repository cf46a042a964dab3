"""Safe typing: what counts, and that nothing else ever does."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from code_assistant.tui.prompts.safe_typing import QUIET_SECONDS, SEEN_SECONDS, SafeTyping
from tests.tui.prompts.host import Clock

A_BIT = 0.001


class Desk:
    """A SafeTyping with an empty focused composer, and its clock."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.changes = 0
        self.safe_typing = SafeTyping(self.clock, self.count)
        self.safe_typing.composer_changed(is_empty=True, has_focus=True)

    def count(self) -> None:
        self.changes += 1

    def wait(self, seconds: float) -> None:
        self.clock.now += seconds

    def key(self, request_id: str = "a") -> bool:
        self.safe_typing.key_pressed(self.clock())
        return self.safe_typing.key_counts(request_id, self.clock())

    def click(self, request_id: str = "a") -> bool:
        self.safe_typing.mouse_pressed(self.clock())
        return self.safe_typing.click_counts(request_id)

    def show(self, request_id: str = "a", *, has_focus: bool = False) -> None:
        self.safe_typing.painted(request_id, has_focus=has_focus)

    def move(self, request_id: str = "a") -> None:
        self.safe_typing.focus_moved(request_id)
        self.show(request_id, has_focus=True)


def test_focus_taken_in_a_prompt_long_in_sight_counts_at_once_even_after_typing() -> None:
    desk = Desk()
    desk.show()
    desk.wait(1)
    assert not desk.key()
    desk.safe_typing.composer_changed(is_empty=False, has_focus=True)
    desk.key()
    desk.safe_typing.focus_taken("a")
    assert desk.key()


def test_no_key_counts_before_the_prompt_was_seen_long_enough() -> None:
    desk = Desk()
    desk.show()
    desk.safe_typing.focus_taken("a")
    desk.wait(SEEN_SECONDS - A_BIT)
    assert not desk.key()
    desk.wait(A_BIT)
    assert not desk.key(), "the same burst"
    desk.wait(QUIET_SECONDS)
    assert desk.key()


def test_focus_moves_only_after_being_seen_and_a_quiet_while() -> None:
    desk = Desk()
    assert desk.safe_typing.next_move() is None
    desk.safe_typing.key_pressed(desk.clock())
    start = desk.clock()
    desk.wait(0.2)
    desk.show()
    move = desk.safe_typing.next_move()
    assert move is not None and (move.request_id, move.at) == ("a", start + QUIET_SECONDS)
    desk.wait(2)
    desk.safe_typing.out_of_sight("a")
    assert desk.safe_typing.next_move() is None
    desk.show()
    move = desk.safe_typing.next_move()
    assert move is not None and move.at == desk.clock() + SEEN_SECONDS


@pytest.mark.parametrize(("is_empty", "has_focus"), [(False, True), (True, False), (False, False)])
def test_focus_never_moves_away_from_a_draft_or_from_elsewhere(is_empty: bool, has_focus: bool) -> None:
    desk = Desk()
    desk.show()
    desk.safe_typing.composer_changed(is_empty=is_empty, has_focus=has_focus)
    assert desk.safe_typing.next_move() is None


def test_after_a_move_by_itself_a_key_must_come_a_while_after_it_was_painted() -> None:
    desk = Desk()
    desk.show()
    desk.wait(2)
    desk.safe_typing.focus_moved("a")
    desk.wait(2)
    assert not desk.key(), "nobody has seen the focus yet"
    desk.wait(2)
    desk.show(has_focus=True)
    desk.wait(SEEN_SECONDS - A_BIT)
    assert not desk.key()
    desk.wait(QUIET_SECONDS)
    assert desk.key()


def test_focus_that_nobody_explained_counts_as_moved_by_itself() -> None:
    desk = Desk()
    desk.show()
    desk.wait(2)
    desk.safe_typing.focus_arrived("a")
    desk.show(has_focus=True)
    assert not desk.key()
    desk.wait(2)
    desk.safe_typing.composer_changed(is_empty=False, has_focus=False)
    assert not desk.key(), "with a draft only the person's own focus counts"


def test_a_key_of_an_older_burst_does_not_count_though_it_is_handled_late() -> None:
    desk = Desk()
    desk.show()
    desk.wait(1)
    desk.move()
    early = desk.clock() + 0.1
    desk.safe_typing.key_pressed(early)
    desk.wait(3)
    desk.safe_typing.key_pressed(desk.clock())
    assert not desk.safe_typing.key_counts("a", early)
    assert desk.safe_typing.key_counts("a", desk.clock())


def test_focus_goes_to_the_oldest_whichever_was_seen_first() -> None:
    desk = Desk()
    desk.safe_typing.came_up("a")
    desk.safe_typing.came_up("b")
    desk.show("b")
    assert desk.safe_typing.next_move() is None, "the oldest is not in sight yet"
    desk.show("a")
    move = desk.safe_typing.next_move()
    assert move is not None and move.request_id == "a"
    desk.safe_typing.gone("a")
    move = desk.safe_typing.next_move()
    assert move is not None and move.request_id == "b"


def test_what_was_put_aside_is_reached_on_purpose_only() -> None:
    desk = Desk()
    desk.show("a")
    desk.show("b")
    desk.safe_typing.put_aside("a")
    move = desk.safe_typing.next_move()
    assert move is not None and move.request_id == "b"
    desk.safe_typing.gone("b")
    assert desk.safe_typing.next_move() is None
    desk.wait(1)
    desk.safe_typing.focus_taken("a")
    assert desk.key("a")


def test_another_window_in_between_changes_nothing() -> None:
    desk = Desk()
    desk.show()
    desk.wait(1)
    desk.safe_typing.composer_changed(is_empty=False, has_focus=False)
    desk.safe_typing.focus_taken("a")
    desk.safe_typing.focus_left("a")
    desk.safe_typing.focus_arrived("a", is_return=True)
    assert desk.key()


def test_a_click_counts_where_the_button_has_stood_for_a_while() -> None:
    desk = Desk()
    desk.safe_typing.painted("a", has_focus=False, place=(0, 5))
    assert not desk.click()
    desk.wait(1)
    assert desk.click()
    desk.safe_typing.painted("a", has_focus=False, place=(0, 4))
    desk.wait(SEEN_SECONDS - A_BIT)
    assert not desk.click()
    desk.wait(2 * A_BIT)
    assert desk.click()
    desk.safe_typing.gone("a")
    assert not desk.click()


# Random interleavings, judged by the rules of screen.md over the whole past instead of by a state.

PROMPTS = st.sampled_from("aab")
# What chance alone would seldom find.
STORIES: dict[str, list[tuple[str, Any]]] = {
    "moves": [("leave", "a"), ("draft", False), ("show", "a"), ("wait", 1.01), ("look", ""), ("paint", "a")],
    "taken": [("show", "a"), ("wait", 1.01), ("take", "a"), ("paint", "a")],
    "burst": [("key", ""), ("wait", 0.31), ("key", ""), ("wait", 0.31), ("key", "")],
    "drafted": [("draft", True), ("wait", 1.01), ("key", "")],
    "returns": [("hide", "a"), ("wait", 1.01), ("show", "a")],
}
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("wait"), st.sampled_from([0.02, 0.1, 0.29, 0.31, 0.7, 1.01])),
        st.tuples(st.just("key"), st.just("")),
        st.tuples(st.just("draft"), st.booleans()),
        st.tuples(st.sampled_from(["show", "paint", "hide", "gone", "take", "arrive", "leave", "aside"]), PROMPTS),
        st.tuples(st.just("look"), st.just("")),
        st.tuples(st.just("story"), st.sampled_from(sorted(STORIES))),
    ),
    max_size=40,
)


@dataclass
class Judge:
    """Remembers times only, and says whether a key could have been meant."""

    seen: dict[str, float] = field(default_factory=dict[str, float])
    keys: list[float] = field(default_factory=list[float])
    focus: str | None = None
    taken_at: int | None = None
    focus_painted: float | None = None
    has_draft: bool = False

    def may_answer(self, request_id: str, now: float) -> bool:
        if self.focus != request_id or request_id not in self.seen or now < self.seen[request_id] + SEEN_SECONDS:
            return False
        if self.taken_at is not None:
            # The keys since the person took the focus; none of them came before the prompt was seen for a while.
            return all(key >= self.seen[request_id] + SEEN_SECONDS for key in self._burst(self.keys[self.taken_at :]))
        if self.has_draft or self.focus_painted is None:
            return False
        return all(key >= self.focus_painted + SEEN_SECONDS for key in self._burst(self.keys))

    @staticmethod
    def _burst(keys: list[float]) -> list[float]:
        burst: list[float] = []
        for key in reversed(keys):
            if burst and burst[-1] - key >= QUIET_SECONDS:
                break
            burst.append(key)
        return burst


def play(steps: list[tuple[str, Any]]) -> int:
    desk, judge = Desk(), Judge()
    safe_typing, counted = desk.safe_typing, 0

    def composer() -> None:
        safe_typing.composer_changed(is_empty=not judge.has_draft, has_focus=judge.focus is None)

    def lose(request_id: str) -> None:
        if judge.focus == request_id:
            judge.focus = judge.taken_at = judge.focus_painted = None

    singles = (each for step in steps for each in (STORIES[step[1]] if step[0] == "story" else [step]))
    for action, value in singles:
        match action:
            case "wait":
                desk.wait(value)
            case "key":
                judge.keys.append(desk.clock())
                safe_typing.key_pressed(desk.clock())
                for request_id in "abc":
                    counts = safe_typing.key_counts(request_id, desk.clock())
                    counted += counts
                    assert not counts or judge.may_answer(request_id, desk.clock())
            case "draft":
                judge.has_draft = value
            case "show" | "paint":
                judge.seen.setdefault(value, desk.clock())
                if judge.focus == value and judge.focus_painted is None:
                    judge.focus_painted = desk.clock()
                safe_typing.painted(value, has_focus=judge.focus == value)
            case "hide":
                judge.seen.pop(value, None)
                safe_typing.out_of_sight(value)
            case "gone":
                judge.seen.pop(value, None)
                lose(value)
                safe_typing.gone(value)
            case "aside":
                safe_typing.put_aside(value)
            case "take":
                judge.focus, judge.taken_at, judge.focus_painted = value, len(judge.keys), None
                safe_typing.focus_taken(value)
            case "arrive":
                if judge.focus != value:
                    judge.focus, judge.taken_at, judge.focus_painted = value, None, None
                safe_typing.focus_arrived(value)
            case "leave":
                lose(value)
                safe_typing.focus_left(value)
            case _:
                move = safe_typing.next_move()
                if move is not None and move.at <= desk.clock():
                    assert judge.focus is None and not judge.has_draft
                    assert desk.clock() >= judge.seen[move.request_id] + SEEN_SECONDS
                    assert not judge.keys or desk.clock() - judge.keys[-1] >= QUIET_SECONDS - 1e-9
                    judge.focus, judge.taken_at, judge.focus_painted = move.request_id, None, None
                    safe_typing.focus_moved(move.request_id)
        composer()
    return counted


@settings(max_examples=800, derandomize=True, deadline=None)
@given(STEPS)
def test_safe_r10_no_key_counts_that_was_not_meant(steps: list[tuple[str, Any]]) -> None:
    play(steps)


def test_the_interleavings_do_find_keys_that_count() -> None:
    steps = [("show", "a"), ("wait", 1.01), ("look", ""), ("paint", "a"), ("wait", 0.31), ("key", "")]
    assert play(steps) == 1


@pytest.mark.soak
@pytest.mark.timeout(1800)
@settings(max_examples=50_000, deadline=None)
@given(STEPS)
def test_soak_no_key_counts_that_was_not_meant(steps: list[tuple[str, Any]]) -> None:
    play(steps)
