"""Makes the README's first picture from a real run: `python -m tests.tui.agents_picture docs/agents.svg`."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.e2e.picture import FILES
from tests.fakes.script import Block, Gate, after, call, hold, status, text, turn
from tests.fakes.server import ScriptedServer
from tests.tui.app.harness import Scene, scene
from tests.tui.app.pictures import show_one_sandbox
from tests.tui.picture import FOREIGN

SIZE = (112, 34)
SECONDS = 12
LABELS = {
    "computation": "Find the tax computation",
    "tests": "Find the tests",
    "callers": "Who calls tax",
    "rounding": "What the docs say about rounding",
    "history": "When rounding was changed",
    "rates": "Where rates come from",
}


def spawn(key: str) -> Block:
    fields: dict[str, Any] = {"instructions": f"Look at {key}.", "description": LABELS[key], "agent": "explore"}
    return call("spawn_agent", fields, id=key)


def script(server: ScriptedServer, gates: dict[str, Gate]) -> None:
    searching = call("search_files", {"pattern": "def .*tax", "path": "shop"})
    reading = call("read_files", {"paths": ["shop/tax.py", "shop/cart.py:4-6"]})
    usage = {"input_tokens": 3900, "output_tokens": 210}
    words = "Tax is computed in `shop/tax.py:4-5` for each item; `shop/cart.py:6` rounds"
    server.script(
        "computation", [turn(searching, reading, usage=usage), turn(text(pieces=[words, hold(gates["computation"])]))]
    )
    globbing = call("glob_files", {"pattern": "tests/**/test_*tax*.py"})
    server.script("tests", [turn(globbing, usage=usage), turn(text("One test: `tests/test_tax.py:4-5`."), usage=usage)])
    server.script("callers", [turn(searching, usage=usage), after(gates["callers"], turn(text("…")))])
    fetching = call("web_fetch", {"url": "https://docs.example.org/tax/rounding"})
    server.script("rounding", [turn(fetching, usage=usage), after(gates["rounding"], turn(text("…")))])
    server.script(
        "history", [status(400, "invalid_request_error", "prompt is too long: 214312 tokens > 200000 maximum")]
    )
    server.script("rates", [after(gates["rates"], turn(text("…")))])
    server.script_default(
        [turn(text("I'll look at all of it at the same time."), *map(spawn, LABELS)), turn(text("."))]
    )


async def shown(s: Scene, gates: dict[str, Gate]) -> str:
    await s.send("How is tax computed at checkout, and is it tested?")
    await s.until_prompt()
    for key in ("computation", "callers", "rates"):
        await gates[key].until_reached()
    await s.until(
        lambda: sum(not each.is_live for each in s.app.bridge.agents.watcher.records.values()) == 2, "two ended"
    )
    s.clock.now += SECONDS
    s.app.agent_desk.tick(s.clock.now)
    await s.painted()
    await s.wait(0.5)
    await show_one_sandbox(s)
    await s.press("f8")
    await s.painted()
    return FOREIGN.sub("", s.app.export_screenshot(title="code-assistant")).replace("Fira Code", "DejaVu Sans Mono")


async def picture() -> str:
    gates = {key: Gate(key) for key in LABELS}
    with ScriptedServer() as server, tempfile.TemporaryDirectory() as folder:
        shop = Path(folder, "shop")
        for name, content in FILES.items():
            (shop / name).parent.mkdir(parents=True, exist_ok=True)
            (shop / name).write_text(content)
        (shop / "tax.py").write_text("")
        script(server, gates)
        async with scene(server, Path(folder), size=SIZE) as s:
            svg = await shown(s, gates)
            s.app.action_escape()
            return svg


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(asyncio.run(picture()))
