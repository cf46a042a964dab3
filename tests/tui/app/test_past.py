"""Earlier conversations on the screen: they come back as they were, go on, go back, and are told apart."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from code_assistant.secrets import Masker
from code_assistant.session.store import SessionStore
from code_assistant.tui.composer.draft import Draft
from code_assistant.tui.past.past_screen import LAST_SEGMENTS
from code_assistant.tui.pickers.picker import Picker
from code_assistant.tui.transcript.blocks import ToolBlock
from tests.fakes.script import Gate, Hold, call, text, thinking, turn
from tests.fakes.server import ScriptedServer
from tests.tui.app.harness import KEY, Scene, scene
from tests.tui.app.test_agents import plan, spawn


def store(tmp_path: Path) -> SessionStore:
    return SessionStore(tmp_path / "home/.local/state/code-assistant/sessions", Masker(()))


def conversation(s: Scene) -> list[str]:
    """What the transcript shows from its first message on; what the program says of itself is before that."""
    rows = s.transcript_rows
    first = next(number for number, row in enumerate(rows) if row.lstrip().startswith("›"))
    return [row for row in rows[first:] if row.strip()]


async def test_sub_b4_a_conversation_comes_back_as_it_was(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, "--permission-mode", "yolo", size=(100, 60)) as s:
        server.script_default(
            [
                turn(thinking("Let me see."), text("I look."), call("read_files", {"paths": ["tax.py"]})),
                turn(call("edit", {"path": "tax.py", "edits": [{"old_text": "0.2", "new_text": "0.19"}]})),
                turn(spawn("one"), spawn("two")),
                turn(text("# All done\n\nSee `tax.py:1`.")),
            ]
        )
        server.script("The one task.", [turn(call("read_files", {"paths": ["tax.py"]})), turn(text("It is *here*."))])
        server.script("The two task.", [turn(call("glob_files", {"patterns": ["*.py"]})), turn(text("Two."))])
        await s.send("How is tax computed?")
        await s.until_shown("All done")
        await s.until_idle()
        await s.send("!echo one-line")
        await s.until_shown("one-line")
        await s.until_idle()
        await s.click_on("Do one")
        await s.until_shown("It is here.")
        await s.painted()
        before, usage, cost = conversation(s), s.app.state.usage, s.app.state.cost
    async with scene(server, tmp_path, "--continue", size=(100, 60)) as s:
        await s.until_shown("It is here.")
        await s.until(lambda: s.app.state.usage == usage, "what it has used")
        await s.painted()
        assert conversation(s) == before
        assert s.app.state.cost == pytest.approx(cost)
        assert s.app.state.mode == "ask"
        server.script_default([turn(text("Of course."))])
        await s.send("And again?")
        await s.until_shown("Of course.")
        messages = server.requests[-1].body["messages"]
        assert messages[0]["content"][0]["text"] == "How is tax computed?"
        assert messages[-1]["content"][-1]["text"] == "And again?"


async def test_children_that_did_not_end_well_come_back(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    async with scene(server, tmp_path, size=(100, 40)) as s:
        plan(
            server,
            "one",
            "two",
            one=[turn(text(pieces=["Half", Hold(gate), " done."]))],
            two=[turn(call("read_files", {"paths": ["tax.py"]})), turn(text("Two is found."))],
        )
        await s.send("go")
        await s.until(lambda: len(s.agents) == 2 and s.agent(0).record.tail, "one writes")
        await s.until(lambda: not s.agent(1).record.is_live, "two has ended")
        assert s.app.agent_desk.cancel(s.agent(0).id)
        await s.until_shown("All done.")
        await s.until_idle()
        before = conversation(s)
    async with scene(server, tmp_path, "--continue", size=(100, 40)) as s:
        await s.until_shown("All done.")
        await s.painted()
        assert conversation(s) == before
        assert [agent.record.status for agent in s.agents] == ["cancelled", "completed"]
        assert [line.title for line in s.agent(1).record.tools] == ["Read tax.py"]
        await s.press("alt+up", "alt+up", "enter")
        await s.until_shown("Two is found.")
        await s.until_shown("Read tax.py")


async def test_older_messages_come_as_one_scrolls_up(server: ScriptedServer, tmp_path: Path) -> None:
    count = LAST_SEGMENTS + 20
    async with scene(server, tmp_path) as s:
        server.script_default([turn(text(f"Answer {number}.")) for number in range(count)])
        for number in range(count):
            s.app.core.session.send(f"Question {number}")  # pyright: ignore
        await s.until_shown(f"Answer {count - 1}.")
        await s.until_idle()
    async with scene(server, tmp_path, "--continue") as s:
        await s.until_shown(f"Answer {count - 1}.")
        loaded = len(s.blocks)
        assert loaded < 2 * count
        assert not any(getattr(block, "text", "") == "Question 0" for block in s.blocks)
        s.app.view.scroll_home(animate=False)
        await s.until(lambda: len(s.blocks) > loaded, "more of it")
        await s.until(lambda: any(getattr(block, "text", "") == "Question 0" for block in s.blocks), "all of it")
        # What was in sight stays there, and every message is there once, in its order.
        said = [block.text for block in s.blocks if getattr(block, "text", "").startswith("Question")]  # pyright: ignore
        assert said == [f"Question {number}" for number in range(count)]
        await s.painted()
        s.app.view.scroll_home(animate=False)
        await s.until_shown("Question 0")


async def test_details_of_all_tools_are_those_of_older_messages_too(server: ScriptedServer, tmp_path: Path) -> None:
    count = LAST_SEGMENTS
    async with scene(server, tmp_path) as s:
        server.script_default(
            [
                turn(call("read_files", {"paths": ["tax.py"]})),
                *(turn(text(f"Answer {number}.")) for number in range(count + 1)),
            ]
        )
        for number in range(count + 1):
            s.app.core.session.send(f"Question {number}")  # pyright: ignore
        await s.until_shown(f"Answer {count}.")
        await s.until_idle()
    async with scene(server, tmp_path, "--continue") as s:
        await s.until_shown(f"Answer {count}.")
        assert not any(isinstance(block, ToolBlock) for block in s.blocks)
        await s.press("ctrl+o")
        s.app.view.scroll_home(animate=False)
        await s.until(lambda: any(isinstance(block, ToolBlock) for block in s.blocks), "the first of it")
        await s.until(
            lambda: all(block.is_expanded for block in s.blocks if isinstance(block, ToolBlock)), "its details"
        )


async def test_resume_lists_conversations_and_goes_on_with_the_chosen_one(
    server: ScriptedServer, tmp_path: Path
) -> None:
    async with scene(server, tmp_path) as s:
        server.script("the first question", [turn(text("First answer."))])
        server.script("the second question", [turn(text("Second answer."))])
        await s.send("the first question")
        await s.until_shown("First answer.")
        await s.until_idle()
        await s.send("/rename The tax at checkout")
        await s.until_shown("is called")
        await s.send("/new")
        await s.until_gone("First answer.")
        await s.send("the second question")
        await s.until_shown("Second answer.")
        await s.until_idle()
        await s.send("/resume")
        picker = await s.until_dialog(Picker)
        assert isinstance(picker, Picker)
        assert [row.title for row in picker.found] == ["the second question", "The tax at checkout"]
        await s.type("tax")
        await s.press("enter")
        await s.until_shown("First answer.")
        assert not s.shows("Second answer.")
        await s.until(lambda: s.app.core.session is not None, "a session")
        await s.send("/resume")
        picker = await s.until_dialog(Picker)
        await s.press("enter")
        await s.until_shown("the conversation that is open")


async def test_safe_r11_what_is_open_elsewhere_can_be_copied_or_looked_at(
    server: ScriptedServer, tmp_path: Path
) -> None:
    server.script_default([turn(text("First answer."))])
    async with scene(server, tmp_path) as s:
        await s.send("the question")
        await s.until_shown("First answer.")
        await s.until_idle()
        (summary,) = store(tmp_path).list()
    files, _ = store(tmp_path).open(summary.id)
    try:
        async with scene(server, tmp_path, "--continue") as s:
            await s.until_dialog(Picker)
            await s.press("down", "enter")
            await s.until_shown("First answer.")
            await s.send("hello")
            await s.until_shown("only shown here")
            assert s.app.composer.text == "hello"
            assert len(server.requests) == 1
            s.app.composer.clear_draft()
            await s.send("/rename mine")
            await s.until(lambda: "only shown here" in s.notices[-1], "it is refused")
            await s.send("/export seen.md")
            await s.until(lambda: any("seen.md. Keys" in notice for notice in s.notices), "it can be written down")
            await s.send("/fork")
            await s.until_shown("This is a copy.")
            await s.until(lambda: s.app.core.session is not None, "a session")
        async with scene(server, tmp_path, "--resume", summary.id) as s:
            await s.until_dialog(Picker)
            await s.press("enter")
            await s.until_shown("First answer.")
            await s.until(lambda: s.app.core.session is not None, "a session")
            assert s.app.core.session is not None
            assert s.app.core.session.id != summary.id
            server.script_default([turn(text("In the copy."))])
            await s.send("and now?")
            await s.until_shown("In the copy.")
            assert len(server.requests[-1].body["messages"]) == 3
    finally:
        files.close()
    assert len(store(tmp_path).list()) == 3


@pytest.mark.parametrize("way", ["keys", "command"])
async def test_going_back_to_an_earlier_message(server: ScriptedServer, tmp_path: Path, way: str) -> None:
    async with scene(server, tmp_path) as s:
        server.script_default([turn(text("First answer.")), turn(text("Second answer.")), turn(text("Third answer."))])
        for question, answer in (("one?", "First answer."), ("two?", "Second answer.")):
            await s.send(question)
            await s.until_shown(answer)
            await s.until_idle()
        usage = s.app.state.usage
        if way == "keys":
            await s.press("escape", "escape")
        else:
            await s.send("/rewind")
        picker = await s.until_dialog(Picker)
        assert isinstance(picker, Picker)
        assert [row.title for row in picker.found] == ["two?", "one?"]
        await s.press("enter")
        await s.until(lambda: isinstance(s.app.screen, Picker) and s.app.screen is not picker, "what is to go back")
        await s.press("down", "enter")
        await s.until_gone("Second answer.")
        await s.until(lambda: s.app.composer.text == "two?", "the message is back")
        assert s.shows("First answer.")
        assert s.app.state.usage == usage
        s.app.composer.clear_draft()
        await s.send("three?")
        await s.until_shown("Third answer.")
        assert [each["content"][0]["text"] for each in server.requests[-1].body["messages"]] == [
            "one?",
            "First answer.",
            "three?",
        ]
        await s.until_idle()
    async with scene(server, tmp_path, "--continue") as s:
        await s.until_shown("Third answer.")
        assert not any(getattr(block, "text", "") == "two?" for block in s.blocks)


async def test_what_is_sent_while_the_past_is_loaded_waits_for_it(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        server.script_default([turn(text("First answer.")), turn(text("Second answer."))])
        await s.send("one?")
        await s.until_shown("First answer.")
        await s.until_idle()
    may_open = asyncio.Event()
    async with scene(server, tmp_path, "--continue", may_open=may_open) as s:
        await s.send("two?")
        await s.until_shown("First answer.")
        may_open.set()
        await s.until_shown("Second answer.")
        assert len(server.requests[-1].body["messages"]) == 3


async def test_a_session_that_cannot_be_had_is_said_and_a_new_one_begins(
    server: ScriptedServer, tmp_path: Path
) -> None:
    server.script_default([turn(text("Hello."))])
    async with scene(server, tmp_path, "--continue") as s:
        await s.until_shown("No conversation was held in")
        await s.send("hi")
        await s.until_shown("Hello.")


async def test_words_find_a_conversation_by_what_a_sub_agent_said(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        plan(server, "one", one=[turn(text("A rare platypus stands here."))])
        await s.send("look around")
        await s.until_shown("All done.")
        await s.until_idle()
        await s.send("/new")
        await s.until_gone("All done.")
        await s.send("/resume no such words")
        await s.until_shown("No conversation has these words")
        await s.send("/resume rare platypus")
        picker = await s.until_dialog(Picker)
        assert isinstance(picker, Picker)
        assert all("platypus" in row.title for row in picker.found)
        await s.press("enter")
        await s.until_shown("look around")
        await s.until_shown("All done.")


@pytest.mark.parametrize("form", ["md", "html"])
async def test_export_writes_a_private_file_beside_the_code(server: ScriptedServer, tmp_path: Path, form: str) -> None:
    async with scene(server, tmp_path) as s:
        await s.send(f"/export {form}")
        await s.until_shown("Nothing was said yet")
        plan(server, "one", one=[turn(text("It is *here*."))])
        await s.send("look around")
        await s.until_shown("All done.")
        await s.until_idle()
        await s.send(f"/export {form}")
        await s.until_shown("This conversation is written to")
        (path,) = s.folder.glob(f"*look-around.{form}")
        assert path.stat().st_mode & 0o777 == 0o600
        assert "look around" in path.read_text()
        assert "Do one" in path.read_text()
        await s.send(f"/export notes.{form}")
        await s.until(lambda: any(f"notes.{form}. Keys" in notice for notice in s.notices), "the named file")
        assert (s.folder / f"notes.{form}").exists()
        await s.send(f"/export notes.{form}")
        await s.until(lambda: any("there already" in notice for notice in s.notices), "it is not written over")


async def test_what_a_session_has_used_counts_when_it_goes_on(server: ScriptedServer, tmp_path: Path) -> None:
    limit = {"CODE_ASSISTANT_SESSION__MAX_TOKENS": "100"}
    async with scene(server, tmp_path) as s:
        server.script_default([turn(text("First answer."), usage={"input_tokens": 150, "output_tokens": 5})])
        await s.send("one?")
        await s.until_shown("First answer.")
        await s.until_idle()
    async with scene(server, tmp_path, "--continue", variables=limit) as s:
        await s.send("two?")
        await s.until_shown("budget is used up")
    assert len(server.requests) == 1


async def choose_to_go_back(s: Scene, *keys: str) -> None:
    """Esc Esc, then these keys for the message; what follows chooses what goes back."""
    await s.press("escape", "escape")
    picker = await s.until_dialog(Picker)
    await s.press(*keys, "enter")
    await s.until(lambda: isinstance(s.app.screen, Picker) and s.app.screen is not picker, "what is to go back")


async def test_conversation_and_files_go_back_where_no_file_was_changed(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        server.script_default([turn(text("First answer."))])
        await s.send("one?")
        await s.until_shown("First answer.")
        await s.until_idle()
        await choose_to_go_back(s)
        await s.press("enter")
        await s.until_gone("First answer.")
        await s.until(lambda: s.app.composer.text == "one?", "the message is back")


async def test_going_on_from_an_earlier_message_in_a_copy(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        server.script_default([turn(text("First answer.")), turn(text("Second answer."))])
        for question, answer in (("one?", "First answer."), ("two?", "Second answer.")):
            await s.send(question)
            await s.until_shown(answer)
            await s.until_idle()
        assert s.app.core.session is not None
        original = s.app.core.session.id
        await choose_to_go_back(s)
        await s.press("down", "down", "down", "enter")
        await s.until_shown("This is a copy.")
        await s.until(lambda: s.app.core.session is not None and s.app.core.session.id != original, "another session")
        assert s.app.composer.text == "two?"
        assert s.shows("First answer.")
        assert not s.shows("Second answer.")
    assert {summary.id for summary in store(tmp_path).list()} > {original}


async def test_the_model_that_is_used_is_shown_after_going_back(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        server.script_default([turn(text("First answer.")), turn(text("Second answer."))])
        await s.send("one?")
        await s.until_shown("First answer.")
        await s.until_idle()
        await s.send("/model opus")
        await s.until(lambda: "opus" in s.app.state.model, "another model")
        model = s.app.state.model
        await choose_to_go_back(s)
        await s.press("down", "enter")
        await s.until_gone("First answer.")
        assert s.app.state.model == model


async def test_new_and_resume_at_once_do_not_mix(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        server.script_default([turn(text("First answer."))])
        await s.send("one?")
        await s.until_shown("First answer.")
        await s.until_idle()
        assert s.app.core.session is not None
        first = s.app.core.session.id
        await s.send("/new")
        await s.until_gone("First answer.")
        await s.until(lambda: s.app.core.session is not None, "a session")
        # Both before either has come to its end.
        s.app.sender.send(Draft("/new"))
        s.app.sender.send(Draft(f"/resume {first}"))
        await s.until_shown("First answer.")
        await s.until(lambda: s.app.core.session is not None and s.app.core.session.id == first, "the chosen session")


async def test_a_name_given_before_anything_is_said_counts(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        server.script_default([turn(text("First answer."))])
        await s.send("/rename The beginning")
        await s.until_shown("is called")
        await s.send("one?")
        await s.until_shown("First answer.")
        await s.until_idle()
    (summary,) = store(tmp_path).list()
    assert summary.title == "The beginning"


async def test_safe_k1_a_key_in_a_name_is_masked(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        server.script_default([turn(text("First answer."))])
        await s.send("one?")
        await s.until_shown("First answer.")
        await s.send("/rename with test-key-1 and ghp_0123456789abcdefghijABCDEFGHIJ012345")
        await s.until_shown("is called")
        await s.send("/resume")
        await s.until_dialog(Picker)
        await s.press("escape")
    for path in (tmp_path / "home").rglob("*"):
        if path.is_file():
            assert KEY.encode() not in path.read_bytes(), path
            assert b"ghp_0123456789" not in path.read_bytes(), path


async def test_in_another_folder_it_is_said_where_a_conversation_was_held(
    server: ScriptedServer, tmp_path: Path
) -> None:
    async with scene(server, tmp_path) as s:
        server.script_default([turn(text("First answer."))])
        await s.send("one?")
        await s.until_shown("First answer.")
        await s.until_idle()
    (summary,) = store(tmp_path).list()
    (tmp_path / "shop").rename(tmp_path / "old-shop")
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/tax.py").write_text("")
    files, _ = store(tmp_path).open(summary.id)
    files.close()
    path = store(tmp_path).folder / summary.id / "session.jsonl"
    path.write_text(path.read_text().replace(str(tmp_path / "shop"), str(tmp_path / "old-shop"), 1))
    async with scene(server, tmp_path, "--resume", summary.id[:8]) as s:
        await s.until_shown("First answer.")
        await s.until(lambda: any("was held in" in notice for notice in s.notices), "where it was held")
