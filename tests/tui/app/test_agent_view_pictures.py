"""Pictures of one sub-agent's own screen, of the list of all, and of what references lead to."""

from __future__ import annotations

from pathlib import Path

from code_assistant.tui.agents.agent_screen import AgentScreen
from code_assistant.tui.agents.agents_list import AgentsList
from code_assistant.tui.pickers.file_lines import LinesScreen
from tests.fakes.script import Gate, call, hold, text, thinking, turn
from tests.fakes.server import ScriptedServer
from tests.tui.app.harness import Scene, scene
from tests.tui.app.pictures import check_pictures

TASK = "Find the tax computation. Say where it is and whether it rounds."
ANSWER = """\
Tax is computed in `tax.py:4-5`:

- tax.py:5 rounds it, see [the rate](tax.py#L1)

| where | what |
|---|---|
| tax.py:4 | `compute_tax` |

```
tax.py:5: return round(net * RATE)
```
"""


def script(server: ScriptedServer, gate: Gate) -> None:
    spawn = {"instructions": TASK, "agent": "explore", "description": "Find the tax computation"}
    others = [{"instructions": f"Find {what}", "agent": "explore"} for what in ("the tests", "who calls it")]
    server.script("go", [turn(*(call("spawn_agent", each) for each in (spawn, *others))), turn(text("Done."))])
    server.script(
        TASK,
        [
            turn(thinking("Where is it?"), text("I'll search first."), call("read_files", {"paths": ["tax.py"]})),
            turn(text(pieces=["The tax is computed in `tax.py:4-5`, ", hold(gate), "which **rounds** it."])),
        ],
    )
    server.script("Find the tests", [turn(call("read_files", {"paths": ["/etc/hostname"]})), turn(text("None."))])
    server.script("Find who calls it", [turn(text("Nobody."))])


async def at_work(s: Scene, gate: Gate) -> None:
    await s.send("go")
    await gate.until_reached()
    records = s.app.agent_screens.records
    await s.until(lambda: s.app.state.waiting_prompts == 1, "one waits")
    await s.until(lambda: [each for each in records.values() if not each.is_live], "one has ended")
    await s.until(lambda: any(each.tail.startswith("The tax") for each in records.values()), "one writes")
    s.clock.now += 12


async def open_agent(s: Scene, number: int) -> AgentScreen:
    s.app.agent_screens.open(list(s.app.agent_screens.records.values())[number])
    await s.until(lambda: isinstance(s.app.screen, AgentScreen) and s.app.screen.agent.is_loaded, "it is open")
    screen = s.app.screen
    assert isinstance(screen, AgentScreen)
    screen.composer.cursor_blink = False
    return screen


async def test_one_agent(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    script(server, gate)
    async with scene(server, tmp_path, size=(120, 30)) as s:
        await at_work(s, gate)
        await open_agent(s, 0)
        await s.type("Look at the tests, too!\nand")
        await check_pictures(s, "agent-view")
        await s.press("escape", "escape")
        await open_agent(s, 1)
        await check_pictures(s, "agent-view-waits")
        await s.press("escape")
        await open_agent(s, 2)
        await check_pictures(s, "agent-view-ended")


async def test_the_list(server: ScriptedServer, tmp_path: Path) -> None:
    gate = Gate()
    script(server, gate)
    async with scene(server, tmp_path, size=(120, 30)) as s:
        await at_work(s, gate)
        await open_agent(s, 0)
        await s.press("ctrl+t")
        await s.until_dialog(AgentsList)
        await check_pictures(s, "agents-list")


async def test_references(server: ScriptedServer, tmp_path: Path) -> None:
    server.script("go", [turn(text(ANSWER))])
    async with scene(server, tmp_path, size=(120, 30)) as s:
        await s.send("go")
        await s.until_idle()
        await check_pictures(s, "references")
        await s.click_on("tax.py:4-5")
        await s.until_dialog(LinesScreen)
        await check_pictures(s, "file-lines")
