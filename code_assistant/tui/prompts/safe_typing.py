"""Safe typing: which key presses and clicks are meant for a prompt, and when focus may move into one by itself.

A key answers only if the whole burst it belongs to began when the prompt had been in sight for a while. Who pressed F8
or Tab, clicked, or closed what they opened out of it, has begun a new burst on purpose. Where focus moved by itself,
the burst must also have begun a while after that was painted, and the composer must be empty. Focus that came without
anyone having said why, as when the toolkit looks for the next best widget, is taken as moved by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

SEEN_SECONDS = 0.3
QUIET_SECONDS = 1.0
NEVER = float("-inf")


class FocusMove(NamedTuple):
    """Focus may move to this prompt at this time, if nothing else happens until then."""

    request_id: str
    at: float


@dataclass(slots=True)
class _Sight:
    """A prompt that waits. None for a time: it is not in sight. The place is where its corner was painted."""

    seen_since: float | None = None
    place: object = None
    placed_since: float = NEVER
    is_put_aside: bool = False


@dataclass(slots=True)
class _Focus:
    request_id: str
    is_by_person: bool
    painted_at: float | None = None


class SafeTyping:
    """Knows nothing of widgets and has no timers. `changed` is called when `next_move` may have come nearer."""

    def __init__(self, clock: Callable[[], float], changed: Callable[[], None] = lambda: None) -> None:
        self._clock = clock
        self._changed = changed
        # In the order in which they came up.
        self._prompts: dict[str, _Sight] = {}
        self._focus: _Focus | None = None
        self._left: _Focus | None = None
        self._last_key = NEVER
        self._last_press = NEVER
        self._burst_start = NEVER
        self._is_burst_over = True
        self._is_composer_free = False
        self._is_composer_empty = False

    # What the person does

    def key_pressed(self, at: float) -> None:
        """Any key or paste, wherever it goes, before it is handed to whom it is for."""
        if self._is_burst_over or at - self._last_key >= QUIET_SECONDS:
            self._burst_start = at
        self._is_burst_over = False
        self._last_key = max(self._last_key, at)

    def mouse_pressed(self, at: float) -> None:
        """A button of the mouse went down, wherever it is; before that is handed on."""
        self._last_press = at

    def composer_changed(self, *, is_empty: bool, has_focus: bool) -> None:
        self._is_composer_empty = is_empty
        self._is_composer_free = is_empty and has_focus
        self._changed()

    def focus_taken(self, request_id: str) -> None:
        """The person puts the focus into a prompt: F8, Tab, a click, or a look at more of it."""
        self._is_burst_over = True
        self._focus = _Focus(request_id, is_by_person=True)

    # What happens to prompts

    def came_up(self, request_id: str) -> None:
        """Somebody asks; whether it is seen yet or not, those that come up after it are behind it."""
        self._prompts.setdefault(request_id, _Sight())

    def painted(self, request_id: str, *, has_focus: bool, place: object = None) -> None:
        """A prompt was painted, at its place on the screen, as one with or without focus."""
        now = self._clock()
        sight = self._prompts.setdefault(request_id, _Sight())
        was_out_of_sight = sight.seen_since is None
        if was_out_of_sight:
            sight.seen_since = now
        if was_out_of_sight or sight.place != place:
            sight.place, sight.placed_since = place, now
        focus = self._focus
        if has_focus and focus is not None and focus.request_id == request_id and focus.painted_at is None:
            focus.painted_at = now
        if was_out_of_sight:
            self._changed()

    def out_of_sight(self, request_id: str) -> None:
        sight = self._prompts.get(request_id)
        if sight is not None:
            sight.seen_since = None

    def begin_again(self) -> None:
        """Somebody else had the terminal: every prompt is as new, and what was typed there was not meant for one."""
        for sight in self._prompts.values():
            sight.seen_since = None
        self._focus = self._left = None
        self._is_burst_over = False
        self._burst_start = self._last_key = self._clock()

    def put_aside(self, request_id: str) -> None:
        """The person does not want to answer now: focus does not move there again by itself."""
        self._prompts.setdefault(request_id, _Sight()).is_put_aside = True

    def gone(self, request_id: str) -> None:
        """Answered or withdrawn."""
        self._prompts.pop(request_id, None)
        self.focus_left(request_id)

    def focus_moved(self, request_id: str) -> None:
        """Focus is being moved into a prompt by itself."""
        self._focus = _Focus(request_id, is_by_person=False)

    def focus_arrived(self, request_id: str, *, is_return: bool = False) -> None:
        """A prompt has the focus now; whoever put it there has said so before, or is unknown.

        It may be a return from another window; then it is as it was before.
        """
        if self._focus is not None and self._focus.request_id == request_id:
            return
        left = self._left if is_return else None
        was_by_person = left is not None and left.request_id == request_id and left.is_by_person
        self._focus = _Focus(request_id, was_by_person)

    def focus_left(self, request_id: str) -> None:
        if self._focus is not None and self._focus.request_id == request_id:
            self._left, self._focus = self._focus, None
            self._changed()

    # What follows from it

    def next_move(self) -> FocusMove | None:
        """When to look again whether focus may move by itself, and where to; None while nothing waits for that.

        It goes to the oldest that was not put aside, and to no other while that one cannot be seen.
        """
        if self._focus is not None or not self._is_composer_free:
            return None
        oldest = next(((name, sight) for name, sight in self._prompts.items() if not sight.is_put_aside), None)
        if oldest is None or oldest[1].seen_since is None:
            return None
        return FocusMove(oldest[0], max(oldest[1].seen_since + SEEN_SECONDS, self._last_key + QUIET_SECONDS))

    def is_by_person(self, request_id: str) -> bool:
        """Whether the focus is in this prompt because the person put it there."""
        return self._focus is not None and self._focus.request_id == request_id and self._focus.is_by_person

    def key_counts(self, request_id: str, pressed_at: float) -> bool:
        """Whether a key that was pressed then may answer this prompt."""
        focus, sight = self._focus, self._prompts.get(request_id)
        if focus is None or focus.request_id != request_id or sight is None or sight.seen_since is None:
            return False
        earliest = sight.seen_since + SEEN_SECONDS
        if not focus.is_by_person:
            if focus.painted_at is None or not self._is_composer_empty:
                return False
            earliest = max(earliest, focus.painted_at + SEEN_SECONDS)
        # A key that waited while the program was busy may belong to a burst before the newest one.
        return earliest <= self._burst_start <= pressed_at

    def click_counts(self, request_id: str) -> bool:
        """Whether the mouse was pressed on something that had stood there for a while."""
        sight = self._prompts.get(request_id)
        return (
            sight is not None
            and sight.seen_since is not None
            and max(sight.seen_since, sight.placed_since) + SEEN_SECONDS <= self._last_press
        )
