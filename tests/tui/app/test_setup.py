"""Without a key: the explorer answers, and the screen helps to set up a model."""

from __future__ import annotations

import json
import stat
from pathlib import Path

from code_assistant.tui.pickers.picker import Picker
from code_assistant.tui.setup.key_entry import KeyEntry, key_problem
from code_assistant.tui.transcript.agent_block import AgentBlock
from tests.fakes.script import text, turn
from tests.fakes.server import ScriptedServer
from tests.tui.app.harness import Scene, scene

ENTERED = "sk-entered-0123456789"


async def opened_setup(s: Scene) -> Picker:
    await s.until_dialog(Picker)
    picker = s.app.screen
    assert isinstance(picker, Picker)
    return picker


def titles(picker: Picker) -> list[str]:
    return [row.title for row in picker.found]


def config(tmp_path: Path) -> Path:
    return tmp_path / "home" / ".config" / "code-assistant"


async def test_the_first_start_without_a_key(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, key="") as s:
        picker = await opened_setup(s)
        await s.until_shown("no model server runs here")
        assert titles(picker) == [
            "Explore offline",
            "Anthropic key",
            "OpenAI key",
            "OpenRouter key",
            "(no model server runs here)",
        ]
        assert "offline explorer (no language model)" in s.rows[0]
        await s.press("enter")
        await s.until(lambda: s.app.composer.text == "Give me an overview of this code base", "it is suggested")
        await s.press("enter")
        await s.until(lambda: any(isinstance(block, AgentBlock) for block in s.app.transcript.blocks), "agents")
        await s.until_idle()
        assert "offline explorer (no language model)" in s.app.bridge.last_answer
        assert server.requests == []
    # What was chosen is remembered: the next start asks nothing.
    async with scene(server, tmp_path, key="") as s:
        await s.until(lambda: "offline" in s.app.state.model, "it begins with it")
        assert not isinstance(s.app.screen, Picker)


async def test_escape_leaves_the_explorer_and_asks_again_next_time(server: ScriptedServer, tmp_path: Path) -> None:
    for _ in range(2):
        async with scene(server, tmp_path, key="") as s:
            await opened_setup(s)
            await s.press("escape")
            await s.send("thanks")
            await s.until_idle()
            assert "offline explorer (no language model)" in s.app.bridge.last_answer


async def test_a_key_ends_no_conversation(server: ScriptedServer, tmp_path: Path) -> None:
    server.keys = {ENTERED}
    server.script_default([turn(text("I am another."))])
    async with scene(server, tmp_path, key="", variables={"OPENAI_BASE_URL": f"{server.url}/v1"}) as s:
        await opened_setup(s)
        await s.press("escape")
        await s.send("where is compute_tax defined?")
        await s.until_shown("tax.py:4")
        await s.until_idle()
        await s.send("/model gpt")
        await s.until_dialog(KeyEntry)
        await s.type(ENTERED)
        await s.press("enter")
        await s.until(lambda: s.app.state.model == "gpt-6-sol", "the model is another one")
        assert s.shows("tax.py:4")
        await s.send("and you?")
        await s.until_shown("I am another.")
        await s.until_idle()
        assert "compute_tax" in str(server.requests[-1].body["messages"])
    # It is kept, and so is what was chosen.
    async with scene(server, tmp_path, key="", variables={"OPENAI_BASE_URL": f"{server.url}/v1"}) as s:
        await s.until(lambda: s.app.state.model == "gpt-6-sol", "it begins with it")
        assert not isinstance(s.app.screen, Picker)


