"""The line at the bottom: what is going on, who waits, and the keys that help now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from code_assistant.tui.delay import Delay
from code_assistant.tui.frame import numbers
from code_assistant.tui.frame.drawn import DrawnRows
from code_assistant.tui.frame.fitting import Cut, Part, Shorten, fitted
from code_assistant.tui.frame.spans import Span, plain
from code_assistant.tui.state import ScreenState

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
FRAMES_PER_SECOND = 10
# About: until a response is over nobody knows.
CHARACTERS_PER_TOKEN = 4


class Hint(NamedTuple):
    """A key and what it does, in a word or two. A click on it is about `part`, or the key where there is none."""

    key: str
    words: str
    part: str = ""


WORKING_HINTS = (Hint("esc", "interrupt"), Hint("ctrl+o", "details"), Hint("?", "keys"))


@dataclass(frozen=True, slots=True)
class Activity:
    """What the line shows; equal ones look equal. `elapsed` and `frame` are None while nothing is worked on."""

    words: str = ""
    tokens: int = 0
    running: int = 0
    waiting: int = 0
    elapsed: int | None = None
    frame: int | None = None
    questions: int = 0
    queued: int = 0


class ActivityLine(DrawnRows):
    """One row. `tick` moves the spinner and the clock; it does nothing while nothing is worked on.

    Clicks are reported as PartPressed: `waiting`, `running`, or the part of a hint.
    """

    def __init__(
        self,
        *,
        working_hints: Sequence[Hint] = WORKING_HINTS,
        idle_hints: Sequence[Hint] = (),
        prompt_key: str = "f8",
        id: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        self._working_hints = tuple(working_hints)
        self._idle_hints = tuple(idle_hints)
        self._prompt_key = prompt_key
        self._since: float | None = None
        self._delay: Delay | None = None
        self._now = 0.0
        self._shown = Activity()
        self._activity = Activity()

    def show(self, state: ScreenState, now: float) -> None:
        """`now` is on the clock of `working_since`."""
        self._since = state.working_since
        self._delay = state.delay
        self._activity = Activity(
            plain(state.activity),
            state.turn_tokens + state.open_characters // CHARACTERS_PER_TOKEN,
            max(state.running_agents, 0),
            max(state.waiting_prompts, 0),
            questions=max(min(state.waiting_questions, state.waiting_prompts), 0),
            queued=max(state.queued_agents, 0),
        )
        self.tick(now)

    def tick(self, now: float) -> None:
        shown = at_time(self._activity, self._since, now)
        if self._delay is not None:
            shown = replace(shown, words=self._delay.words(now).capitalize())
        if shown != self._shown:
            self._shown = shown
            self.refresh()

    def spans_at(self, row: int, width: int) -> list[Span]:
        hints = self._idle_hints if self._shown.frame is None else self._working_hints
        return activity_spans(self._shown, hints, self._prompt_key, width)


def at_time(activity: Activity, since: float | None, now: float) -> Activity:
    """The activity with its clock and its spinner."""
    if since is None:
        return activity
    passed = max(now - since, 0.0)
    frame = int(passed * FRAMES_PER_SECOND) % len(SPINNER)
    return replace(activity, elapsed=int(passed), frame=frame)


def activity_spans(activity: Activity, hints: Sequence[Hint], prompt_key: str, width: int) -> list[Span]:
    parts = _work(activity) + _counters(activity, prompt_key)
    names: list[str] = []
    for number, hint in enumerate(hints):
        name = f"hint {number}"
        names.append(name)
        part = hint.part or hint.key
        key = Span(hint.key, "key", part)
        parts.append(Part(name, key, (Span(f" {hint.words}", "muted", part),), is_right=True))
    return fitted(parts, _steps(names), width)


def _work(activity: Activity) -> list[Part]:
    if activity.frame is None or activity.elapsed is None:
        return []
    parts = [
        Part("spinner", Span(SPINNER[activity.frame], "accent"), joint=" "),
        Part("words", Span(activity.words or "Working", "text")),
        Part("elapsed", Span(numbers.clock(activity.elapsed), "muted")),
    ]
    if activity.tokens > 0:
        parts.append(Part("tokens", Span(numbers.tokens(activity.tokens), "muted")))
    return parts


def _counters(activity: Activity, prompt_key: str) -> list[Part]:
    parts: list[Part] = []
    if activity.running:
        parts.append(Part("running", Span(f"{activity.running} running", "primary", "running")))
    if activity.queued:
        parts.append(Part("queued", Span(f"{activity.queued} queued", "muted", "running")))
    if activity.waiting:
        key = Span(f" ({prompt_key})", "key", "waiting")
        main = Span(_waiting_words(activity), "warning", "waiting")
        parts.append(Part("waiting", main, (key,), (main._replace(text=f"{activity.waiting} waiting"), key)))
    return parts


def _waiting_words(activity: Activity) -> str:
    kinds = ((activity.waiting - activity.questions, "approval"), (activity.questions, "question"))
    named = [f"{count} {kind}{'s' if count > 1 else ''}" for count, kind in kinds if count]
    return f"{', '.join(named)} waiting"


def _steps(hints: Sequence[str]) -> list[Cut | Shorten]:
    """The hints between the first and the last go first; those two are the ones that get somebody out."""
    middle = [Cut(name) for name in reversed(hints[1:-1])]
    last = [Cut(name) for name in hints[1:][-1:]]
    first = [Cut(name) for name in hints[:1]]
    return [
        Cut("words", 32),
        *middle,
        *last,
        Cut("words", 16),
        Cut("tokens"),
        Shorten("waiting"),
        *first,
        Cut("words", 8),
        Cut("words"),
        Cut("queued"),
        Cut("running"),
        Cut("elapsed"),
        Cut("spinner"),
    ]
