"""Somebody types into the composer while prompts come and go: nothing is answered, nothing is lost."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual import events

from code_assistant.tui.prompts.panel import PromptPanel
from code_assistant.tui.prompts.safe_typing import SEEN_SECONDS
from tests.tui.prompts.host import Host

# Letters that answer and others; digits and blanks, too.
TYPED = st.text("yasnrt12 xX?ü", min_size=1, max_size=6)
NAMES: dict[str, str] = {" ": "space", "?": "question_mark"}
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("type"), TYPED),
        st.tuples(st.just("burst"), TYPED),
        st.tuples(st.just("ask"), st.sampled_from(["permission", "question", "several", "plan"])),
        st.tuples(st.just("withdraw"), st.integers(0, 3)),
        st.tuples(st.just("wait"), st.sampled_from([0.05, 0.25, 0.4, 0.9, 1.1, 3.0])),
    ),
    min_size=3,
    max_size=14,
)


async def make(host: Host, kind: str, number: int) -> PromptPanel:
    request_id = f"{kind}_{number}"
    match kind:
        case "permission":
            return await host.ask(host.permission(request_id=request_id))
        case "plan":
            return await host.ask(host.plan(request_id=request_id))
        case _:
            return await host.ask(host.question(several=kind == "several", request_id=request_id))


async def typing(steps: list[tuple[str, Any]]) -> None:
    """Who types does not mean the prompts. Where focus has been in one for a while, an answer would be one, so then
    the first letter is one that answers nothing; else it may be any."""
    host = Host()
    draft, moved_at = "", 0.0
    async with host.run_test(size=(60, 40)) as pilot:
        for number, (action, value) in enumerate(steps):
            match action:
                case "type" | "burst":
                    if isinstance(host.focused, PromptPanel):
                        assert draft == ""
                        value = value if host.now() - moved_at < SEEN_SECONDS - 0.01 else f"x{value}"
                    for character in value:
                        name = NAMES[character] if character in NAMES else str(character)
                        if action == "type":
                            await pilot.press(name)
                        else:
                            # All at once: the program was busy, and the keys wait in a row.
                            host.post_message(events.Key(name, character))
                        host.now.now += 0.05 if action == "type" else 0.0
                    draft += value
                case "ask":
                    await make(host, value, number)
                case "withdraw":
                    panels = [panel for panel in host.panels if not panel.is_closed]
                    if panels:
                        host.withdraw(panels[value % len(panels)])
                case _:
                    was_focused = host.focused
                    host.wait(value)
                    moved_at = moved_at if host.focused is was_focused else host.now()
            await pilot.pause()
            assert host.answers == [] and host.hidden == []
            assert host.composer.text == draft


@settings(max_examples=8, derandomize=True, deadline=None)
@given(STEPS)
def test_safe_r10_typing_answers_nothing_and_loses_nothing(steps: list[tuple[str, Any]]) -> None:
    asyncio.run(typing(steps))


@pytest.mark.soak
@pytest.mark.timeout(3600)
@settings(max_examples=1_500, deadline=None)
@given(STEPS)
def test_soak_typing_answers_nothing_and_loses_nothing(steps: list[tuple[str, Any]]) -> None:
    asyncio.run(typing(steps))


def test_focus_does_move_in_such_a_run() -> None:
    async def run() -> None:
        host = Host()
        async with host.run_test(size=(60, 40)) as pilot:
            panel = await host.ask(host.permission())
            await pilot.pause()
            host.wait(1.1)
            await pilot.pause()
            assert host.focused is panel

    asyncio.run(run())
    asyncio.run(typing([("ask", "permission"), ("wait", 1.1), ("burst", "yay an"), ("wait", 3.0), ("type", "sn")]))