async def test_an_alias_finds_its_model_first(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await s.send("/model")
        picker = await opened_setup(s)
        await s.type("opus")
        assert picker.highlighted is not None
        assert picker.highlighted.value == "claude-opus-5-5"
        await s.press("escape")


async def test_a_misspelt_model_is_no_missing_key(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, key="") as s:
        await opened_setup(s)
        await s.press("escape")
        await s.send("/model sonet")
        await s.until(lambda: "There is no model 'sonet'. Did you mean sonnet?" in s.notices[-1], "it is told")


async def test_a_key_is_entered_kept_and_used(server: ScriptedServer, tmp_path: Path) -> None:
    server.keys = {ENTERED}
    server.script_default([turn(text(f"You said {ENTERED}."))])
    async with scene(server, tmp_path, key="") as s:
        await opened_setup(s)
        await s.type("anthropic")
        await s.press("enter")
        await s.until_dialog(KeyEntry)
        await s.type(ENTERED)
        await s.until_shown(f"{len(ENTERED)} characters")
        assert not s.shows(ENTERED)
        await s.press("enter")
        await s.until_shown("The key is kept in")
        kept = config(tmp_path) / "keys.json"
        assert json.loads(kept.read_text()) == {"ANTHROPIC_API_KEY": ENTERED}
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        await s.until(lambda: s.app.state.model == "claude-sonnet-5-5", "the model is another one")
        await s.send("hi")
        await s.until_shown("You said [key removed].")
        await s.until_idle()
        assert not s.shows(ENTERED)


async def test_what_can_be_no_key_is_not_taken(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, key="") as s:
        await opened_setup(s)
        await s.type("openai")
        await s.press("enter")
        await s.until_dialog(KeyEntry)
        await s.press("enter")
        await s.until_shown("Nothing was entered yet.")
        await s.type("short")
        await s.press("enter")
        await s.until_shown("This is too short to be a key.")
        await s.press("ctrl+u", "escape")
        await s.until(lambda: not isinstance(s.app.screen, KeyEntry), "it is closed")
        assert not (config(tmp_path) / "keys.json").exists()


def test_what_can_be_a_key() -> None:
    assert key_problem(ENTERED) == ""
    assert key_problem("sk-one two three") != ""
    assert key_problem("sk-entered-ü123456") != ""
    assert key_problem("sk-entered-\x1b[31m") != ""


async def test_a_server_on_this_machine_is_offered_and_used(server: ScriptedServer, tmp_path: Path) -> None:
    server.keys = None
    server.models = {"qwen3:8b"}
    server.script_default([turn(text("I am local."))])
    async with scene(server, tmp_path, key="", local=server.url) as s:
        picker = await opened_setup(s)
        await s.until(lambda: "ollama/qwen3:8b" in titles(picker), "it is found")
        await s.type("qwen")
        await s.press("enter")
        await s.until(lambda: s.app.state.model == "ollama/qwen3:8b", "it is chosen")
        await s.send("hi")
        await s.until_shown("I am local.")
        await s.until_idle()
    async with scene(server, tmp_path, key="", local=server.url) as s:
        await s.until(lambda: s.app.state.model == "ollama/qwen3:8b", "it is remembered")


async def test_who_is_typing_is_not_disturbed(server: ScriptedServer, tmp_path: Path) -> None:
    import asyncio

    may_open = asyncio.Event()
    async with scene(server, tmp_path, key="", may_open=may_open) as s:
        await s.type("where is compute")
        may_open.set()
        await s.until_shown("No model is set up")
        assert s.app.composer.text == "where is compute"
        assert not isinstance(s.app.screen, Picker)


async def test_what_was_sent_early_is_answered_by_the_explorer(server: ScriptedServer, tmp_path: Path) -> None:
    import asyncio

    may_open = asyncio.Event()
    async with scene(server, tmp_path, key="", may_open=may_open) as s:
        await s.send("where is compute_tax defined?")
        may_open.set()
        await s.until_shown("tax.py:4")
        await s.until_idle()
        assert not isinstance(s.app.screen, Picker)


async def test_a_model_without_its_key_asks_for_it(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await s.send("/model gpt-6-sol")
        await s.until_dialog(KeyEntry)
        await s.until_shown("Key for OpenAI")
        await s.press("escape")
        await s.until(lambda: not isinstance(s.app.screen, KeyEntry), "it is closed")
        assert s.app.state.model == "claude-sonnet-5-5"


async def test_a_wanted_model_without_its_key_is_said(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, "-m", "opus", key="") as s:
        await opened_setup(s)
        assert any("There is no key for Anthropic. Set ANTHROPIC_API_KEY." in words for words in s.notices)


async def test_the_list_of_models_leads_to_the_set_up(server: ScriptedServer, tmp_path: Path) -> None:
    server.models = {"qwen3:8b"}
    async with scene(server, tmp_path, local=server.url) as s:
        await s.send("/model")
        await s.until_dialog(Picker)
        await s.type("set up")
        await s.press("enter")
        await s.until_shown("Set up a model")
        await s.press("escape")


async def test_who_types_after_the_first_choice_replaces_the_suggestion(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, key="") as s:
        await s.until_dialog()
        await s.type("offline")
        await s.press("enter")
        await s.until(lambda: s.app.composer.text == "Give me an overview of this code base", "it is suggested")
        await s.type("find TODO")
        assert s.app.composer.text == "find TODO"
