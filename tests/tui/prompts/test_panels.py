"""Every answer by key and by mouse, and everything that must not be one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from code_assistant.events import MAIN, Choice, PermissionRequested
from code_assistant.tools.execute_command import READ_ONLY_LIMITS
from code_assistant.tui.prompts.messages import PromptMessage
from code_assistant.tui.prompts.panel import PromptPanel
from code_assistant.tui.prompts.permission import PermissionPanel
from tests.tui.prompts.host import CHILD, Host, mouse, shown

Make = Callable[[Host], PromptPanel]

PERMISSION: Make = lambda host: host.permission()  # noqa: E731
QUESTION: Make = lambda host: host.question()  # noqa: E731
SEVERAL: Make = lambda host: host.question(several=True)  # noqa: E731
PLAN: Make = lambda host: host.plan()  # noqa: E731


async def asked(host: Host, pilot: Pilot[None], make: Make, *, is_focused: bool = True) -> PromptPanel:
    """A prompt that has been there for a while."""
    panel = await host.ask(make(host))
    await pilot.pause()
    host.now.now += 5
    if is_focused:
        host.take(panel)
        await pilot.pause()
    return panel


def said(message: PromptMessage) -> tuple[Any, ...]:
    values = {name: value for name, value in vars(message).items() if not name.startswith("_")}
    return (
        type(message).__name__,
        *(values[name] for name in ("answer", "reason", "text", "mode", "feedback") if name in values),
    )


ANSWERS: list[tuple[Make, tuple[str, ...], tuple[Any, ...]]] = [
    (PERMISSION, ("y",), ("PermissionAnswered", "once", "")),
    (PERMISSION, ("a",), ("PermissionAnswered", "agent", "")),
    (PERMISSION, ("s",), ("PermissionAnswered", "session", "")),
    (PERMISSION, ("n",), ("PermissionAnswered", "deny", "")),
    (PERMISSION, ("r", *"not now", "enter"), ("PermissionAnswered", "deny", "not now")),
    (PERMISSION, ("r", "enter"), ("PermissionAnswered", "deny", "")),
    (PERMISSION, ("right", "enter"), ("PermissionAnswered", "once", "")),
    (PERMISSION, ("tab", "tab", "enter"), ("PermissionAnswered", "agent", "")),
    (PERMISSION, ("left", "left", "enter"), ("PermissionAnswered", "deny", "")),
    (PERMISSION, ("left", "enter", "x", "enter"), ("PermissionAnswered", "deny", "x")),
    (QUESTION, ("2",), ("QuestionAnswered", "SQLite")),
    (QUESTION, ("down", "enter"), ("QuestionAnswered", "PostgreSQL")),
    (QUESTION, ("up", "space"), ("QuestionAnswered", "SQLite")),
    (QUESTION, ("t", *"Oracle 1", "enter"), ("QuestionAnswered", "Oracle 1")),
    (QUESTION, ("n",), ("QuestionDismissed",)),
    (SEVERAL, ("1", "2", "enter"), ("QuestionAnswered", "PostgreSQL, SQLite")),
    (SEVERAL, ("1", "2", "1", "enter"), ("QuestionAnswered", "SQLite")),
    (SEVERAL, ("down", "space", "t", *"etc", "enter"), ("QuestionAnswered", "PostgreSQL, etc")),
    (PLAN, ("y",), ("PlanApproved", "ask")),
    (PLAN, ("a",), ("PlanApproved", "accept-edits")),
    (PLAN, ("n", *"smaller", "enter"), ("PlanRejected", "smaller")),
    (PLAN, ("r", "enter"), ("PlanRejected", "")),
]


@pytest.mark.parametrize(
    ("make", "keys", "answer"), ANSWERS, ids=lambda value: "-".join(value) if isinstance(value, tuple) else ""
)
async def test_answers_by_key(make: Make, keys: tuple[str, ...], answer: tuple[Any, ...]) -> None:
    host = Host()
    async with host.run_test() as pilot:
        panel = await asked(host, pilot, make)
        await pilot.press(*keys)
        await pilot.pause()
        assert [said(each) for each in host.answers] == [answer]
        assert panel.is_closed and host.composer.text == ""


NO_ANSWERS: list[tuple[Make, tuple[str, ...]]] = [
    (PERMISSION, ("enter", "enter", "space", "x", "Y", "1")),
    (PERMISSION, ("r", *"yes a s n", "escape", "enter")),
    (lambda host: host.permission(rule=None), ("a", "s")),
    (QUESTION, ("enter", "space", "3", "8", "y")),
    (QUESTION, ("t", "enter", "space", "enter", "escape")),
    (SEVERAL, ("enter", "1", "1", "enter")),
    (lambda host: host.question(()), ("enter", "enter", "escape", "up", "down")),
    (PLAN, ("enter", "s", "1")),
]


@pytest.mark.parametrize(("make", "keys"), NO_ANSWERS)
async def test_what_is_no_answer(make: Make, keys: tuple[str, ...]) -> None:
    host = Host()
    async with host.run_test() as pilot:
        panel = await asked(host, pilot, make)
        await pilot.press(*keys)
        await pilot.pause()
        assert host.answers == [] and host.hidden == [] and not panel.is_closed
        assert host.focused is panel


async def click(pilot: Pilot[None], panel: PromptPanel, text: str) -> None:
    """Press the mouse on a text of the panel."""
    for y, row in enumerate(shown(panel)):
        if text in row:
            for kind in (events.MouseDown, events.MouseUp):
                await mouse(pilot, kind, panel, row.index(text), y)
            return
    raise AssertionError(f"{text!r} is not shown")


CLICKS: list[tuple[Make, str, tuple[Any, ...]]] = [
    (PERMISSION, "Allow once", ("PermissionAnswered", "once", "")),
    (PERMISSION, "Always for explore-2", ("PermissionAnswered", "agent", "")),
    (PERMISSION, "Always for all: make test", ("PermissionAnswered", "session", "")),
    (PERMISSION, "Deny ]", ("PermissionAnswered", "deny", "")),
    (QUESTION, "SQLite", ("QuestionAnswered", "SQLite")),
    (QUESTION, "in production", ("QuestionAnswered", "PostgreSQL")),
    (QUESTION, "Do not answer", ("QuestionDismissed",)),
    (PLAN, "Approve, ask", ("PlanApproved", "ask")),
    (PLAN, "Approve, accept", ("PlanApproved", "accept-edits")),
]


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize(("make", "text", "answer"), CLICKS)
async def test_answers_by_mouse(make: Make, text: str, answer: tuple[Any, ...], width: int) -> None:
    host = Host()
    async with host.run_test(size=(width, 40)) as pilot:
        panel = await asked(host, pilot, make, is_focused=False)
        await click(pilot, panel, text)
        assert [said(each) for each in host.answers] == [answer]


@pytest.mark.parametrize(
    ("make", "text", "answer"),
    [
        (PERMISSION, "Deny …", ("PermissionAnswered", "deny", "later")),
        (QUESTION, "Own words", ("QuestionAnswered", "later")),
        (PLAN, "Keep planning", ("PlanRejected", "later")),
    ],
)
async def test_buttons_that_open_the_line(make: Make, text: str, answer: tuple[Any, ...]) -> None:
    host = Host()
    async with host.run_test() as pilot:
        panel = await asked(host, pilot, make, is_focused=False)
        height = panel.size.height
        await click(pilot, panel, text)
        assert host.answers == [] and panel.size.height == height
        await pilot.press(*"later", "enter")
        await pilot.pause()
        assert [said(each) for each in host.answers] == [answer]


async def test_several_are_switched_by_mouse_and_sent() -> None:
    host = Host()
    async with host.run_test() as pilot:
        panel = await asked(host, pilot, SEVERAL)
        await click(pilot, panel, "SQLite")
        assert any("[x] SQLite" in row for row in shown(panel))
        await click(pilot, panel, "Send")
        assert [said(each) for each in host.answers] == [("QuestionAnswered", "SQLite")]


async def test_a_click_where_a_button_has_only_just_appeared_is_none() -> None:
    host = Host()
    async with host.run_test() as pilot:
        panel = await host.ask(host.permission())
        await pilot.pause()
        await click(pilot, panel, "Allow once")
        assert host.answers == [] and host.focused is panel


async def test_the_mouse_must_come_up_where_it_went_down() -> None:
    host = Host()
    async with host.run_test() as pilot:
        panel = await asked(host, pilot, PERMISSION, is_focused=False)
        row = next(y for y, text in enumerate(shown(panel)) if "Allow once" in text)
        await mouse(pilot, events.MouseDown, panel, 5, row)
        await mouse(pilot, events.MouseUp, panel, 5, 1)
        await pilot.pause()
        assert host.answers == []


@pytest.mark.parametrize("make", [PERMISSION, QUESTION, PLAN])
async def test_escape_hides_and_answers_nothing(make: Make) -> None:
    host = Host()
    async with host.run_test() as pilot:
        panel = await asked(host, pilot, make)
        await pilot.press("escape")
        await pilot.pause()
        assert host.hidden == [panel.request_id] and host.answers == [] and not panel.is_closed
        host.wait(60)
        assert host.focused is host.composer, "what was put aside does not come back by itself"
        host.take(panel)
        await pilot.pause()
        assert host.focused is panel


async def test_escape_in_the_line_goes_back_to_the_buttons() -> None:
    host = Host()
    async with host.run_test() as pilot:
        panel = await asked(host, pilot, PERMISSION)
        await pilot.press("r", "x")
        assert any("deny, because › x" in row for row in shown(panel))
        await pilot.press("escape")
        await pilot.pause()
        assert host.hidden == [] and any("Allow once" in row for row in shown(panel))


async def test_safe_r9_a_closed_panel_takes_no_key_and_no_click() -> None:
    host = Host()
    async with host.run_test() as pilot:
        panel = await asked(host, pilot, PERMISSION)
        panel.close()
        # The focus is still there, as it is in the moment between a withdrawal and what the screen does about it.
        assert host.focused is panel
        await click(pilot, panel, "Allow once")
        await pilot.press("y", "enter", "escape")
        await pilot.pause()
        assert host.answers == [] and host.hidden == []
        assert host.composer.text.startswith("y")


async def test_one_panel_gives_one_answer() -> None:
    host = Host()
    async with host.run_test() as pilot:
        panel = await asked(host, pilot, PERMISSION)
        panel.act("once")
        panel.on_key(_key("n", host))
        await pilot.pause()
        assert [said(each) for each in host.answers] == [("PermissionAnswered", "once", "")]


def _key(name: str, host: Host) -> Any:
    event = events.Key(name, name)
    event.time = host.now()
    return event


async def test_the_next_prompt_is_not_answered_by_the_same_burst() -> None:
    host = Host()
    async with host.run_test() as pilot:
        first = await host.ask(host.permission(request_id="a"))
        await asked(host, pilot, lambda host: host.permission(request_id="b"), is_focused=False)
        host.take(first)
        await pilot.press("y", "y", "y")
        await pilot.pause()
        assert [each.request_id for each in host.answers] == ["a"]
        assert host.composer.text == "yy"


async def test_focus_moves_by_itself_into_an_empty_desk_and_typing_goes_back() -> None:
    host = Host()
    async with host.run_test() as pilot:
        panel = await host.ask(host.permission())
        await pilot.pause()
        host.wait(0.2)
        assert host.focused is host.composer
        host.wait(0.2)
        assert host.focused is panel
        await pilot.pause()
        await pilot.press("y")
        assert host.answers == [] and host.composer.text == "y", "too soon after the focus moved"
        await pilot.press("backspace")
        host.wait(2)
        await pilot.pause()
        assert host.focused is panel
        host.now.now += 1
        await pilot.press(*"hello")
        assert host.answers == [] and host.composer.text == "hello", "no answer begins with an h"
        host.wait(60)
        assert host.focused is host.composer, "a draft keeps the focus"


async def test_a_decision_after_focus_moved_by_itself() -> None:
    host = Host()
    async with host.run_test() as pilot:
        await host.ask(host.permission())
        await pilot.pause()
        host.wait(1)
        await pilot.pause()
        host.now.now += 1
        await pilot.press("y")
        await pilot.pause()
        assert [said(each) for each in host.answers] == [("PermissionAnswered", "once", "")]


async def test_a_paste_answers_nothing_and_goes_where_it_belongs() -> None:
    host = Host()
    async with host.run_test() as pilot:
        panel = await asked(host, pilot, PERMISSION)
        host.post_message(events.Paste("y\nn"))
        await pilot.pause()
        assert host.answers == [] and host.composer.text == "y\nn"
        host.take(panel)
        await pilot.press("r")
        host.post_message(events.Paste("two\nlines"))
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        assert [said(each) for each in host.answers] == [("PermissionAnswered", "deny", "two lines")]


async def test_who_asks_and_where_keys_go_is_seen() -> None:
    host = Host()
    async with host.run_test() as pilot:
        panel = await asked(host, pilot, PERMISSION, is_focused=False)
        rows = shown(panel)
        assert rows[0].startswith("┌ ? explore-2 wants to run a command") and "f8 to answer" in rows[-1]
        assert any("[ Allow once ]" in row for row in rows) and any(
            "always would store: Bash(make test)" in row for row in rows
        )
        host.take(panel)
        await pilot.pause()
        rows = shown(panel)
        assert rows[0].startswith("┏ ❯ explore-2") and "esc hide" in rows[-1] and "f8" not in rows[-1]
        assert any("[y Allow once]" in row for row in rows)
        main = await host.ask(host.permission(origin=MAIN, rule=None, request_id="b"))
        await pilot.pause()
        assert "the assistant wants to" in shown(main)[0]
        assert any("no “always” here" in row for row in shown(main)) and not any("Always" in row for row in shown(main))


async def test_the_answer_is_the_label_as_it_was_offered() -> None:
    host = Host()
    async with host.run_test() as pilot:
        await asked(host, pilot, lambda host: host.question((Choice("a\u200bb"),)))
        await pilot.press("1")
        await pilot.pause()
        assert [said(each) for each in host.answers] == [("QuestionAnswered", "a\u200bb")]


async def test_a_rule_for_a_command_of_many_lines_does_not_repeat_it() -> None:
    command = "\n".join(f"echo line {number}" for number in range(6))
    host = Host()
    async with host.run_test(size=(80, 40)) as pilot:
        panel = await asked(host, pilot, lambda host: host.permission(command, rule=f"Bash({command})"))
        rows = [row.text for row in panel._rows(panel.size.width)[0]]
        notes = [row.text for row in panel._rows(panel.size.width)[1]]
        assert sum("echo line 5" in row for row in (*rows, *notes)) == 1
        assert "always would store: Bash(exactly the whole of the above)" in notes


async def test_safe_b6_allowing_what_has_not_been_in_sight_is_answered_with_a_word() -> None:
    host = Host()
    async with host.run_test(size=(60, 24)) as pilot:
        panel = host.permission("echo the-subject", action="run a command that has a long title " * 3)
        panel.styles.width, panel.styles.height = 40, 7
        await host.ask(panel)
        await pilot.pause()
        host.now.now += 5
        host.take(panel)
        await pilot.pause()
        host.now.now += 5
        assert "read it first" not in shown(panel)[0] and not any("the-subject" in row for row in shown(panel))
        await pilot.press("y")
        await pilot.pause()
        assert host.answers == [] and "read it first" in shown(panel)[0]
        while not any("the-subject" in row for row in shown(panel)):
            await pilot.press("down")
        await pilot.pause()
        assert "read it first" not in shown(panel)[0]
        await pilot.press("y")
        await pilot.pause()
        assert [said(answer) for answer in host.answers] == [("PermissionAnswered", "once", "")]


@pytest.mark.parametrize("width", [36, 40, 44, 80])
async def test_what_a_yes_does_not_open_is_never_cut(width: int) -> None:
    host = Host()
    async with host.run_test(size=(width, 40)) as pilot:
        asked_for = PermissionRequested(
            CHILD,
            "permission_1",
            "call_9",
            "tool",
            "run a command",
            "make",
            "text",
            None,
            limits=READ_ONLY_LIMITS,
            reason="it is not known that make only reads, " * 8,
            no_rule="what leaves the sandbox is asked about every time",
        )
        panel = await host.ask(PermissionPanel(asked_for, host.palette, host.safe_typing, host.own_keys))
        await pilot.pause()
        said_to_them = " ".join(row.strip("│┃ ") for row in shown(panel))
        assert READ_ONLY_LIMITS in said_to_them
        assert "every time" in said_to_them
        # What others have a part in may be cut, and that is seen.
        assert ("…" in said_to_them) == (said_to_them.count("make only reads,") < 8)


async def test_a_plan_that_has_not_been_in_sight_is_not_approved_without_a_word() -> None:
    host = Host()
    async with host.run_test(size=(60, 24)) as pilot:
        panel = host.plan("the-subject")
        panel.styles.width, panel.styles.height = 16, 4
        await host.ask(panel)
        await pilot.pause()
        host.now.now += 5
        host.take(panel)
        await pilot.pause()
        host.now.now += 5
        panel.act("ask")
        await pilot.pause()
        assert host.answers == [] and "read" in shown(panel)[0]
