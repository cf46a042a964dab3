"""Answering with keys of one's own: they answer, the usual ones do not, and what is shown says so."""

from __future__ import annotations

from typing import Any

import pytest
from textual import events

from code_assistant.tui.keys import PERMISSION_KEYS, PLAN_KEYS, QUESTION_KEYS, Key
from tests.tui.prompts.host import Host, mouse, shown
from tests.tui.prompts.test_panels import PERMISSION, PLAN, QUESTION, SEVERAL, Make, asked, said

OWN = {
    "allow_once": "o",
    "allow_agent": "f2, g",
    "allow_session": "question_mark",
    "deny": "delete",
    "deny_with_reason": "w",
    "approve": "j",
    "approve_with_edits": "k",
    "keep_planning": "l",
    "choose_1": "q",
    "choose_2": "f6",
    "switch_choice": "m",
    "own_words": "e",
    "no_answer": "ctrl+n",
}
ANSWERS: list[tuple[Make, str, tuple[str, ...], tuple[Any, ...]]] = [
    (PERMISSION, "y", ("o",), ("PermissionAnswered", "once", "")),
    (PERMISSION, "a", ("f2",), ("PermissionAnswered", "agent", "")),
    (PERMISSION, "a", ("g",), ("PermissionAnswered", "agent", "")),
    (PERMISSION, "s", ("question_mark",), ("PermissionAnswered", "session", "")),
    (PERMISSION, "n", ("delete",), ("PermissionAnswered", "deny", "")),
    (PERMISSION, "r", ("w", *"row", "enter"), ("PermissionAnswered", "deny", "row")),
    (PLAN, "y", ("j",), ("PlanApproved", "ask")),
    (PLAN, "a", ("k",), ("PlanApproved", "accept-edits")),
    (PLAN, "r", ("l", *"less", "enter"), ("PlanRejected", "less")),
    (QUESTION, "1", ("q",), ("QuestionAnswered", "PostgreSQL")),
    (QUESTION, "2", ("f6",), ("QuestionAnswered", "SQLite")),
    (QUESTION, "t", ("e", *"else", "enter"), ("QuestionAnswered", "else")),
    (QUESTION, "n", ("ctrl+n",), ("QuestionDismissed",)),
    (SEVERAL, "space", ("q", "down", "m", "enter"), ("QuestionAnswered", "PostgreSQL, SQLite")),
]


@pytest.mark.parametrize(("make", "usual", "keys", "answer"), ANSWERS)
async def test_own_keys_answer_and_the_usual_ones_do_not(
    make: Make, usual: str, keys: tuple[str, ...], answer: tuple[Any, ...]
) -> None:
    host = Host(own_keys=OWN)
    async with host.run_test() as pilot:
        await asked(host, pilot, make)
        await pilot.press(usual)
        assert host.answers == []
        await pilot.press(*keys)
        await pilot.pause()
        assert [said(each) for each in host.answers] == [answer]


@pytest.mark.parametrize(
    ("make", "texts"),
    [
        (
            PERMISSION,
            ["[o Allow once]", "[f2 Always for explore-2]", "[? Always for all: make test]", "[delete Deny]"],
        ),
        (PLAN, ["[j Approve, ask before edits]", "[k Approve, accept edits]", "[l Keep planning …]"]),
        (QUESTION, ["q  PostgreSQL", "f6 SQLite", "q f6 answer", "[e Own words …]", "[ctrl+n Do not answer]"]),
        (SEVERAL, ["q f6 or m choose"]),
    ],
)
async def test_buttons_and_hints_show_own_keys(make: Make, texts: list[str]) -> None:
    host = Host(own_keys=OWN)
    async with host.run_test(size=(100, 30)) as pilot:
        panel = await asked(host, pilot, make)
        rows = shown(panel)
        for text in texts:
            assert any(text in row for row in rows), (text, rows)


async def test_buttons_with_longer_keys_stay_where_they_are_and_are_clicked_there() -> None:
    host = Host(own_keys={"allow_once": "ctrl+b", "deny": "f7"})
    async with host.run_test(size=(100, 30)) as pilot:
        panel = await asked(host, pilot, PERMISSION, is_focused=False)
        before = shown(panel)
        row = next(y for y, text in enumerate(before) if "Allow once" in text)
        assert before[row].startswith("│ [ Allow once      ]  [ Always for explore-2 ]")
        host.take(panel)
        await pilot.pause()
        after = shown(panel)
        assert after[row].startswith("┃ [ctrl+b Allow once]  [a Always for explore-2]")
        host.now.now += 1
        await mouse(pilot, events.MouseDown, panel, after[row].index("Deny]") + 3, row)
        await mouse(pilot, events.MouseUp, panel, after[row].index("Deny]") + 3, row)
        assert [said(each) for each in host.answers] == [("PermissionAnswered", "deny", "")]


async def test_a_key_of_ones_own_turns_pages() -> None:
    host = Host(own_keys={"page_down": "f6"})
    async with host.run_test(size=(60, 20)) as pilot:
        panel = await asked(host, pilot, lambda each: each.permission("\n".join(map(str, range(90)))))
        first = shown(panel)[1]
        await pilot.press("pagedown")
        assert shown(panel)[1] == first
        await pilot.press("f6")
        assert shown(panel)[1] != first


async def test_a_key_of_ones_own_leaves_the_line_and_hides() -> None:
    host = Host(own_keys={"interrupt": "f5"})
    async with host.run_test() as pilot:
        panel = await asked(host, pilot, PERMISSION)
        assert "f5 hide" in shown(panel)[-1]
        await pilot.press("r", "x", "escape")
        assert "deny, because" in "\n".join(shown(panel))
        assert "f5 back" in shown(panel)[-1]
        await pilot.press("f5")
        assert "deny, because" not in "\n".join(shown(panel))
        await pilot.press("escape")
        assert host.hidden == []
        await pilot.press("f5")
        await pilot.pause()
        assert host.hidden == [panel.request_id]
        assert host.answers == []


async def test_own_keys_are_as_safe_as_the_usual_ones() -> None:
    host = Host(own_keys=OWN)
    async with host.run_test() as pilot:
        panel = await host.ask(host.permission())
        await pilot.pause()
        host.wait(1.5)
        await pilot.pause()
        assert host.screen.focused is panel
        # Focus has just moved by itself: what is typed was meant for the composer, its beginning included.
        await pilot.press("o", "k")
        assert host.answers == []
        assert host.composer.text == "ok"


@pytest.mark.parametrize("table", [PERMISSION_KEYS, PLAN_KEYS, QUESTION_KEYS])
def test_no_answer_is_left_out_here(table: tuple[Key, ...]) -> None:
    """Of the choices two stand for all eight."""
    names = {key.id for key in table} - {f"choose_{number}" for number in range(3, 9)}
    assert names <= OWN.keys()
