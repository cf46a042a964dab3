"""One sub-agent on the whole screen, over the real session: opened while it works and after, spoken to, left again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from code_assistant.tui.agents.agent_screen import AgentScreen
from code_assistant.tui.agents.agents_list import AgentsList
from code_assistant.tui.pickers.file_lines import LinesScreen
from code_assistant.tui.pickers.picker import Picker
from code_assistant.tui.transcript.agent_block import AgentBlock
from code_assistant.tui.transcript.blocks import AnswerBlock, NoticeBlock, PersonBlock
from tests.fakes.script import Block, Gate, Interruption, Scripted, call, hold, text, thinking, turn
from tests.fakes.server import LoggedRequest, ScriptedServer
from tests.tui.app.harness import Scene, scene

TASK = "Find the tax computation."


def spawn(instructions: str = TASK, **more: Any) -> Block:
    return call("spawn_agent", {"instructions": instructions, **more})


def script(server: ScriptedServer, child: list[Scripted], *after_it: Scripted, instructions: str = TASK) -> None:
    """The main agent spawns one that is told TASK; then it goes on."""
    server.script("go", [turn(text("I'll have a look."), spawn(instructions)), *(after_it or (turn(text("Done.")),))])
    server.script(TASK, child)


def agent_screen(s: Scene) -> AgentScreen:
    screen = s.app.screen
    assert isinstance(screen, AgentScreen)
    return screen


def agent_block(s: Scene, number: int = 0) -> AgentBlock:
    return [block for block in s.blocks if isinstance(block, AgentBlock)][number]


async def opened(s: Scene, number: int = 0) -> AgentScreen:
    """With the keyboard: mark the block, open it."""
    await s.until(lambda: len(s.app.bridge.agents.records) > number, "the agent is there")
    s.app.main.set_focus(s.app.view)
    s.app.view.mark(agent_block(s, number))
    await s.press("enter")
    await s.until(lambda: isinstance(s.app.screen, AgentScreen) and s.app.screen.agent.is_loaded, "it is open")
    await s.painted()
    return agent_screen(s)


def told(request: LoggedRequest) -> str:
    return json.dumps(request.body["messages"], ensure_ascii=False)


def requests(server: ScriptedServer, key: str) -> list[LoggedRequest]:
    return [each for each in server.requests if each.conversation == key]


def held(gate: Gate, *pieces: str | Interruption) -> Block:
    return text(pieces=["First words", hold(gate), *pieces])


async def test_the_whole_transcript_while_it_is_being_written(server: ScriptedServer, tmp_path: Path) -> None:
    reading, writing = Gate(), Gate()
    script(
        server,
        [
            turn(thinking("Where may it be?"), text("I'll read it."), call("read_files", {"paths": ["tax.py"]})),
            turn(text(pieces=["It is ", hold(reading), "in tax.py ", hold(writing), "and nowhere else."])),
        ],
    )
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await reading.until_reached()
        # What was written before it was opened is there, and nothing of it twice.
        await s.until(lambda: agent_block(s).record.tail == "It is ", "some text is known")
        screen = await opened(s)
        await s.until_shown("It is")
        shown = "\n".join(s.rows)
        for words in (TASK, "Thought", "I'll read it.", "Read tax.py", "helper-1", "turn 2/10"):
            assert words in shown, shown
        assert shown.count("It is") == 1
        reading.open()
        await s.until_shown("It is in tax.py")
        assert not s.shows("nowhere else")
        writing.open()
        await s.until_shown("It is in tax.py and nowhere else.")
        await s.until_shown("Completed · 2 turns · 1 tool call")
        assert sum("nowhere" in row for row in s.rows) == 1
        assert isinstance(screen.agent.transcript.blocks[0], PersonBlock)
        await s.press("escape")
        await s.until_idle()
        assert s.app.screen is s.app.main


async def test_what_the_person_says_is_read_by_the_child_and_never_by_its_parent(
    server: ScriptedServer, tmp_path: Path
) -> None:
    gate = Gate()
    script(
        server,
        [
            turn(held(gate, " there."), call("read_files", {"paths": ["tax.py"]})),
            turn(text("Only the tests, then.")),
        ],
        turn(text("Thank you, all done.")),
    )
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await gate.until_reached()
        screen = await opened(s)
        await s.type("Look at tests only!")
        assert screen.composer.has_focus
        assert screen.composer.draft().text == "Look at tests only!"
        await s.press("enter")
        await s.until_shown("not read yet: Look at tests only!")
        assert screen.composer.is_empty
        gate.open()
        await s.until_gone("not read yet")
        await s.until_shown("Only the tests, then.")
        assert s.shows("› Look at tests only!")
        await s.press("escape", "escape")
        await s.until_idle()
        assert "Look at tests only!" not in "\n".join(s.rows)
    first, second = requests(server, TASK)
    assert "Look at tests only!" not in told(first)
    assert "Look at tests only!" in told(second)
    assert [each for each in requests(server, "go") if "tests only!" in told(each)] == []


async def test_an_agent_that_ends_before_it_reads_what_was_said(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    script(server, [turn(held(gate, " and no more."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await gate.until_reached()
        screen = await opened(s)
        await s.type("wait for this\n")
        await s.until_shown("not read yet: wait for this")
        await s.press("escape")
        await s.press("alt+up", "x")
        await s.until(lambda: not screen.record.is_live, "it has ended")
        await s.until_shown("helper-1 ended before it read this:")
        assert s.shows("helper-1 has ended")
        # It can be taken back with the keys for blocks.
        blocks = screen.agent.transcript.blocks
        assert isinstance(blocks[-1], PersonBlock)
        assert blocks[-1].text == "wait for this"
        screen.view.mark(blocks[-1])
        await s.press("c")
        assert s.app.copied[-1] == "wait for this"
        # Nothing more can be said to it.
        await s.press("escape")
        await s.type("hello")
        assert screen.composer.is_empty
        await s.press("escape")
        await s.until_idle()
        assert any("ended before it read what you said to it: wait for this" in words for words in s.notices)


async def test_it_opens_after_its_end_and_says_all_of_it(server: ScriptedServer, tmp_path: Path) -> None:
    script(
        server,
        [
            turn(thinking("Hm."), text("Reading."), call("read_files", {"paths": ["tax.py"]})),
            turn(text("It is `round(net * RATE)`.")),
        ],
    )
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.until_idle()
        screen = await opened(s)
        kinds = [type(block).__name__ for block in screen.agent.transcript.blocks]
        assert kinds == ["PersonBlock", "ThinkingBlock", "AnswerBlock", "ToolBlock", "AnswerBlock", "NoticeBlock"]
        await s.press("ctrl+o")
        await s.until_shown("def compute_tax(net):")
        assert s.shows("helper-1 has ended")


async def test_it_opens_after_it_was_cancelled_in_the_middle_of_a_word(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    script(server, [turn(held(gate, "!"))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await gate.until_reached()
        await s.until(lambda: agent_block(s).record.tail == "First words", "its words are known")
        await s.until(lambda: s.app.agent_desk.cancel(agent_block(s).id), "it is cancelled")
        await s.until_idle()
        await opened(s)
        assert s.shows("First words")
        assert s.shows("Cancelled · 1 turn")


async def test_escape_leads_back_to_the_same_place(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    long = "\n\n".join(f"Paragraph {number}" for number in range(60))
    server.script("go", [turn(text(long), spawn()), turn(text("\n\n".join(["more"] * 40)))])
    server.script(TASK, [turn(held(gate, "."))])
    async with scene(server, tmp_path, size=(80, 24)) as s:
        await s.send("go")
        await gate.until_reached()
        await s.until(lambda: agent_block(s), "the agent is there")
        await s.painted()
        s.app.view.scroll_to(y=30, animate=False, force=True)
        await s.painted()
        before = s.transcript_rows
        s.app.agent_screens.open(agent_block(s).record)
        await s.until(lambda: isinstance(s.app.screen, AgentScreen), "it is open")
        gate.open()
        await s.until(lambda: s.app.state.working_since is None, "all is done")
        await s.press("escape")
        await s.painted()
        assert s.app.screen is s.app.main
        assert [row.replace("↓ new", "").rstrip() for row in s.transcript_rows] == before


async def test_a_click_on_its_name_opens_it(server: ScriptedServer, tmp_path: Path) -> None:
    script(server, [turn(text("Here."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.until_idle()
        await s.click_on("helper-1")
        await s.until(lambda: isinstance(s.app.screen, AgentScreen), "it is open")
        await s.until_shown("Completed")


async def test_a_prompt_of_the_child_is_reached_with_f8(server: ScriptedServer, tmp_path: Path) -> None:
    script(server, [turn(call("read_files", {"paths": ["/etc/hostname"]})), turn(text("Read it."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.until(lambda: s.app.state.waiting_prompts == 1, "it waits")
        await opened(s)
        await s.until_shown("waits for you")
        assert s.shows("f8")
        await s.press("f8")
        await s.until(lambda: s.app.screen is s.app.main, "back at the prompt")
        # It was covered until now, so it has yet to be seen.
        await s.painted()
        await s.wait(0.5)
        await s.press("n")
        await s.until_idle()


async def test_a_new_conversation_closes_it(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    script(server, [turn(held(gate, "."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await gate.until_reached()
        await opened(s)
        await s.app.start_over()
        await s.until(lambda: s.app.screen is s.app.main, "it is closed")
        assert s.app.agent_screens.records == {}


async def test_the_header_cancels_with_the_mouse(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    script(server, [turn(held(gate, "."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await gate.until_reached()
        screen = await opened(s)
        await s.click_on("[ Cancel ]")
        await s.until(lambda: screen.record.status == "cancelled", "it is cancelled")
        await s.until_gone("[ Cancel ]")


async def test_one_inside_of_another_is_opened_from_there(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    script(
        server,
        [turn(text("I'll ask another."), spawn("Inner: look")), turn(text("It says so."))],
        instructions=TASK,
    )
    server.script("go", [turn(spawn(TASK, allow_spawn=True)), turn(text("Done."))])
    server.script("Inner: look", [turn(text(pieces=["Inner words", hold(gate), "."]))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await gate.until_reached()
        await s.until(lambda: len(s.app.agent_screens.records) == 2, "both are there")
        outer = await opened(s)
        await s.press("alt+up", "enter")
        await s.until(lambda: s.app.screen is not outer, "the inner one is open")
        inner = agent_screen(s)
        assert inner.record.parent_agent_id == outer.record.agent_id
        await s.until_shown("Inner words")
        await s.press("ctrl+t")
        await s.until_dialog(AgentsList)
        await s.until_shown("└─ ◐ helper-1")
        await s.until_shown("❯   └─ ◐ helper-2")
        # From the list back to the one that is open below.
        await s.press("up", "enter")
        await s.until(lambda: s.app.screen is outer, "the outer one again")
        assert [each for each in s.app.screen_stack if isinstance(each, AgentScreen)] == [outer]
        gate.open()
        await s.until_shown("It says so.")
        await s.press("escape", "escape")
        await s.until_idle()


async def test_keys_that_were_set_count_on_every_screen(server: ScriptedServer, tmp_path: Path) -> None:
    script(server, [turn(text("Here."))])
    async with scene(server, tmp_path, keys={"agents": "f4", "interrupt": "f5", "cancel_agent": "ctrl+k"}) as s:
        await s.send("go")
        await s.until_idle()
        await s.press("ctrl+t")
        assert s.app.screen is s.app.main
        for opens in (True, False, True):
            await s.press("f4")
            await s.until(lambda opens=opens: isinstance(s.app.screen, AgentsList) == opens, "opened and closed by it")
        await s.until_shown("ctrl+k cancel")
        await s.press("enter")
        await s.until(lambda: isinstance(s.app.screen, AgentScreen), "it is open")
        await s.press("escape")
        assert isinstance(s.app.screen, AgentScreen)
        await s.press("f5")
        await s.until(lambda: s.app.screen is s.app.main, "back")


async def test_whoever_comes_back_typing_answers_nothing_by_accident(server: ScriptedServer, tmp_path: Path) -> None:
    script(
        server,
        [turn(call("execute_command", {"command": "touch made.txt"})), turn(text("Well."))],
        instructions=TASK,
    )
    server.script("go", [turn(spawn(TASK, mode="default")), turn(text("Done."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.until_prompt()
        s.app.agent_screens.open(agent_block(s).record)
        await s.until(lambda: isinstance(s.app.screen, AgentScreen) and s.app.screen.agent.is_loaded, "it is open")
        await s.wait(5)
        await s.type("why")
        await s.press("escape", "escape")
        assert s.app.screen is s.app.main
        s.app.desk._timer.look()
        assert s.app.composer.has_focus
        await s.type("yes")
        await s.painted()
        assert s.app.state.waiting_prompts == 1
        assert not (s.folder / "made.txt").exists()
        assert s.app.composer.draft().text == "yes"
        await s.answer("n")
        await s.until_idle()


# The list


async def test_the_list_shows_the_tree_and_opens_cancels_and_copies(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    server.script(
        "go", [turn(spawn("First: quick", description="be quick"), spawn("Second: slow")), turn(text("Done."))]
    )
    server.script("First: quick", [turn(text("Found it."))])
    server.script("Second: slow", [turn(held(gate, "."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await gate.until_reached()
        await s.until(lambda: not agent_block(s).record.is_live, "the first has ended")
        await s.press("ctrl+t")
        await s.until_dialog(AgentsList)
        await s.until_shown("├─ ✓ helper-1  be quick")
        assert s.shows("❯ └─ ◐ helper-2  Second: slow")
        assert s.shows("main")
        await s.press("up", "c")
        assert s.app.copied == ["Found it."]
        await s.until_shown("copied the answer of helper-1")
        await s.press("x")
        await s.until_shown("helper-1 has ended already")
        await s.press("down", "x")
        await s.until_shown("⊘ helper-2")
        await s.until(lambda: s.app.state.working_since is None, "the main agent went on")
        await s.press("enter")
        await s.until(lambda: isinstance(s.app.screen, AgentScreen), "it is open")
        assert agent_screen(s).record.name == "helper-2"
        await s.press("ctrl+t")
        await s.until_dialog(AgentsList)
        await s.press("home", "enter")
        await s.until(lambda: s.app.screen is s.app.main, "back at the main agent")


async def test_all_are_cancelled_after_a_yes(server: ScriptedServer, tmp_path: Path) -> None:
    gates = [Gate(), Gate()]
    server.script("go", [turn(spawn("One"), spawn("Two")), turn(text("Done."))])
    for key, gate in zip(("One", "Two"), gates, strict=True):
        server.script(key, [turn(held(gate, "."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        for gate in gates:
            await gate.until_reached()
        await s.send("/agents")
        await s.until_dialog(AgentsList)
        await s.press("X")
        await s.until_shown("cancel all 2 agents")
        await s.press("x")
        await s.until_gone("cancel all 2 agents")
        assert all(record.is_live for record in s.app.agent_screens.records.values())
        await s.press("X", "y")
        await s.until(lambda: s.app.state.running_agents == 0, "all are cancelled")
        await s.until(lambda: s.app.state.working_since is None, "the main agent went on")


async def test_the_command_cancels_all_and_says_how_many(server: ScriptedServer, tmp_path: Path) -> None:
    gates = [Gate(), Gate()]
    server.script("go", [turn(spawn("One"), spawn("Two")), turn(text("Done."))])
    for key, gate in zip(("One", "Two"), gates, strict=True):
        server.script(key, [turn(held(gate, "."))])
    async with scene(server, tmp_path) as s:
        await s.send("/agents cancel")
        assert s.notices[-1] == "No agent is running."
        await s.send("go")
        for gate in gates:
            await gate.until_reached()
        await s.send("/agents cancel")
        await s.until_idle()
        assert "Cancelled 2 agents." in s.notices
        assert [record.status for record in s.app.agent_screens.records.values()] == ["cancelled"] * 2
        assert s.app.screen is s.app.main
        await s.send("/agents nonsense")
        assert "/agents nonsense is nothing." in s.notices[-1]


# References


async def test_a_click_on_a_reference_shows_the_lines(server: ScriptedServer, tmp_path: Path) -> None:
    server.script("go", [turn(text("It is computed in tax.py:4-5, see `README.md:1`."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.until_idle()
        await s.click_on("tax.py:4-5")
        await s.until_dialog(LinesScreen)
        await s.until_shown("tax.py · lines 4-5 of 5")
        assert s.shows("▌4  def compute_tax(net):")
        assert s.shows("1  RATE = 0.2")
        assert not s.shows("▌1")
        await s.press("escape")
        await s.until(lambda: s.app.screen is s.app.main, "closed")


async def test_references_are_reached_with_the_keyboard(server: ScriptedServer, tmp_path: Path) -> None:
    server.script("go", [turn(text("See tax.py:4, `README.md:1` and tax.py:4 again."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.until_idle()
        await s.press("alt+up")
        assert isinstance(s.app.view.marked, AnswerBlock)
        await s.press("enter")
        picker = await s.until_dialog(Picker)
        assert isinstance(picker, Picker)
        assert [row.title for row in picker.found] == ["tax.py:4", "README.md:1"]
        await s.press("down", "enter")
        await s.until_shown("README.md · line 1 of 1")


async def test_references_that_do_not_hold_say_so(server: ScriptedServer, tmp_path: Path) -> None:
    outside = tmp_path / "secret.txt"
    outside.write_text("hidden\n")
    answer = f"See gone.py:3 or tax.py:90 or tax.py:4-90 or {outside}:1 and data.bin:1, a/:1, link.txt:1."
    server.script("go", [turn(text(answer))])
    async with scene(server, tmp_path, size=(140, 30)) as s:
        (s.folder / "data.bin").write_bytes(b"\0\1\2" * 100)
        (s.folder / "a").mkdir()
        (s.folder / "link.txt").symlink_to(outside)
        await s.send("go")
        await s.until_idle()
        for reference, words in (
            ("gone.py:3", "gone.py:3 does not hold: gone.py does not exist."),
            ("tax.py:90", "tax.py has 5 lines; line 90 is beyond its end."),
            ("secret.txt:1", "lies outside of the folders that are open."),
            ("data.bin:1", "data.bin is a binary file"),
            ("a/:1", "a is a folder"),
            ("link.txt:1", "lies outside of the folders that are open."),
        ):
            count = len(s.notices)
            await s.click_on(reference)
            await s.until(lambda count=count: len(s.notices) > count, reference)
            assert words in s.notices[-1]
        await s.click_on("tax.py:4-90")
        await s.until_shown("tax.py · lines 4-90, but it has only 5")


async def test_lines_behind_very_wide_ones(server: ScriptedServer, tmp_path: Path) -> None:
    server.script("go", [turn(text("See wide.txt:290 and `wide.txt:1`."))])
    async with scene(server, tmp_path) as s:
        (s.folder / "wide.txt").write_text("".join(f"{number:03} {'w' * 1900}\n" for number in range(1, 301)))
        await s.send("go")
        await s.until_idle()
        await s.click_on("wide.txt:290")
        await s.until_dialog(LinesScreen)
        await s.until_shown("wide.txt · line 290 of 300")
        assert s.shows("▌290  290")


async def test_lines_of_a_file_are_shown_clean(server: ScriptedServer, tmp_path: Path) -> None:
    server.script("go", [turn(text("See odd.py:2."))])
    async with scene(server, tmp_path) as s:
        (s.folder / "odd.py").write_text("one\n\tkey = 'test-key-1' \x1b[31m\u202e[bold]x[/]\nthree\n")
        await s.send("go")
        await s.until_idle()
        await s.click_on("odd.py:2")
        await s.until_dialog(LinesScreen)
        shown = "\n".join(s.rows)
        assert "test-key-1" not in shown
        assert "␛[31m⟨U+202E⟩[bold]x[/]" in shown
        assert "▌2      key" in shown


async def test_references_in_the_answer_of_a_child(server: ScriptedServer, tmp_path: Path) -> None:
    script(server, [turn(text("It is in `tax.py:4`, not in gone.py:1."))])
    async with scene(server, tmp_path) as s:
        await s.send("go")
        await s.until_idle()
        screen = await opened(s)
        await s.click_on("gone.py:1")
        await s.until_shown("gone.py does not exist")
        assert isinstance(screen.agent.transcript.blocks[-1], NoticeBlock)
        await s.click_on("tax.py:4")
        await s.until_dialog(LinesScreen)
        await s.until_shown("tax.py · line 4 of 5")
        await s.press("escape")
        await s.until(lambda: s.app.screen is screen, "back at the agent")
        await s.press("escape")
        s.app.view.toggle(agent_block(s))
        await s.click_on("tax.py:4,")
        await s.until_dialog(LinesScreen)
