"""Permissions, questions and plans: every answer, through the whole app and down to what the model is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from code_assistant.events import MAIN, PermissionRequested, PermissionResolved, ToolStarted
from code_assistant.tui.prompts.messages import PermissionAnswered
from tests.fakes.script import Gate, after, call, text, turn
from tests.fakes.server import ScriptedServer
from tests.tui.app.harness import Scene, scene
from tests.unit.workspace.commands.sandbox.world import needs_bubblewrap

TOUCH = call("execute_command", {"command": "touch made.txt"})
ASKED = {"question": "Which one?", "choices": [{"label": "SQLite", "description": "small"}, {"label": "PostgreSQL"}]}
PLAN = call("present_plan", {"plan": "# Plan\n\n1. Read\n2. Write"})


def told(server: ScriptedServer) -> str:
    """What the model was told last, as text."""
    content: Any = server.requests[-1].body["messages"][-1]["content"]
    return str(content)


async def asked(s: Scene, server: ScriptedServer, *calls: Any) -> None:
    server.script_default([turn(*calls), turn(text("Done."))])
    await s.send("go")
    await s.until_prompt()


@pytest.mark.parametrize(("key", "rules"), [("y", 0), ("a", 1), ("s", 1)])
async def test_allowing(server: ScriptedServer, tmp_path: Path, key: str, rules: int) -> None:
    async with scene(server, tmp_path) as s:
        await asked(s, server, TOUCH)
        assert s.shows("touch made.txt")
        assert s.shows("Bash(touch made.txt)")
        assert s.shows("Always for the assistant")
        assert s.shows("Always for all: touch made.txt")
        assert s.shows("waits for you")
        assert not (s.folder / "made.txt").exists()
        await s.answer(key)
        await s.until_shown("Done.")
        assert (s.folder / "made.txt").exists()
        assert (s.panels, s.app.state.waiting_prompts) == ([], 0)
        assert s.app.composer.has_focus
        session = s.app.core.session
        assert session is not None
        assert len(session.rules) == rules


async def test_denying(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await asked(s, server, TOUCH)
        await s.answer("n")
        await s.until_shown("Done.")
        assert s.tool().state == "denied"
        assert s.shows("denied by you")
        assert not (s.folder / "made.txt").exists()


@pytest.mark.parametrize(
    ("options", "who"),
    [
        (("--deny", "Bash(touch:*)"), "a rule"),
        (("--deny", "Bash"), "a rule"),
        (("--permission-mode", "plan"), "plan mode"),
    ],
)
async def test_who_denied_stands_in_the_line(
    server: ScriptedServer, tmp_path: Path, options: tuple[str, ...], who: str
) -> None:
    server.script_default([turn(TOUCH), turn(text("Done."))])
    async with scene(server, tmp_path, *options) as s:
        await s.send("go")
        await s.until_shown("Done.")
        assert s.tool().state == "denied"
        assert s.shows(f"denied by {who}")


async def test_denying_with_a_reason(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await asked(s, server, TOUCH)
        await s.answer("r")
        await s.type("yes? no!\n")
        await s.until_shown("Done.")
        assert "yes? no!" in told(server)
        assert not (s.folder / "made.txt").exists()
        assert s.app.composer.is_empty


async def test_an_edit_shows_its_whole_diff_before_it_is_allowed(server: ScriptedServer, tmp_path: Path) -> None:
    edit = call("edit", {"path": "tax.py", "edits": [{"old_text": "RATE = 0.2", "new_text": "RATE = 0.25"}]})
    async with scene(server, tmp_path) as s:
        server.script_default([turn(call("read_files", {"paths": ["tax.py"]})), turn(edit), turn(text("Done."))])
        await s.send("go")
        await s.until_prompt()
        assert s.shows("-RATE = 0.2")
        assert s.shows("+RATE = 0.25")
        await s.answer("y")
        await s.until_shown("Done.")
        assert (s.folder / "tax.py").read_text().startswith("RATE = 0.25\n")
        await s.press("ctrl+o")
        await s.until_shown("+RATE = 0.25")


async def test_a_long_command_is_scrolled_with_the_keys_of_the_prompt(server: ScriptedServer, tmp_path: Path) -> None:
    command = "\n".join(f"echo line {number}" for number in range(80))
    async with scene(server, tmp_path) as s:
        await asked(s, server, call("execute_command", {"command": command}))
        await s.wait(0.5)
        await s.press("f8")
        await s.until_shown("┃ echo line 0 ")
        top = s.app.view.scroll_y
        await s.press("pagedown")
        await s.until_gone("┃ echo line 0 ")
        await s.press("end")
        await s.until_shown("echo line 79")
        assert s.app.view.scroll_y == top
        await s.press("pageup", "home")
        await s.until_shown("┃ echo line 0 ")
        await s.press("n")
        await s.until_shown("Done.")


@pytest.mark.parametrize(
    ("keys", "answer"),
    [(("1",), "SQLite"), (("2",), "PostgreSQL"), (("down", "down", "enter"), "PostgreSQL")],
)
async def test_answering_a_question(server: ScriptedServer, tmp_path: Path, keys: tuple[str, ...], answer: str) -> None:
    async with scene(server, tmp_path) as s:
        await asked(s, server, call("ask_user", ASKED))
        assert s.shows("Which one?")
        assert s.shows("small")
        await s.answer(*keys)
        await s.until_shown("Done.")
        assert answer in told(server)


async def test_answering_in_own_words(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await asked(s, server, call("ask_user", ASKED))
        await s.answer("t")
        await s.type("none of them\n")
        await s.until_shown("Done.")
        assert "none of them" in told(server)


async def test_choosing_several(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await asked(s, server, call("ask_user", {**ASKED, "several": True}))
        await s.answer("1", "2", "enter")
        await s.until_shown("Done.")
        assert "SQLite, PostgreSQL" in told(server)


async def test_not_answering_a_question(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await asked(s, server, call("ask_user", ASKED))
        await s.answer("n")
        await s.until_shown("Done.")
        assert "SQLite" not in told(server)


@pytest.mark.parametrize(("key", "mode"), [("y", "ask"), ("a", "accept-edits")])
async def test_approving_a_plan(server: ScriptedServer, tmp_path: Path, key: str, mode: str) -> None:
    async with scene(server, tmp_path, "--permission-mode", "plan") as s:
        await asked(s, server, PLAN)
        assert s.shows("1. Read")
        await s.answer(key)
        await s.until_shown("Done.")
        assert s.app.state.mode == mode
        await s.painted()
        assert mode in s.rows[0]


async def test_keeping_on_planning(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, "--permission-mode", "plan") as s:
        await asked(s, server, PLAN)
        await s.answer("n")
        await s.type("test first\n")
        await s.until_shown("Done.")
        assert "test first" in told(server)
        assert s.app.state.mode == "plan"


async def test_keys_of_ones_own_answer(server: ScriptedServer, tmp_path: Path) -> None:
    own = {"allow_once": "o", "choose_2": "f2", "approve_with_edits": "k", "deny": "ctrl+d, v"}
    # Ctrl+D is the screen's, so that it is the usual key that denies.
    async with scene(server, tmp_path, "--permission-mode", "plan", keys=own) as s:
        server.script_default([turn(call("ask_user", ASKED)), turn(PLAN), turn(TOUCH), turn(text("Done."))])
        await s.send("go")
        await s.answer("2")
        # It is no key here, so it was meant for the composer.
        assert s.app.composer.text == "2"
        await s.answer()
        await s.until_shown("1 f2 answer")
        await s.press("f2")
        await s.until_shown("1. Read")
        assert "PostgreSQL" in told(server)
        await s.answer("a")
        assert s.app.state.mode == "plan"
        await s.answer()
        await s.until_shown("[k Approve, accept edits]")
        await s.press("k")
        await s.until_shown("touch made.txt")
        assert s.app.state.mode == "accept-edits"
        await s.answer("y")
        assert not (s.folder / "made.txt").exists()
        await s.answer()
        await s.until_shown("[n Deny]")
        await s.until_shown("[o Allow once]")
        await s.press("o")
        await s.until_shown("Done.")
        assert (s.folder / "made.txt").exists()
        assert s.app.composer.text == "2ay"


async def test_several_prompts_are_answered_the_oldest_first(
    server: ScriptedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when several agents ask at once."""
    async with scene(server, tmp_path, size=(100, 50)) as s:
        answers: list[tuple[str, str]] = []

        def answered(request_id: str, answer: str, reason: str = "") -> bool:
            answers.append((request_id, answer))
            s.app._take(PermissionResolved(MAIN, request_id, request_id, "once"))
            return True

        monkeypatch.setattr(s.app.core.session, "answer_permission", answered)
        for name in "abc":
            s.app._take(ToolStarted(MAIN, name, "execute_command", {}, f"Running {name}"))
            s.app._take(PermissionRequested(MAIN, name, name, "execute_command", "run", f"run {name}", "text", None))
        await s.until_prompt(3)
        assert s.shows("3 approvals waiting")
        assert s.app.rung == 3
        for number, key in enumerate("yny"):
            await s.answer(key)
            await s.until(lambda number=number: len(s.panels) == 2 - number, "one less")
        assert answers == [("a", "once"), ("b", "deny"), ("c", "once")]
        assert s.app.state.waiting_prompts == 0
        assert s.app.composer.has_focus


