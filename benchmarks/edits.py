"""What changing a large file costs: a thousand lines of five megabytes, from the tool call to the synchronised disk."""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path

from benchmarks.interleaved import async_medians
from benchmarks.rows import Row
from code_assistant.events import MAIN
from code_assistant.tools.edit import Edit, EditInput, OneEdit
from code_assistant.tools.read_files import ReadFiles, ReadFilesInput
from code_assistant.tools.tool import ToolContext
from tests.surroundings import surroundings

LIMIT_MS = 50
LINES = 106_000
EDITED = range(50_000, 51_000)
RUNS = 9


def _lines(word: str, numbers: range) -> str:
    return "".join(f"    {word}_{number:06} = compute(value, rate={number})\n" for number in numbers)


class _Subject:
    """A file of five megabytes that an agent has read, and an edit that is made and taken back in turn."""

    def __init__(self, folder: Path, name: str, edit: OneEdit) -> None:
        self._path = folder / name
        self._path.write_text(_lines("before", range(LINES)))
        self._context = ToolContext(MAIN, "call", surroundings(folder, mode="yolo").services, lambda _: None)
        self._edit = edit

    async def read(self) -> None:
        await ReadFiles().run(ReadFilesInput(paths=[f"{self._path.name}:1-10"]), self._context)

    async def edit(self) -> None:
        edit = self._edit
        await Edit().run(EditInput(path=self._path.name, edits=[edit]), self._context)
        self._edit = OneEdit(old_text=edit.new_text, new_text=edit.old_text, replace_all=edit.replace_all)


def _write(path: Path, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


async def _measure(folder: Path) -> list[Row]:
    block = OneEdit(old_text=_lines("before", EDITED), new_text=_lines("after", EDITED))
    places = OneEdit(old_text="77 = ", new_text="77 == ", replace_all=True)
    subjects = {"block": _Subject(folder, "block.py", block), "places": _Subject(folder, "places.py", places)}
    for subject in subjects.values():
        await subject.read()
    data = _lines("before", range(LINES)).encode()
    contenders = {name: subject.edit for name, subject in subjects.items()}
    contenders["write"] = lambda: asyncio.to_thread(_write, folder / "beside", data)
    seconds = await async_medians(contenders, RUNS)
    return [
        Row("edits: writing 5 MB to the disk", seconds["write"] * 1000, "ms"),
        Row("edits: a block of 1,000 lines in 5 MB", seconds["block"] * 1000, "ms", LIMIT_MS),
        Row("edits: 1,060 places in 5 MB at once", seconds["places"] * 1000, "ms"),
    ]


def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measure(Path(folder)))
