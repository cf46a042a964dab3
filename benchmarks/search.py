"""search_files against plain ripgrep on a generated tree: with ripgrep and with our own search."""

from __future__ import annotations

import asyncio
import random
import subprocess
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from benchmarks.interleaved import async_medians
from benchmarks.rows import Row
from code_assistant.events import MAIN
from code_assistant.tools.search_files import SearchFiles, SearchFilesInput
from code_assistant.tools.tool import ToolContext
from code_assistant.workspace.ripgrep import find_ripgrep
from tests.surroundings import surroundings

FILES = 5000
IGNORED_FILES = 1000
FOLDERS = 400
EVERY_FILE_WITH_MATCH = 100
EVERY_FILE_WITH_OTHER_THAN_ASCII = 20
LIMIT_WITH_RIPGREP = 1.5
LIMIT_WITHOUT_RIPGREP = 4.0

PATTERNS = {"literal": "compute_sales_tax", "regex": r"def \w+_tax\("}
SUFFIXES = ("py", "ts", "md", "json", "txt")
IGNORE_FILE = "node_modules/\n*.log\n*.pyc\n__pycache__/\n/dist\n.env\n!keep.log\ndocs/_build/\n"
# fmt: off
WORDS = (
    "value", "result", "index", "order", "customer", "total", "tax", "amount", "invoice", "handler",
    "request", "response", "return", "import", "class", "list", "name", "path", "file", "read", "write",
    "error", "raise", "async", "config", "parser", "token", "stream", "buffer", "cache", "session", "user",
    "price", "cart", "checkout", "payment", "gateway",
)
# fmt: on


def build_tree(root: Path, seed: int = 7) -> None:
    """About 5,000 files and 40 MB in nested folders, some of them not ASCII, and an ignored folder beside."""
    chance = random.Random(seed)
    lines = [_line(chance) for _ in range(4000)]
    folders = [root]
    for number in range(FOLDERS):
        folders.append(chance.choice(folders[-120:]) / f"{chance.choice(WORDS)}_{number}")
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    (root / ".gitignore").write_text(IGNORE_FILE)
    for number in range(FILES):
        name = f"{chance.choice(WORDS)}_{number}.{chance.choice(SUFFIXES)}"
        (chance.choice(folders) / name).write_text(_content(chance, lines, number), encoding="utf-8")
    for number in range(IGNORED_FILES):
        folder = root / "node_modules" / f"package_{number % 50}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.js").write_text(_content(chance, lines, number), encoding="utf-8")


def _line(chance: random.Random) -> str:
    words = " ".join(chance.choices(WORDS, k=chance.randint(0, 11)))
    return "    " * chance.randint(0, 3) + words + chance.choice(("", ":", " = None", "()", ", value=1)"))


def _content(chance: random.Random, lines: list[str], number: int) -> str:
    chosen = chance.choices(lines, k=int(chance.lognormvariate(4.7, 1.0)) + 5)
    if number % EVERY_FILE_WITH_MATCH == 0:
        chosen.append("def compute_sales_tax(order): return order")
    if number % EVERY_FILE_WITH_OTHER_THAN_ASCII == 0:
        chosen.insert(0, "# Übersicht, naïve")
    return "\n".join(chosen) + "\n"


def measure() -> list[Row]:
    """Medians of interleaved runs; the rows with a limit are ratios to plain ripgrep."""
    ripgrep = find_ripgrep()
    if ripgrep is None:
        raise RuntimeError("the search benchmark needs ripgrep to compare with")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        build_tree(root)
        return [row for kind in PATTERNS for row in asyncio.run(_measure_pattern(ripgrep, root, kind))]


async def _measure_pattern(ripgrep: Path, root: Path, kind: str) -> list[Row]:
    pattern = PATTERNS[kind]

    async def plain() -> None:
        command = [ripgrep, "--no-config", "--hidden", "--no-require-git", "--line-number", pattern, "."]
        subprocess.run(command, cwd=root, capture_output=True, check=True)  # noqa: ASYNC221 - the yardstick

    contenders: dict[str, Callable[[], Awaitable[object]]] = {
        "plain rg": plain,
        "search_files with rg": _search(SearchFiles(), root, pattern),
        "search_files without rg": _search(SearchFiles(lambda _: None), root, pattern),
    }
    plain_time, *own_times = (await async_medians(contenders)).values()
    rows = [Row(f"search, {kind}: plain rg", plain_time * 1000, "ms")]
    limits = (LIMIT_WITH_RIPGREP, LIMIT_WITHOUT_RIPGREP)
    for name, own_time, limit in zip(list(contenders)[1:], own_times, limits, strict=True):
        rows.append(Row(f"search, {kind}: {name}", own_time / plain_time, "x plain rg", limit))
    return rows


def _search(tool: SearchFiles, root: Path, pattern: str) -> Callable[[], Awaitable[object]]:
    context = ToolContext(MAIN, "benchmark", surroundings(root).services, lambda _: None)
    arguments = SearchFilesInput(pattern=pattern)
    return lambda: tool.run(arguments, context)