async def test_hidden_prompts_wait_and_come_back(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await asked(s, server, TOUCH)
        await s.answer("escape")
        await s.until(lambda: s.panels == [], "it is hidden")
        await s.painted()
        assert s.app.composer.has_focus
        assert s.shows("waits for you")
        assert s.app.state.waiting_prompts == 1
        await s.type("y")
        assert s.app.composer.text == "y"
        await s.press("backspace")
        await s.wait(10)
        assert s.app.composer.has_focus
        await s.answer_hidden("y")
        await s.until_shown("Done.")


async def test_esc_again_interrupts_and_withdraws_what_was_hidden(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await asked(s, server, TOUCH)
        await s.answer("escape")
        await s.press("escape")
        await s.until_idle()
        assert s.app.state.waiting_prompts == 0
        await s.press("f8")
        await s.pilot.pause()
        assert s.panels == []
        assert s.app.composer.has_focus


async def test_an_interrupt_withdraws_prompts_and_a_late_answer_is_none(server: ScriptedServer, tmp_path: Path) -> None:
    """Whoever answers what is no longer asked has answered nothing, also if the key was on its way already."""
    async with scene(server, tmp_path) as s:
        await asked(s, server, TOUCH)
        panel = s.panels[0]
        session = s.app.core.session
        assert session is not None
        await s.press("ctrl+c")
        await s.until(lambda: s.panels == [], "it is withdrawn")
        await s.until_idle()
        s.app.post_message(PermissionAnswered(panel.request_id, "session"))
        panel.act("session")
        await s.pilot.pause()
        assert not session.answer_permission(panel.request_id, "once")
        assert not (s.folder / "made.txt").exists()
        assert session.rules == ()
        assert s.tool().state == "interrupted"
        assert s.app.state.waiting_prompts == 0


async def test_a_prompt_answers_only_once(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await asked(s, server, TOUCH)
        await s.wait(0.5)
        await s.press("f8")
        await s.press("y", "n", "y")
        await s.until_shown("Done.")
        assert (s.folder / "made.txt").exists()
        assert s.tool().state == "success"


async def test_whoever_is_typing_answers_nothing(server: ScriptedServer, tmp_path: Path) -> None:
    """A prompt that comes up under somebody's fingers takes neither keys nor letters away."""
    gate = Gate()
    server.script_default([after(gate, turn(TOUCH)), turn(text("Done."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await gate.until_reached()
        await s.type("why ")
        gate.open()
        await s.until_prompt()
        await s.wait(0.2)
        await s.type("yes, any")
        await s.wait(30)
        await s.type(" ys")
        assert s.app.composer.text == "why yes, any ys"
        assert len(s.panels) == 1
        assert not (s.folder / "made.txt").exists()


async def test_with_an_empty_composer_and_quiet_hands_the_focus_moves_and_is_seen(
    server: ScriptedServer, tmp_path: Path
) -> None:
    async with scene(server, tmp_path) as s:
        await asked(s, server, TOUCH)
        panel = s.panels[0]
        await s.wait(0.1)
        assert s.app.composer.has_focus
        await s.wait(1.0)
        assert panel.has_focus
        await s.painted()
        await s.wait(0.5)
        await s.press("y")
        await s.until_shown("Done.")


async def test_letters_that_are_no_answer_go_to_the_composer_though_the_focus_has_moved(
    server: ScriptedServer, tmp_path: Path
) -> None:
    async with scene(server, tmp_path) as s:
        await asked(s, server, TOUCH)
        await s.wait(0.1)
        await s.wait(1.0)
        assert s.panels[0].has_focus
        await s.painted()
        await s.wait(5)
        await s.type("wait, why")
        assert s.app.composer.text == "wait, why"
        assert len(s.panels) == 1


async def test_tab_leads_to_an_open_prompt(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await asked(s, server, TOUCH)
        await s.wait(0.5)
        await s.press("tab")
        assert s.panels[0].has_focus
        await s.press("y")
        await s.until_shown("Done.")
        assert (s.folder / "made.txt").exists()


async def test_a_prompt_is_rung_for_and_the_title_says_so(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await asked(s, server, TOUCH)
        assert s.app.rung == 1
        await s.answer("y")
        await s.until_shown("Done.")
        assert s.app.rung == 1


async def test_a_prompt_keeps_its_place_when_the_window_changes(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await asked(s, server, TOUCH)
        for width in (40, 120, 60):
            await s.pilot.resize_terminal(width, 24)
            await s.painted()
            title = next(y for y, row in enumerate(s.rows) if "? Running" in row)
            panel = s.panels[0]
            assert (panel.region.y, panel.region.right) == (title + 1, width - 1)
            assert all(row.rstrip()[-1] in "┐│┘┓┃┛" for row in s.rows[panel.region.y : panel.region.bottom])


async def test_a_theme_changes_open_prompts_too(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await asked(s, server, TOUCH)
        before = s.panels[0].render_line(1)._segments[0].style
        await s.send("/theme harbor-light")
        await s.until(lambda: s.app.chosen_theme.name == "harbor-light", "the theme")
        await s.painted()
        assert s.panels[0].render_line(1)._segments[0].style != before


async def test_the_todo_list_is_pinned_and_goes_when_it_is_empty(server: ScriptedServer, tmp_path: Path) -> None:
    items = [{"text": "look", "status": "completed"}, {"text": "write", "status": "in_progress"}, {"text": "test"}]
    first, last = call("todo", {"items": items}), call("todo", {"items": []})
    gate = Gate()
    server.script_default([turn(first), after(gate, turn(last)), turn(text("Done."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await gate.until_reached()
        await s.until_shown("write")
        panel = s.app.main.todo.region
        shown = "\n".join(s.rows[panel.y : panel.bottom])
        assert all(words in shown for words in ("1 of 3 done", "write", "test"))
        gate.open()
        await s.until_shown("Done.")
        await s.painted()
        assert s.app.main.todo.size.height == 0


async def test_an_answered_question_shows_the_answer_and_a_plan_stays_readable(
    server: ScriptedServer, tmp_path: Path
) -> None:
    async with scene(server, tmp_path, "--permission-mode", "plan") as s:
        await asked(s, server, call("ask_user", ASKED), PLAN)
        await s.answer("2")
        await s.answer("y")
        await s.until_shown("Done.")
        assert s.shows("answered: PostgreSQL")
        assert s.shows("2. Write")
        plan = s.tool()
        # No argument is shown beside what the detail shows.
        assert plan.arguments == ()
        s.app.view.toggle(plan)
        await s.painted()
        assert not s.shows("2. Write")


async def test_an_unfolded_edit_shows_its_diff_and_a_command_itself_only_once(
    server: ScriptedServer, tmp_path: Path
) -> None:
    edit = call("edit", {"path": "tax.py", "edits": [{"old_text": "RATE = 0.2", "new_text": "RATE = 0.25"}]})
    async with scene(server, tmp_path, "--permission-mode", "yolo", size=(100, 40)) as s:
        server.script_default(
            [turn(call("read_files", {"paths": ["tax.py"]})), turn(edit), turn(TOUCH), turn(text("Done."))]
        )
        await s.send("go")
        await s.until_shown("Done.")
        await s.until_idle()
        await s.press("ctrl+o")
        await s.painted()
        assert s.shows("+RATE = 0.25")
        assert not s.shows("new_text")
        # In the title, and above what it printed.
        assert sum("touch made.txt" in row for row in s.rows) == 2


async def test_typing_answers_a_question_without_choices(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await asked(s, server, call("ask_user", {"question": "What is it called?"}))
        assert s.shows("1 question waiting (f8)")
        # Focus moves by itself; then it takes letters that are keys of other prompts, too.
        await s.wait(1.5)
        await s.painted()
        await s.wait(0.5)
        await s.type("not that")
        await s.painted()
        assert s.shows("answer › not that")
        assert s.app.composer.is_empty
        await s.press("enter")
        await s.until_shown("Done.")
        assert "not that" in told(server)
        assert s.app.state.waiting_questions == 0
        assert s.app.state.queue == []


async def test_safe_r10_what_was_begun_before_a_question_stays_in_the_composer(
    server: ScriptedServer, tmp_path: Path
) -> None:
    async with scene(server, tmp_path) as s:
        await asked(s, server, call("ask_user", {"question": "What is it called?"}))
        await s.type("and")
        await s.wait(1.5)
        await s.type(" more")
        assert s.app.composer.text == "and more"
        await s.press("ctrl+c")
        # Focus has just moved: what is typed at once was meant for the composer.
        await s.wait(1.5)
        assert s.panels[0].has_focus
        await s.type("x")
        assert s.app.composer.text == "x"
        # Gone to on purpose it is the answer.
        await s.press("f8")
        await s.type("blue\n")
        await s.until_shown("Done.")
        assert "blue" in told(server)
        assert s.app.composer.text == "x"


async def test_a_question_without_choices_can_be_left_unanswered(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await asked(s, server, call("ask_user", {"question": "What is it called?"}))
        await s.answer("escape", "n")
        await s.until_shown("Done.")
        assert s.shows("not answered")


async def test_the_rules_for_several_commands_are_all_shown_and_stored_together(
    server: ScriptedServer, tmp_path: Path
) -> None:
    command = "touch one\necho between\ntouch two"
    async with scene(server, tmp_path, size=(100, 40)) as s:
        await asked(s, server, call("execute_command", {"command": command}))
        assert s.shows("always would store: Bash(touch one)")
        # Below each other.
        first, second = (row for row in s.rows if ": Bash(touch " in row)
        assert first.index(": Bash") == second.index("and: Bash(touch two)") + len("and")
        assert s.shows("asked because it is not known that touch only reads")
        await s.answer("s")
        await s.until_shown("Done.")
        session = s.app.core.session
        assert session is not None
        assert [each.text for each in session.rules] == ["Bash(touch one)", "Bash(touch two)"]


async def test_rules_that_fit_into_one_row_are_shown_once(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, size=(100, 40)) as s:
        await asked(s, server, call("execute_command", {"command": "touch a; touch b; touch c"}))
        assert s.shows("always would store: Bash(touch a), Bash(touch b), Bash(touch c)")
        assert sum("Bash(touch b)" in row for row in s.rows) == 1
        # Where there is no room for all of them, each stands below the command.
        await s.pilot.resize_terminal(44, 40)
        await s.until_shown("and: Bash(touch b)")
        assert s.shows("and 2 more")
        await s.answer("n")
        await s.until_shown("Done.")


@pytest.mark.parametrize("mode", ["ask", "accept-edits"])
async def test_safe_s3_a_prompt_says_that_a_change_would_act_by_itself(
    server: ScriptedServer, tmp_path: Path, mode: str
) -> None:
    async with scene(server, tmp_path, "--permission-mode", mode) as s:
        await asked(s, server, call("write_file", {"path": ".git/hooks/pre-commit", "content": "x"}))
        assert s.shows("asked because a change there can start programs, or change rules and instructions")
        await s.answer("n")
        await s.until_shown("Done.")


async def test_the_rule_for_many_lines_is_not_the_command_once_more(server: ScriptedServer, tmp_path: Path) -> None:
    command = "cd .\\\n;touch one;\ntouch two;\ntouch four"
    async with scene(server, tmp_path) as s:
        await asked(s, server, call("execute_command", {"command": command}))
        assert sum("touch four" in row for row in s.rows) <= 2
        assert s.shows("exactly the whole of the above") or s.shows("no “always” here")


FORGED = "asked because it only reads"


@pytest.mark.parametrize(
    "wanted",
    [
        call("write_file", {"path": f"n)\n{FORGED}\n(x", "content": "x"}),
        call("execute_command", {"command": f"ls > 'x\n{FORGED}'"}),
    ],
    ids=["write_file", "redirection"],
)
async def test_safe_b6_a_name_writes_no_line_of_its_own_among_ours(
    server: ScriptedServer, tmp_path: Path, wanted: Any
) -> None:
    async with scene(server, tmp_path, size=(100, 40)) as s:
        await asked(s, server, wanted)
        [panel] = s.panels
        rows = [row.text for part in panel._rows(panel.size.width) for row in part]
        assert any("always would store: " in row and f"␊{FORGED}" in row for row in rows), rows
        assert not [row for row in rows if row.rstrip(")") == FORGED]


async def test_a_rule_that_is_out_of_sight_is_counted(server: ScriptedServer, tmp_path: Path) -> None:
    command = f"touch {'a' * 3000} ; rm -rf b"
    async with scene(server, tmp_path) as s:
        await asked(s, server, call("execute_command", {"command": command}))
        stored = next(row for row in s.rows if "always would store: Bash(touch aaa" in row)
        assert "… and 1 more" in stored
        assert next(row for row in s.rows if "touch a" in row and "and 1 more" in row and row is not stored)
        await s.answer("s")
        await s.until_shown("Done.")
        session = s.app.core.session
        assert session is not None
        assert [each.text for each in session.rules] == [f"Bash(touch {'a' * 3000})", "Bash(rm -rf b)"]


@pytest.mark.parametrize(
    ("rule", "wanted", "why"),
    [
        (("--ask", "Bash(touch:*)"), {"command": "touch a"}, "the rule Bash(touch:*) asks every time"),
        (("--deny", "Bash(rm:*)"), {"command": "frobnicate rm a"}, "the rule Bash(rm:*) counts first"),
        ((), {"command": "touch $A"}, "no rule is narrow enough"),
        pytest.param(
            (),
            {"command": "touch a", "outside_sandbox": True},
            "what leaves the sandbox is asked about every time",
            marks=needs_bubblewrap,
        ),
    ],
    ids=["ask", "deny", "unknown", "outside"],
)
async def test_why_there_is_no_always_is_said_as_it_is(
    server: ScriptedServer, tmp_path: Path, rule: tuple[str, ...], wanted: dict[str, Any], why: str
) -> None:
    async with scene(server, tmp_path, *rule) as s:
        await asked(s, server, call("execute_command", wanted))
        assert s.shows(f"no “always” here: {why}")
        assert not s.shows("Always")
