"""Makes the README's picture from a real run in a real terminal: `python -m tests.e2e.picture docs/headless.svg`."""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from rich.ansi import AnsiDecoder
from rich.console import Console

from tests.e2e.program import Program
from tests.fakes.script import call, text, thinking, turn
from tests.fakes.server import ScriptedServer

QUESTION = "How is tax computed at checkout, and is it tested?"
ANSWER = """\
Tax is computed for each item and rounded once, for the whole cart.

- `shop/tax.py:4-5` multiplies an amount by the country's rate.
- `shop/cart.py:6` adds the tax of all items and rounds the sum to cents.
- `tests/test_tax.py:4-5` tests the rate of one country. The cart and its rounding have no test.
"""
FILES = {
    "shop/tax.py": 'RATES = {"AT": 0.20, "DE": 0.19}\n\n\n'
    "def tax(amount, country):\n    return amount * RATES[country]\n",
    "shop/cart.py": "from shop.tax import tax\n\n\ndef total(items, country):\n    net = sum(items)\n"
    "    return round(net + sum(tax(each, country) for each in items), 2)\n",
    "tests/test_tax.py": 'from shop.tax import tax\n\n\ndef test_rate():\n    assert tax(100, "AT") == 20\n',
    "README.md": "# Shop\n",
}


def main(target: Path) -> None:
    with ScriptedServer() as server, tempfile.TemporaryDirectory() as folder:
        home, shop = Path(folder, "home"), Path(folder, "shop")
        home.mkdir()
        for name, content in FILES.items():
            (shop / name).parent.mkdir(parents=True, exist_ok=True)
            (shop / name).write_text(content)
        server.script_default(
            [
                turn(
                    thinking("Where is it?"),
                    text("I'll look at the code and the tests."),
                    call("search_files", {"pattern": "tax", "path": "shop"}),
                    call("glob_files", {"pattern": "tests/**/test_*tax*.py"}),
                ),
                turn(call("read_files", {"paths": ["shop/tax.py", "shop/cart.py:4-6", "tests/test_tax.py"]})),
                turn(text(ANSWER)),
            ]
        )
        with Program(home, shop, server.url).in_terminal("-p", QUESTION) as terminal:
            terminal.finish()
    console = Console(record=True, width=96, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(f"[bold green]~/shop $[/] code-assistant -p '{QUESTION}'", highlight=False)
    for line in AnsiDecoder().decode(terminal.written.decode().replace("\r\n", "\n")):
        console.print(line, highlight=False)
    target.write_text(console.export_svg(title="code-assistant"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
