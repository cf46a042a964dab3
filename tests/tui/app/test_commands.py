"""Every slash command, through the whole app."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from code_assistant.tui.commands import COMMANDS, INIT_PROMPT, LATER
from code_assistant.tui.pickers.picker import Picker
from code_assistant.tui.pickers.rule_entry import RuleEntry
from code_assistant.tui.pickers.text_screen import KeyHelp, TextScreen
from tests.fakes.script import Gate, after, call, status, text, turn
from tests.fakes.server import ScriptedServer
from tests.tui.app.harness import Scene, scene


async def closed(s: Scene) -> None:
    await s.press("escape")
    await s.until(lambda: s.app.screen is s.app.main, "the window is closed")


@pytest.mark.parametrize("line", ["/help", "/?"])
async def test_help_lists_all_commands_and_keys(server: ScriptedServer, tmp_path: Path, line: str) -> None:
    async with scene(server, tmp_path, size=(120, 90)) as s:
        await s.send(line)
        await s.until_dialog(KeyHelp)
        for command in COMMANDS:
            assert any(f"/{command.name}" in row and command.help in row for row in s.rows), command
        assert s.shows("shift+tab")
        await closed(s)
        assert server.requests == []


async def test_the_model_is_picked_from_a_list(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(text("From another."))])
    async with scene(server, tmp_path) as s:
        await s.send("/model")
        picker = await s.until_dialog(Picker)
        assert isinstance(picker, Picker)
        assert picker.highlighted is not None
        assert picker.highlighted.value == s.app.state.model
        await s.type("haiku")
        await s.press("enter")
        await s.until(lambda: "haiku" in s.app.state.model, "another model")
        await s.painted()
        assert s.app.state.model in s.rows[0]
        await s.send("go")
        await s.until_shown("From another.")
        assert "haiku" in server.requests[0].body["model"]


async def test_the_model_can_be_named_and_leaving_the_list_changes_nothing(
    server: ScriptedServer, tmp_path: Path
) -> None:
    async with scene(server, tmp_path) as s:
        before = s.app.state.model
        await s.send("/model")
        await s.until_dialog(Picker)
        await closed(s)
        assert s.app.state.model == before
        await s.send("/model opus")
        await s.until(lambda: "opus" in s.app.state.model, "another model")


async def test_without_a_session_there_is_no_model_to_choose(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, key="no kéy") as s:
        await s.send("/model opus")
        await s.until(lambda: "no session" in s.notices[-1], "it is told")


async def test_themes_are_previewed_while_one_walks_them(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await s.send("/theme")
        await s.until_dialog(Picker)
        await s.press("down")
        seen = s.app.chosen_theme.name
        assert seen != "harbor-dark"
        assert s.app.theme == seen
        await closed(s)
        await s.until(lambda: s.app.chosen_theme.name == "harbor-dark", "as before")
        assert s.app.theme == "harbor-dark"
        await s.send("/theme")
        await s.until_dialog(Picker)
        await s.type("light")
        await s.press("enter")
        await s.until(lambda: s.app.screen is s.app.main and "light" in s.app.chosen_theme.name, "a light theme")
        await s.until(lambda: 'theme = "' in s.notices[-1], "how to keep it")


async def test_a_theme_can_be_named(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await s.send("/theme harbor-light")
        await s.until(lambda: s.app.chosen_theme.name == "harbor-light", "the theme")
        await s.send("/theme nonsense")
        await s.until(lambda: "There is no theme 'nonsense'" in s.notices[-1], "it is told")
        assert s.app.chosen_theme.name == "harbor-light"


async def test_permissions_lists_modes_and_rules(server: ScriptedServer, tmp_path: Path) -> None:
    made = call("execute_command", {"command": "touch made"})
    server.script_default([turn(made), turn(made), turn(text("Done."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.answer("s")
        await s.until_shown("Done.")
        await s.send("/permissions")
        await s.until_dialog(Picker)
        for mode in ("ask", "accept-edits", "plan", "yolo"):
            assert s.shows(mode)
        assert s.shows("allow Bash(touch made)")
        assert s.shows("from this session · matched once, last: touch made")
        await s.type("yolo")
        await s.press("enter")
        await s.until(lambda: s.app.state.mode == "yolo", "the mode")
        await s.painted()
        assert "YOLO" in s.rows[0]


RULES = "Permissions: choose the mode, or a rule"


async def pick(s: Scene, title: str, words: str) -> None:
    """Choose the row that these words find, in the list with this title."""
    await s.until(lambda: s.shows(title), title)
    await s.type(words)
    await s.press("enter")


async def test_permissions_adds_keeps_and_deletes_rules(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(call("execute_command", {"command": "touch made"})), turn(text("Denied so."))])
    async with scene(server, tmp_path) as s:
        await s.until(lambda: s.app.core.session is not None, "a session")
        session = s.app.core.session
        assert session is not None
        await s.send("/permissions")
        await pick(s, RULES, "Add a rule")
        await s.until_dialog(RuleEntry)
        await s.type("Bsh(touch:*)")
        await s.until(lambda: s.shows("Did you mean Bash?"), "what is wrong with it")
        await s.press("enter")
        await s.until_dialog(RuleEntry)
        await s.press("ctrl+u")
        await s.type("Bash(touch:*)")
        await s.until(lambda: s.shows("This is a rule."), "that it is one")
        await s.press("enter")
        await pick(s, "What is Bash(touch:*) to do?", "never")
        await pick(s, "Where does Bash(touch:*) count?", "until")
        await s.until(lambda: [each.list for each in session.rules] == ["deny"], "the rule")
        assert session.rules[0].source == "this session"
        # Of this session, so it can be kept.
        await pick(s, RULES, "touch")
        await pick(s, "This rule", "all folders")
        await s.until(lambda: [each.source for each in session.rules] == ["permissions.json"], "the kept rule")
        await s.until(lambda: s.shows("from permissions.json"), "the list")
        await closed(s)
        await s.send("go")
        await s.until_shown("Denied so.")
        assert not (s.folder / "made").exists()
        kept = tmp_path / "home/.config/code-assistant/permissions.json"
        assert json.loads(kept.read_text()) == {"permissions": {"deny": ["Bash(touch:*)"]}}
        await s.send("/permissions")
        await s.until_dialog(Picker)
        assert s.shows("matched once, last: touch made")
        await pick(s, RULES, "touch")
        await pick(s, "This rule", "Delete")
        await s.until(lambda: session.rules == (), "no rule")
        assert json.loads(kept.read_text()) == {"permissions": {"deny": []}}
        await s.until(lambda: s.shows(RULES), "the list")
        await closed(s)


async def test_permissions_says_that_a_rule_of_one_agent_is_kept_for_all(
    server: ScriptedServer, tmp_path: Path
) -> None:
    server.script_default([turn(call("execute_command", {"command": "touch made"})), turn(text("Done."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.answer("a")
        await s.until_shown("Done.")
        await s.send("/permissions")
        await pick(s, RULES, "touch")
        await s.until_shown("for all agents, for good, in this folder")
        assert s.shows("for all agents, for good, in all folders")
        await s.press("escape")
        await s.until(lambda: s.shows(RULES), "the list")
        await closed(s)


async def test_permissions_says_where_a_rule_of_a_file_is_changed(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, "--deny", "Read(.env)") as s:
        await s.until(lambda: s.app.core.session is not None, "a session")
        await s.send("/permissions")
        await pick(s, RULES, "env")
        await s.until(lambda: s.shows("It comes from command line: change it there."), "where it stands")
        await s.press("escape")
        await s.until(lambda: s.shows(RULES), "the list")
        await closed(s)


async def test_permissions_changes_the_text_of_a_rule(server: ScriptedServer, tmp_path: Path) -> None:
    kept = tmp_path / "home/.config/code-assistant/permissions.json"
    kept.parent.mkdir(parents=True)
    kept.write_text(json.dumps({"permissions": {"deny": ["Bash(rm:*)", "Bash(touch:*)"]}}))
    server.script_default([turn(call("execute_command", {"command": "mkdir made"})), turn(text("Denied so."))])
    async with scene(server, tmp_path) as s:
        await s.until(lambda: s.app.core.session is not None, "a session")
        session = s.app.core.session
        assert session is not None
        await s.send("/permissions")
        await pick(s, RULES, "touch")
        await pick(s, "This rule", "Change it")
        await s.until_dialog(RuleEntry)
        await s.until(lambda: s.shows("› Bash(touch:*)") and s.shows("This is a rule."), "the old text")
        await s.press(*["backspace"] * len("touch:*)"))
        await s.type("mkdir:*")
        await s.press("enter")
        await s.until_dialog(RuleEntry)
        await s.type(")")
        await s.press("enter")
        await s.until(lambda: s.shows("deny Bash(mkdir:*)"), "the list")
        assert [(each.list, each.text, each.source) for each in session.rules] == [
            ("deny", "Bash(rm:*)", "permissions.json"),
            ("deny", "Bash(mkdir:*)", "permissions.json"),
        ]
        assert json.loads(kept.read_text()) == {"permissions": {"deny": ["Bash(rm:*)", "Bash(mkdir:*)"]}}
        await closed(s)
        await s.send("go")
        await s.until_shown("Denied so.")
        assert not (s.folder / "made").exists()


async def test_permissions_tells_what_could_not_be_done_in_front_of_the_list(
    server: ScriptedServer, tmp_path: Path
) -> None:
    kept = tmp_path / "home/.config/code-assistant/permissions.json"
    kept.parent.mkdir(parents=True)
    kept.write_text(json.dumps({"permissions": {"deny": ["Bash(touch:*)"]}}))
    async with scene(server, tmp_path) as s:
        await s.until(lambda: s.app.core.session is not None, "a session")
        kept.write_text("{")
        await s.send("/permissions")
        await pick(s, RULES, "touch")
        await pick(s, "This rule", "Delete")
        await s.until_dialog(TextScreen)
        await s.until_shown("This could not be done")
        assert "permissions.json" in "".join(row.strip(" │") for row in s.rows)
        await s.press("escape")
        await s.until(lambda: s.shows(RULES) and s.shows("deny Bash(touch:*)"), "the list")
        await closed(s)


async def test_permissions_fits_every_width_also_while_it_is_open(server: ScriptedServer, tmp_path: Path) -> None:
    words = " ".join(f"word{number}" for number in range(12))
    async with scene(server, tmp_path, "--deny", f"Bash(touch {words})", size=(100, 30)) as s:
        await s.until(lambda: s.app.core.session is not None, "a session")
        await s.send("/permissions")
        await s.until_dialog(Picker)

        def shown() -> str:
            return "".join(row.strip(" │❯") for row in s.rows).replace(" ", "")

        assert "word11)" in shown()
        for width in (44, 70, 120):
            await s.pilot.resize_terminal(width, 30)
            await s.until(lambda: f"denyBash(touch{words})".replace(" ", "") in shown(), f"all of it at {width}")
        await s.pilot.resize_terminal(44, 30)
        await pick(s, RULES, "word3")
        await s.until(lambda: "Itcomesfromcommandline:changeitthere." in shown(), "where it stands")
        await s.press("escape")
        await s.until(lambda: s.shows(RULES), "the list")
        await closed(s)


async def test_permissions_takes_a_rule_as_one_entry_on_a_narrow_screen(server: ScriptedServer, tmp_path: Path) -> None:
    """However long it is, and whatever part of it is looked for."""
    words = " ".join(f"word{number}" for number in range(150))
    rules = [f"Bash(touch {words} {last})" for last in ("end1", "end2")]
    flags = [flag for rule in rules for flag in ("--deny", rule)]
    async with scene(server, tmp_path, *flags, size=(44, 60)) as s:
        await s.until(lambda: s.app.core.session is not None, "a session")
        await s.send("/permissions")
        await s.until_dialog(Picker)
        await s.type("end2")

        def shown() -> str:
            return "".join(row.strip(" │❯") for row in s.rows).replace(" ", "")

        await s.until(lambda: f"deny{rules[1]}".replace(" ", "") in shown(), "all of it")
        assert not s.shows("end1")
        await s.press("enter")
        await s.until(lambda: s.shows("This rule"), "what can be done with it")
        assert f"deny{rules[1]}".replace(" ", "") in shown()
        await s.press("escape")
        await s.until(lambda: s.shows(RULES), "the list")
        await closed(s)


async def test_cost(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(text("Done."), usage={"input_tokens": 12_345, "output_tokens": 678})])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.until_idle()
        await s.send("/cost")
        await s.until_dialog(TextScreen)
        assert s.shows("12,345")
        assert s.shows("678")
        await closed(s)


async def test_copy(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(text("The **answer**."))])
    async with scene(server, tmp_path) as s:
        await s.send("/copy")
        await s.until(lambda: s.notices[-1] == "There is no answer to copy yet.", "it is told")
        await s.send("go")
        await s.until_idle()
        await s.send("/copy")
        await s.until(lambda: s.app.copied == ["The **answer**."], "it is copied")


async def test_init_asks_the_model(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(text("Written."))])
    async with scene(server, tmp_path) as s:
        await s.send("/init")
        await s.until_shown("Written.")
        assert INIT_PROMPT in str(server.requests[0].body["messages"])


@pytest.mark.parametrize("line", ["/new", "/clear"])
async def test_a_new_conversation_forgets_the_old_one(server: ScriptedServer, tmp_path: Path, line: str) -> None:
    server.script("first", [turn(text("One."))])
    server.script("second", [turn(text("Two."))])
    async with scene(server, tmp_path) as s:
        await s.send("first")
        await s.until_shown("One.")
        await s.until_idle()
        await s.press("shift+tab")
        await s.until(lambda: s.app.state.mode == "accept-edits", "the mode")
        before = s.app.core.session
        await s.send(line)
        await s.until(lambda: s.app.core.session not in (None, before), "another session")
        await s.until_gone("One.")
        assert s.app.state.mode == "accept-edits"
        assert s.app.state.usage.total == 0
        await s.send("second")
        await s.until_shown("Two.")
        assert len(server.requests[-1].body["messages"]) == 1


async def test_a_new_conversation_in_the_middle_of_work(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    server.script("first", [after(gate, turn(text("One.")))])
    server.script("second", [turn(call("execute_command", {"command": "sleep 0"})), turn(text("Two."))])
    async with scene(server, tmp_path) as s:
        await s.send("first")
        await gate.until_reached()
        await s.send("queued")
        await s.until(lambda: s.app.state.queue, "it waits")
        await s.send("/new")
        await s.until_gone("first")
        await s.until(lambda: s.app.core.session is not None, "another session")
        assert (s.app.state.queue, s.app.state.working_since) == ([], None)
        await s.send("second")
        await s.until_prompt()
        before = s.app.core.session
        await s.send("/new")
        await s.until(lambda: s.app.core.session not in (None, before), "another session")
        assert s.panels == []
        assert s.app.state.waiting_prompts == 0


async def test_new_twice_and_at_once_is_one_new_conversation(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(text("Answered."))])
    async with scene(server, tmp_path) as s:
        sessions: set[int] = set()
        async with asyncio.TaskGroup() as group:
            for _ in range(3):
                group.create_task(s.app.start_over())
        await s.until(lambda: s.app.core.session is not None, "a session")
        sessions.add(id(s.app.core.session))
        await s.send("go")
        await s.until_shown("Answered.")
        assert len([worker for worker in s.app.workers if worker.group == "core" and worker.is_running]) == 1
        assert sessions == {id(s.app.core.session)}


async def test_after_a_failure_new_begins_without_it(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([status(400, "invalid_request_error", "no such thing"), turn(text("Never."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.until_shown("no such thing")
        before = s.app.core.session
        await s.send("/new")
        await s.until(lambda: s.app.core.session not in (None, before), "another session")
        await s.press("enter")
        await s.pilot.pause()
        assert len(server.requests) == 1


@pytest.mark.parametrize("line", ["/quit", "/exit"])
async def test_quit(server: ScriptedServer, tmp_path: Path, line: str) -> None:
    async with scene(server, tmp_path) as s:
        await s.send(line)
        await s.until(lambda: not s.app.is_running, "it quits")


async def test_what_is_no_command_stays_in_the_composer(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await s.send("/modle opus")
        await s.until(lambda: s.notices[-1] == "There is no command /modle. Did you mean /model?", "it is told")
        assert s.app.composer.text == "/modle opus"
        for name in LATER:
            await s.send(f"/{name}")
            await s.until(lambda name=name: s.notices[-1].startswith(f"/{name} is not available yet"), name)
        assert server.requests == []


async def test_a_path_is_no_command(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(text("A path."))])
    async with scene(server, tmp_path) as s:
        await s.send("/etc/hosts is what?")
        await s.until_shown("A path.")


async def test_a_model_is_answered_and_one_that_nobody_knows_is_warned_of(
    server: ScriptedServer, tmp_path: Path
) -> None:
    async with scene(server, tmp_path) as s:
        await s.send("/model haiku")
        await s.until(lambda: "haiku" in s.notices[-1], "it is told")
        assert "from the next request on" in s.notices[-1]
        await s.send("/model claude-hiaku")
        await s.until(lambda: "no model that is known" in s.notices[-1], "it is warned of")
        assert "Did you mean" in s.notices[-1]
        assert "haiku" in s.notices[-1].partition("Did you mean")[2]
        await s.send("/model nope")
        await s.until(lambda: "'nope'" in s.notices[-1], "it is warned of")


async def test_permissions_shows_long_rules_whole(server: ScriptedServer, tmp_path: Path) -> None:
    words = " ".join(f"word{number}" for number in range(30))
    server.script_default([turn(call("execute_command", {"command": f"sleep 0 {words}"})), turn(text("Done."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.answer("s")
        await s.until_shown("Done.")
        await s.send("/permissions")
        await s.until_dialog(Picker)
        shown = "".join(row.strip(" │┃▕▏|") for row in s.rows)
        assert all(f"word{number}" in shown.replace(" ", "") for number in range(30))
        assert s.shows("reading here is free, the rest asks")
