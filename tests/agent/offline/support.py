"""A session whose model is the explorer, a small project to look at, and a check of every reference in an answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from code_assistant.events import AgentFinished, AgentSpawned, PromptFinished
from code_assistant.file_references import find_references
from code_assistant.llm.offline.client import OfflineFactory
from code_assistant.llm.offline.words import OFFLINE_LABEL
from tests.agent.harness import Harness
from tests.agent.subagents.support import spawning
from tests.fakes.server import ScriptedServer

OVERVIEW = "Give me an overview of this code base"
SHOP = {
    "README.md": "# The shop\n\n[![build](x.svg)](y)\n\nSells `goods`, see src/shop/cart.py:900 for *more*.\n",
    "pyproject.toml": '[project]\nname = "shop"\ndescription = "A small shop"\n\n'
    '[project.scripts]\nshop = "shop:main"\n',
    "Makefile": "run:\n\tpython -m shop\n\ntest:\n\tpytest\n",
    "src/shop/__init__.py": '"""All of the shop | in *one* package."""\n',
    "src/shop/cart.py": '"""Carts."""\n\n\nclass Cart:\n    """Goods."""\n\n'
    "    def total(self) -> int:\n        return 3\n",
    "src/shop/main.py": '"""Starts it."""\n\nfrom shop.cart import Cart\n\n\n'
    "def main() -> None:\n    Cart().total()\n\n\n"
    'if __name__ == "__main__":\n    main()\n',
    "tests/test_cart.py": "from shop.cart import Cart\n\n\ndef test_total():\n    assert Cart().total() == 3\n",
    "docs/guide.md": "# Guide\n\nHow to sell.\n",
    "docs/logo.png": "\x89PNG\r\n\x1a\n\0\0",
}


def written(folder: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode("latin-1"))
    return folder


@asynccontextmanager
async def exploring(server: ScriptedServer, folder: Path, **options: Any) -> AsyncIterator[Harness]:
    async with spawning(server, folder, clients=OfflineFactory(), model="offline", **options) as harness:
        yield harness
    assert server.requests == []


def checked(finished: PromptFinished, folder: Path) -> str:
    """An answer that is whole and labelled, and in which every reference names lines of a real file."""
    assert finished.outcome == "completed", finished.error
    label = f"*{OFFLINE_LABEL}*"
    assert finished.answer.endswith(label)
    body = finished.answer.removesuffix(label).strip()
    assert body
    for each in references(body, folder):
        name, first, last = each
        path = folder / name
        assert path.is_file(), each
        assert 0 < first <= last <= len(path.read_bytes().splitlines()), each
    return body


def references(answer: str, folder: Path) -> list[tuple[str, int, int]]:
    found = find_references(answer, lambda path: (folder / path).is_file())
    return [(each.path, each.first, each.last) for each in found]


def side_by_side(harness: Harness) -> int:
    """How many sub-agents there were; all had been spawned before the first had ended, and all ended well."""
    spawned = [place for place, event in enumerate(harness.events) if isinstance(event, AgentSpawned)]
    ended = [(place, event) for place, event in enumerate(harness.events) if isinstance(event, AgentFinished)]
    assert [event.status for _, event in ended] == ["completed"] * len(spawned)
    assert all(event.tool_calls >= 1 and event.warning is None for _, event in ended)
    assert not spawned or max(spawned) < min(place for place, _ in ended)
    return len(spawned)
