"""Makes the README's picture of the screen from a real run: `python -m tests.tui.picture docs/screen.svg`."""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from pathlib import Path

from tests.e2e.picture import FILES
from tests.fakes.script import call, text, thinking, turn
from tests.fakes.server import ScriptedServer
from tests.tui.app.harness import Scene, scene
from tests.tui.app.pictures import show_one_sandbox

SIZE = (104, 41)
FINDINGS = """\
Tax is computed for each item and rounded once, for the whole cart.

- `shop/tax.py:4-5` multiplies an amount by the country's rate.
- `shop/cart.py:6` adds the tax of all items and rounds the sum.

I'll round where the tax is computed:
"""
EDIT = {
    "path": "shop/tax.py",
    "edits": [
        {"old_text": "    return amount * RATES[country]", "new_text": "    return round(amount * RATES[country], 2)"}
    ],
}
FOREIGN = re.compile(r"@font-face \{.*?\}\s*|<!--.*?-->", re.DOTALL)


async def shown(s: Scene) -> str:
    await s.send("How is tax computed at checkout? Round it per item.")
    await s.until_prompt()
    await s.painted()
    await s.wait(0.5)
    await show_one_sandbox(s)
    await s.press("f8")
    await s.painted()
    # Fonts from elsewhere are never fetched; every machine has one of its own.
    return FOREIGN.sub("", s.app.export_screenshot(title="code-assistant")).replace("Fira Code", "DejaVu Sans Mono")


async def picture() -> str:
    with ScriptedServer() as server, tempfile.TemporaryDirectory() as folder:
        shop = Path(folder, "shop")
        for name, content in FILES.items():
            (shop / name).parent.mkdir(parents=True, exist_ok=True)
            (shop / name).write_text(content)
        (shop / "tax.py").write_text("")
        server.script_default(
            [
                turn(
                    thinking("Where is it?"),
                    text("I'll look at the code and the tests."),
                    call("search_files", {"pattern": "tax", "path": "shop"}),
                    call("read_files", {"paths": ["shop/tax.py", "shop/cart.py:4-6"]}),
                    call(
                        "todo",
                        {
                            "items": [
                                {"text": "find where tax is computed", "status": "completed"},
                                {"text": "round it per item", "status": "in_progress"},
                                {"text": "run the tests"},
                            ]
                        },
                    ),
                ),
                turn(text(FINDINGS), call("edit", EDIT)),
                turn(text("Done.")),
            ]
        )
        async with scene(server, Path(folder), size=SIZE) as s:
            svg = await shown(s)
            s.app.action_escape()
            return svg


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(asyncio.run(picture()))
