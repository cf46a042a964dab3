"""Sub-agents on the screen, through the whole app over a real session: their blocks, their buttons, their prompts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from code_assistant.tools.execute_command import READ_ONLY_LIMITS
from code_assistant.tui.agents.cancel_button import SETTLED_SECONDS
from code_assistant.tui.agents.watcher import TAIL_CHARACTERS
from tests.fakes.script import Gate, Hold, Scripted, after, call, text, turn
from tests.fakes.server import ScriptedServer
from tests.tui.app.harness import Scene, scene
from tests.unit.workspace.commands.sandbox.world import needs_bubblewrap

OUTSIDE = call("read_files", {"paths": ["/etc/hostname"]})


def spawn(task: str, **more: Any) -> Any:
    return call("spawn_agent", {"instructions": f"The {task} task.", "description": f"Do {task}", **more})


def plan(server: ScriptedServer, *tasks: str, **scripts: Sequence[Scripted]) -> None:
    """The main agent spawns one for each task, then answers; each of them follows its own script."""
    server.script_default([turn(*(spawn(task) for task in tasks)), turn(text("All done."))])
    for task, turns in scripts.items():
        server.script(f"The {task} task.", turns)


def results(server: ScriptedServer) -> list[Any]:
    """What the main agent was told of its calls."""
    last = next(each for each in reversed(server.requests) if len(each.body["messages"]) > 2 and not each.conversation)
    return [part["content"] for part in last.body["messages"][-1]["content"]]


def header(s: Scene, name: str) -> str:
    return next(row for row in s.rows if f" {name}  " in row or row.endswith(f" {name}"))


async def held(s: Scene, server: ScriptedServer, *tasks: str) -> dict[str, Gate]:
    """Agents that have used one tool and are about to answer, each behind a gate."""
    gates = {task: Gate(task) for task in tasks}
    turns = {
        task: [turn(call("read_files", {"paths": ["tax.py"]})), turn(text(pieces=["found ", Hold(gate), task]))]
        for task, gate in gates.items()
    }
    plan(server, *tasks, **turns)
    await s.send("go")
    await s.until(lambda: len(s.agents) == len(tasks) and all(each.record.tail for each in s.agents), "they write")
    await s.painted()
    return gates


@needs_bubblewrap
async def test_the_prompt_of_a_reader_says_what_its_command_cannot_do(server: ScriptedServer, tmp_path: Path) -> None:
    touch = call("execute_command", {"command": "touch sub.txt"})
    async with scene(server, tmp_path) as s:
        server.script_default([turn(spawn("look", agent="explore")), turn(touch), turn(text("All done."))])
        server.script("The look task.", [turn(touch), turn(text("I could not."))])
        await s.send("go")
        await s.until_prompt()
        assert s.shows("explore-1 wants to run a command")
        assert s.shows(READ_ONLY_LIMITS)
        await s.answer("y")
        await s.until(lambda: not s.agent().record.is_live, "it ended")
        assert not (s.folder / "sub.txt").exists()
        # The main agent's own command is kept from nothing of that.
        await s.until_prompt()
        assert s.shows("the assistant wants to run a command")
        assert not s.shows(READ_ONLY_LIMITS)


async def test_sub_h4_keys_are_shown_and_memory_is_bounded_while_ten_report(
    server: ScriptedServer, tmp_path: Path
) -> None:
    """Every key is on the screen while all of them still write; of what they write only an end is kept."""
    tasks = [f"part{number}" for number in range(10)]
    gates = {task: Gate(task) for task in tasks}
    words = [f"word {number}, " for number in range(1_000)]
    turns = {task: [turn(text(pieces=[*words, Hold(gate), "end."]))] for task, gate in gates.items()}
    plan(server, *tasks, **turns)
    async with scene(server, tmp_path, size=(120, 50)) as s:
        await s.send("go")
        await s.until(lambda: len(s.agents) == len(tasks), "all are there")
        await s.type("typed meanwhile")
        await s.until_shown("typed meanwhile")
        for gate in gates.values():
            await gate.until_reached()
        await s.until(lambda: all("word 999" in each.record.tail for each in s.agents), "all of it was taken")
        assert all(each.record.is_live for each in s.agents)
        assert all(len(each.record.tail) <= TAIL_CHARACTERS for each in s.agents)
        for gate in gates.values():
            gate.open()
        await s.until_idle()
        assert all(not each.record.tail and not each.record.is_live for each in s.agents)
        assert s.app.composer.text == "typed meanwhile"


async def test_sub_h1_three_spawns_are_three_blocks_in_request_order(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        gates = await held(s, server, "one", "two", "three")
        assert [block.record.label for block in s.agents] == ["Do one", "Do two", "Do three"]
        assert s.tools == []
        places = [next(y for y, row in enumerate(s.rows) if f"Do {task}" in row) for task in gates]
        assert places == sorted(places)
        assert s.app.state.running_agents == 3
        assert s.shows("3 running")
        for task in ("three", "one", "two"):
            gates[task].open()
            await s.until(lambda task=task: f"found {task}" in [each.record.answer for each in s.agents], "it ends")
        await s.until_shown("All done.")
        assert [block.record.answer for block in s.agents] == ["found one", "found two", "found three"]
        assert s.app.state.running_agents == 0
        await s.until_idle()
        assert not s.app.ticker.is_ticking


async def test_sub_h2_each_call_is_a_line_of_its_own_block(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        gate = Gate()
        plan(
            server,
            "one",
            "two",
            one=[
                turn(call("read_files", {"paths": ["tax.py"]}), call("read_files", {"paths": ["missing.py"]})),
                turn(call("read_files", {"paths": ["README.md"]}), OUTSIDE),
                turn(text("one")),
            ],
            two=[turn(text(pieces=[Hold(gate), "two"]))],
        )
        await s.send("go")
        await s.until_prompt()
        one, two = s.agents
        assert [(line.title, line.state) for line in one.record.tools] == [
            ("Read tax.py", "success"),
            ("Reading missing.py", "error"),
            ("Read README.md", "success"),
            ("Reading /etc/hostname", "waiting"),
        ]
        assert two.record.tools == []
        rows = [row.strip() for row in s.rows]
        titles = ["│  ✓ Read tax.py", "│  ✗ Reading missing.py", "│  ✓ Read README.md", "│  ? Reading /etc/hostname"]
        places = [next(y for y, row in enumerate(rows) if row.startswith(title)) for title in titles]
        assert places == list(range(places[0], places[0] + 4))
        await s.answer("n")
        await s.until(lambda: one.record.tools[-1].state == "denied", "it is denied")
        gate.open()
        await s.until_shown("All done.")


async def test_sub_h3_a_finished_one_folds_to_one_line_and_unfolds_to_its_answer(
    server: ScriptedServer, tmp_path: Path
) -> None:
    async with scene(server, tmp_path) as s:
        answer = "## Found\n\nIt is **here**."
        plan(server, "one", one=[turn(call("read_files", {"paths": ["tax.py"]})), turn(text(answer))])
        await s.send("go")
        await s.until_shown("All done.")
        row = next(row for row in s.rows if "Do one" in row)
        assert row.split() == [
            "▸",
            "✓",
            "helper-1",
            "Do",
            "one",
            "1",
            "tool",
            "·",
            "240",
            "tok",
            "·",
            "<$0.01",
            "·",
            "0:00",
        ]
        assert not s.shows("Read tax.py")
        await s.click_on("Do one")
        await s.until_shown("│  It is here.")
        assert s.shows("│  Found")
        assert s.shows("│  ✓ Read tax.py")
        await s.press("alt+up", "alt+up", "space")
        await s.until_gone("It is here.")


@pytest.mark.parametrize("width", [20, 40, 80, 200])
async def test_sub_h5_any_width(server: ScriptedServer, tmp_path: Path, width: int) -> None:
    async with scene(server, tmp_path, size=(width, 24)) as s:
        gate = Gate()
        label = "漢字かな交じり文 e\u0301\u0300 👩‍👩‍👧‍👦 and on"
        server.script_default([turn(spawn("one", description=label)), turn(text("All done."))])
        server.script("The one task.", [turn(text(pieces=["漢字 " * 60, Hold(gate), "end"]))])
        await s.send("go")
        await s.until(lambda: s.agents and s.agent().record.tail, "it writes")
        await s.painted()
        for other in (width, 33, width):
            await s.pilot.resize_terminal(other, 24)
            await s.painted()
            size = s.app.size
            assert all(strip.cell_length == size.width for strip in s.app.screen._compositor.render_strips(size))
            assert len(s.buttons) == 1
            assert s.buttons[0].region.right <= other
        gate.open()
        await s.until(lambda: not s.agent().record.is_live, "it ends")
        await s.until_idle()


@pytest.mark.parametrize("way", ["mouse", "enter", "key"])
async def test_sub_e5_cancelling_by_mouse_by_enter_and_by_key(server: ScriptedServer, tmp_path: Path, way: str) -> None:
    async with scene(server, tmp_path) as s:
        gates = await held(s, server, "one", "two")
        s.app.composer.put("my draft")
        await s.until(lambda: len(s.buttons) == 2, "two buttons")
        if way == "mouse":
            await s.wait(SETTLED_SECONDS)
            await s.pilot.click(s.buttons[1])
            assert s.app.composer.has_focus
        elif way == "enter":
            await s.press("tab", "tab", "tab")
            assert s.buttons[1].has_focus
            await s.press("enter")
        else:
            await s.press("alt+up", "x")
        await s.until(lambda: not s.agent(1).record.is_live, "it ends")
        assert s.agent(1).record.status == "cancelled"
        await s.painted()
        await s.until(lambda: len(s.buttons) == 1, "its button is gone")
        assert s.agent(0).record.is_live
        assert "cancelled" in header(s, "helper-2")
        gates["one"].open()
        await s.until_shown("All done.")
        assert results(server) == [
            [{"type": "text", "text": "found one"}],
            [{"type": "text", "text": "Sub-agent cancelled by user."}],
        ]
        await s.until(lambda: s.buttons == [], "no buttons")
        assert s.app.composer.text == "my draft"


async def test_cancelling_is_said_at_once(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await held(s, server, "one")
        assert s.app.agent_desk.cancel(s.agent().id)
        assert not s.app.agent_desk.cancel(s.agent().id)
        await s.until_shown("All done.")
        assert not s.app.agent_desk.cancel(s.agent().id)
        assert not s.app.agent_desk.cancel("nobody")


async def test_escape_leaves_a_button_and_letters_go_to_the_input(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        gates = await held(s, server, "one")
        await s.until(lambda: len(s.buttons) == 1, "a button")
        await s.press("tab", "tab")
        assert s.buttons[0].has_focus
        await s.press("escape")
        assert s.app.composer.has_focus
        assert s.agent().record.is_live
        await s.press("tab", "tab")
        await s.type("hi")
        assert s.app.composer.text == "hi"
        assert s.agent().record.is_live
        gates["one"].open()
        await s.until_shown("All done.")


async def test_shift_tab_walks_back_from_a_button_and_leaves_the_mode(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        gates = await held(s, server, "one")
        await s.until(lambda: len(s.buttons) == 1, "a button")
        await s.press("tab", "tab")
        assert s.buttons[0].has_focus
        await s.press("shift+tab")
        await s.pilot.pause()
        assert s.app.view.has_focus
        assert s.app.state.mode == "ask"
        await s.press("shift+tab")
        await s.until(lambda: s.app.state.mode == "accept-edits", "the mode")
        gates["one"].open()
        await s.until_shown("All done.")


async def waiting(s: Scene, server: ScriptedServer, *tasks: str) -> None:
    """Agents that each want to read something outside of the workspace."""
    plan(server, *tasks, **{task: [turn(OUTSIDE), turn(OUTSIDE), turn(text(f"{task} is done"))] for task in tasks})
    await s.send("go")
    await s.until_prompt(len(tasks))
    await s.painted()


async def test_sub_g1_a_prompt_stands_in_the_block_of_who_asks(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await waiting(s, server, "one", "two")
        rows = s.rows
        for name in ("helper-1", "helper-2"):
            assert "waits for you" in header(s, name)
            top = next(y for y, row in enumerate(rows) if f"{name} wants to read /etc/hostname" in row)
            above = next(row for row in reversed(rows[:top]) if "▾" in row)
            assert name in above
            assert any(f"[ Always for {name} ]" in row for row in rows[top : top + 6])
        assert s.shows("2 approvals waiting (f8)")
        colours = [s.app.view._look.palette.agent(block.record.colour) for block in s.agents]
        assert colours[0] != colours[1]
        strips = s.app.screen._compositor.render_strips(s.app.size)
        for strip in strips:
            for segment in strip:
                if segment.text in ("helper-1", "helper-2"):
                    assert segment.style is not None
                    assert segment.style.color == colours[segment.text == "helper-2"].color
        await s.answer("n")
        await s.answer("n")


async def test_sub_g2_who_waits_waits_and_the_others_go_on(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        plan(
            server,
            "one",
            "two",
            one=[turn(OUTSIDE), turn(text("one"))],
            two=[turn(call("read_files", {"paths": ["tax.py"]})), turn(text("two is done"))],
        )
        await s.send("go")
        await s.until_prompt()
        await s.until(lambda: not s.agent(1).record.is_live, "the other ends")
        for _ in range(6):
            await s.wait(1)
        s.app._tick()
        await s.painted()
        one = s.agent(0).record
        assert (one.status, one.tools[0].state, len(s.panels)) == ("waiting_permission", "waiting", 1)
        assert "waits for you" in header(s, "helper-1")
        assert "0:06" in header(s, "helper-1")
        assert s.shows("1 running")
        await s.answer("n")
        await s.until_shown("All done.")


async def test_sub_g3_answering_one_leaves_the_other_open(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await waiting(s, server, "one", "two")
        second = s.panels[1]
        await s.answer("n")
        await s.until(lambda: s.agent(0).record.tools[0].state == "denied", "the first is denied")
        assert s.agent(1).record.tools[0].state == "waiting"
        assert second in s.panels
        # The first goes on, and asks again.
        await s.until(lambda: len(s.agent(0).record.tools) == 2, "it goes on")
        await s.until_prompt(2)
        assert s.app.state.waiting_prompts == 2
        for _ in range(3):
            await s.answer("n")
        await s.until_shown("All done.")
        assert (s.panels, s.app.state.waiting_prompts) == ([], 0)


async def test_sub_g4_always_for_this_agent_is_for_no_other(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await waiting(s, server, "one", "two")
        await s.answer("a")
        await s.until(lambda: not s.agent(0).record.is_live, "it is not asked again")
        assert [line.state for line in s.agent(0).record.tools] == ["success", "success"]
        assert s.agent(1).record.tools[0].state == "waiting"
        await s.answer("n")
        await s.answer("n")
        await s.until_shown("All done.")


async def test_sub_g5_a_prompt_does_not_touch_what_is_typed(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        gate = Gate()
        plan(server, "one", one=[after(gate, turn(OUTSIDE)), turn(text("one"))])
        await s.send("go")
        await s.until(lambda: s.agents, "it lives")
        await s.type("yes and n")
        gate.open()
        await s.until_prompt()
        await s.type("o, y a s r n")
        for _ in range(4):
            await s.wait(1)
        await s.type(" y")
        assert s.app.composer.text == "yes and no, y a s r n y"
        assert s.agent().record.tools[0].state == "waiting"
        await s.answer("n")
        assert s.app.composer.text == "yes and no, y a s r n y"
        await s.until_shown("All done.")


async def test_sub_g6_a_hidden_prompt_stays_counted_and_comes_back(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await waiting(s, server, "one")
        await s.answer("escape")
        await s.until(lambda: not s.panels, "it is hidden")
        await s.painted()
        assert s.shows("1 approval waiting (f8)")
        assert "waits for you" in header(s, "helper-1")
        # A folded block shows it, too.
        await s.click_on("Do one")
        assert not s.agent().is_expanded
        await s.press("f8")
        await s.until_prompt()
        assert s.agent().is_expanded
        assert s.panels[0].has_focus
        await s.answer("n")
        await s.answer("n")
        await s.until_shown("All done.")


async def test_folding_a_block_hides_its_prompt_and_gives_the_focus_back(
    server: ScriptedServer, tmp_path: Path
) -> None:
    async with scene(server, tmp_path) as s:
        await waiting(s, server, "one")
        await s.wait(0.5)
        await s.press("f8")
        assert s.panels[0].has_focus
        s.app.view.toggle(s.agent())
        await s.painted()
        assert s.app.composer.has_focus
        assert not s.shows("wants to read")
        assert s.app.state.waiting_prompts == 1
        await s.answer_hidden("n")
        await s.answer("n")
        await s.until_shown("All done.")


async def test_a_prompt_goes_with_its_agent(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await waiting(s, server, "one", "two")
        assert s.app.agent_desk.cancel(s.agent(0).id)
        await s.until(lambda: len(s.panels) == 1, "its prompt is gone")
        assert s.app.state.waiting_prompts == 1
        assert s.app.agent_desk.cancel(s.agent(1).id)
        await s.until_shown("All done.")
        assert (s.panels, s.app.state.waiting_prompts) == ([], 0)


async def test_the_person_can_look_into_a_call(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        gates = await held(s, server, "one")
        await s.click_on("Read tax.py")
        await s.until_shown("compute_tax")
        assert s.shows("paths:")
        assert list(s.agent().details) == [s.agent().record.tools[0].id]
        await s.click_on("Read tax.py")
        await s.until_gone("compute_tax")
        assert s.agent().details == {}
        # The same with keys.
        await s.press("alt+up", "down", "space")
        await s.until_shown("▾ told:")
        await s.press("down", "space")
        await s.until_shown("compute_tax")
        await s.press("up", "space")
        await s.until_shown("▸ told:")
        await s.press("escape")
        gates["one"].open()
        await s.until_shown("All done.")


async def test_what_the_person_opened_or_marked_stays_open(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        gates = await held(s, server, "one", "two", "three")
        await s.click_on("Do one")
        await s.click_on("Do one")
        await s.press("alt+up")
        assert s.app.view.marked is s.agent(2)
        for gate in gates.values():
            gate.open()
        await s.until_shown("All done.")
        assert [block.is_expanded for block in s.agents] == [True, False, True]


async def test_a_block_in_which_a_call_was_opened_stays_open(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        gates = await held(s, server, "one")
        await s.click_on("Read tax.py")
        await s.until_shown("compute_tax")
        gates["one"].open()
        await s.until_shown("All done.")
        assert s.agent().is_expanded
        assert s.shows("compute_tax")


async def test_details_of_all_are_those_of_agents_too(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        plan(server, "one", "two", one=[turn(text("It is here."))], two=[turn(text("It is there."))])
        await s.send("go")
        await s.until_shown("All done.")
        await s.press("ctrl+o")
        await s.until_shown("│  It is there.")
        assert s.shows("│  It is here.")
        await s.click_on("Do one")
        await s.press("ctrl+o", "ctrl+o")
        await s.until_shown("│  It is there.")
        assert not s.shows("│  It is here.")


async def test_a_setting_keeps_all_of_them_open(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, collapses=False) as s:
        plan(server, "one", one=[turn(text("It is here."))])
        await s.send("go")
        await s.until_shown("All done.")
        assert s.shows("│  It is here.")


async def test_cost_counts_and_context_does_not(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        plan(server, "one", one=[turn(text("one"))])
        await s.send("go")
        await s.until_shown("All done.")
        state = s.app.state
        assert state.usage.total == 3 * 120
        assert state.context_tokens == 120
        assert state.cost is not None and state.cost > (s.agent().record.cost or 0) > 0


async def test_interrupting_ends_them_all(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await held(s, server, "one", "two")
        await s.press("escape")
        await s.until_idle()
        assert [block.record.status for block in s.agents] == ["cancelled", "cancelled"]
        assert s.app.state.running_agents == 0
        await s.until(lambda: not s.buttons, "no buttons")
        assert not s.app.ticker.is_ticking


async def test_a_new_conversation_begins_without_them(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await held(s, server, "one")
        s.app.composer.clear_draft()
        await s.send("/new")
        await s.until(lambda: not s.agents and s.app.core.session is not None, "a new one")
        await s.painted()
        await s.until(lambda: not s.buttons, "no buttons")
        assert s.app.state.running_agents == 0
        assert s.app.bridge.agents.records == {}
