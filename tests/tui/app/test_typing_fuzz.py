"""Somebody types, searches the history, opens windows and scrolls while prompts come and go, on the whole screen.

Nobody means a prompt here, so none may be answered and no letter may be lost. Whether focus may have moved into a
prompt by itself is judged by what was done and what stands on the screen, not by what safe typing thinks.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual import events

from code_assistant.events import MAIN, PermissionRequested, PermissionResolved, ToolStarted
from code_assistant.tui.prompts.panel import PromptPanel
from code_assistant.tui.prompts.safe_typing import QUIET_SECONDS, SEEN_SECONDS
from tests.fakes.server import ScriptedServer
from tests.tui.app.harness import Scene, scene

TYPED = st.text("yasnrx ", min_size=1, max_size=5)
NAMES = {" ": "space"}
# Higher than the view, as high as it, and small: what fits decides what can be seen.
COMMANDS = {"small": "make test", "high": "touch \\\n" + " \\\n".join(map(str, range(40)))}
STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["type", "burst", "history", "window"]), TYPED),
        st.tuples(st.just("ask"), st.sampled_from(sorted(COMMANDS))),
        st.tuples(st.just("withdraw"), st.integers(0, 3)),
        st.tuples(st.just("scroll"), st.sampled_from([-30, -6, -1, 1, 6, 30])),
        st.tuples(st.just("wait"), st.sampled_from([0.05, 0.25, 0.4, 0.9, 1.1, 3.0])),
    ),
    min_size=4,
    max_size=14,
)


class Typist:
    """Does one step after the other, and knows what it did and when."""

    def __init__(self, s: Scene) -> None:
        self.s = s
        self.draft = ""
        self.pressed_at = float("-inf")
        # Since when a prompt has the focus and is wholly in sight, without a break.
        self.there_since = float("inf")
        self.asked = 0
        self.answers: list[object] = []

    async def do(self, action: str, value: Any) -> None:
        match action:
            case "type" | "burst":
                await self.type(value, at_once=action == "burst")
            case "history":
                await self.search_history(value)
            case "window":
                await self.use_window(value)
            case "ask":
                self.ask(COMMANDS[value])
            case "withdraw":
                self.withdraw(value)
            case "scroll":
                self.s.app.view.scroll_relative(y=value, animate=False)
            case _:
                await self.s.wait(value)
        await self.s.pilot.pause()
        await self.s.painted()
        self.look()

    async def type(self, text: str, *, at_once: bool) -> None:
        """A letter that answers would be an answer where focus has been in a prompt for a while, all of it in sight:
        there the first letter is one that answers nothing."""
        if self.s.clock.now - self.there_since >= SEEN_SECONDS - 0.01:
            text = f"x{text}"
        await self.press(*text, at_once=at_once)
        self.draft += text

    async def search_history(self, text: str) -> None:
        composer = self.s.app.composer
        if not composer.has_focus:
            return
        await self.press("ctrl+r")
        await self.s.until(lambda: composer.is_popup_open, "the search")
        await self.press(*text)
        await self.linger(composer)
        await self.press("escape")

    async def use_window(self, text: str) -> None:
        app = self.s.app
        await self.press("ctrl+p")
        await self.s.until_dialog()
        before = app.main.focused
        await self.press(*text)
        await self.linger(before)
        await self.press("escape")
        await self.s.until(lambda: app.screen is app.main, "it is closed")
        await self.s.painted()
        self.there_since = float("inf")

    async def linger(self, focused: object) -> None:
        """However long: nothing moves the focus below a window or a list."""
        await self.s.painted()
        await self.s.wait(1.5)
        assert self.s.app.main.focused is focused

    async def press(self, *keys: str, at_once: bool = False) -> None:
        for key in keys:
            self.pressed_at = self.s.clock.now
            if at_once:
                self.s.app.post_message(events.Key(NAMES.get(key, key), key))
            else:
                await self.s.press(NAMES.get(key, key))
                self.s.clock.now += 0.05

    def ask(self, command: str) -> None:
        self.asked += 1
        name = f"call_{self.asked}"
        take = self.s.app._take
        take(ToolStarted(MAIN, name, "execute_command", {}, f"Running {name}"))
        take(PermissionRequested(MAIN, name, name, "execute_command", "run a command", command, "text", None))

    def withdraw(self, number: int) -> None:
        if waiting := list(self.s.app.desk._open):
            name = waiting[number % len(waiting)]
            self.s.app._take(PermissionResolved(MAIN, name, name, "withdrawn"))

    def look(self) -> None:
        app, now = self.s.app, self.s.clock.now
        assert self.answers == []
        assert app.composer.text == self.draft
        focused, view = app.focused, app.view
        if not isinstance(focused, PromptPanel):
            self.there_since = float("inf")
            return
        is_whole = view.region.contains_region(focused.region)
        if self.there_since == float("inf") and is_whole:
            self.there_since = now
            assert self.draft == ""
            assert now - self.pressed_at >= QUIET_SECONDS
        elif not is_whole:
            self.there_since = float("inf")


async def typing(steps: list[tuple[str, Any]]) -> Typist:
    with ScriptedServer() as server, tempfile.TemporaryDirectory() as folder:
        async with scene(server, Path(folder), size=(60, 20)) as s:
            typist = Typist(s)
            session = s.app.core.session
            assert session is not None
            session.answer_permission = lambda *answer: typist.answers.append(answer)  # type: ignore[method-assign, assignment, return-value]
            for number in range(30):
                s.app.tell(f"line {number}")
            await s.painted()
            for action, value in steps:
                await typist.do(action, value)
            for name in list(s.app.desk._open):
                s.app._take(PermissionResolved(MAIN, name, name, "withdrawn"))
            return typist


@settings(max_examples=6, derandomize=True, deadline=None)
@given(STEPS)
def test_safe_r10_typing_on_the_screen_answers_nothing(steps: list[tuple[str, Any]]) -> None:
    asyncio.run(typing(steps))


@pytest.mark.soak
@pytest.mark.timeout(3600)
@settings(max_examples=800, deadline=None)
@given(STEPS)
def test_soak_typing_on_the_screen_answers_nothing(steps: list[tuple[str, Any]]) -> None:
    asyncio.run(typing(steps))


@pytest.mark.parametrize(
    "steps",
    [
        [("ask", "small"), ("wait", 1.1), ("wait", 0.4), ("burst", "yay"), ("wait", 3.0), ("type", "ys")],
        [("ask", "high"), ("scroll", -6), ("wait", 3.0), ("wait", 0.4), ("type", "y"), ("scroll", 30), ("type", "y")],
        [("ask", "high"), ("wait", 1.1), ("wait", 3.0), ("scroll", -6), ("wait", 3.0), ("burst", "ys"), ("type", "a")],
        [("ask", "small"), ("window", "ny"), ("wait", 0.4), ("wait", 0.4), ("type", "y")],
        [("ask", "small"), ("history", "y"), ("wait", 0.4), ("wait", 0.4), ("type", "y")],
    ],
)
def test_safe_r10_steps_that_once_answered(steps: list[tuple[str, Any]]) -> None:
    asyncio.run(typing(steps))


def test_focus_does_move_on_such_a_screen() -> None:
    typist = asyncio.run(typing([("ask", "small"), ("wait", 1.1)]))
    assert typist.there_since < float("inf")
