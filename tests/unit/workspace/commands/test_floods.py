"""Commands that print without end or without line breaks: memory is bounded, beginning and end are kept."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from code_assistant.workspace.spill import MAXIMUM_BYTES
from tests.processes import processes_with
from tests.unit.workspace.commands.support import Engine

MEGABYTE = 1_000_000
MAXIMUM_GROWTH = 64 * MEGABYTE

# In a process of its own, whose memory is not what other tests have left behind; all that is read goes the way of a
# real call: kept, written to the file, shown to people, cut for the model.
MEASURED = """
import asyncio, json, resource, sys
from pathlib import Path
from code_assistant.workspace.commands.live_output import LiveOutput
from code_assistant.workspace.commands.result_text import result_text
from code_assistant.workspace.spill import SpillFolder
from tests.unit.workspace.commands.support import Engine

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

async def main(folder, text, seconds):
    engine = Engine(Path(folder), SpillFolder(Path(folder) / "private" / "spill"))
    pieces = []
    live = LiveOutput(lambda text: pieces.append(len(text.encode())))
    async def run(text, seconds):
        result = await engine.commands.run(engine.command(text), engine.spill, live.add, seconds)
        live.finish()
        return result, result_text(result.output.parts, result.output)
    await run("seq 1000", 60)
    before = peak()
    result, shown = await run(text, float(seconds))
    growth = peak() - before
    await engine.close()
    print(json.dumps({
        "growth": growth, "characters": result.output.parts.characters, "timed_out": result.timed_out,
        "shown": len(shown), "head": shown[:20], "tail": shown[-20:], "largest": max(pieces),
    }))

asyncio.run(main(*sys.argv[1:]))
"""


def measured(folder: Path, text: str, seconds: float = 600) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, folder, text, str(seconds)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def one_line(megabytes: int) -> str:
    return f"printf begin; head -c {megabytes * MEGABYTE} /dev/zero | tr '\\0' x; printf end"


def check_one_line(folder: Path, megabytes: int) -> None:
    result = measured(folder, one_line(megabytes))
    assert result["growth"] <= MAXIMUM_GROWTH
    assert result["characters"] == megabytes * MEGABYTE + len("beginend")
    assert (result["head"], result["tail"]) == ("begin" + "x" * 15, "x" * 17 + "end")
    assert result["shown"] < 31_000
    assert result["largest"] <= 8_000
    (spill,) = (folder / "private" / "spill").iterdir()
    assert spill.stat().st_size == min(megabytes * MEGABYTE + len("beginend"), MAXIMUM_BYTES)


def test_safe_o3_one_long_line(tmp_path: Path) -> None:
    check_one_line(tmp_path, 200)


def test_safe_o3_a_flood_until_its_time_is_over(tmp_path: Path) -> None:
    result = measured(tmp_path, "yes é", 1)
    assert result["timed_out"]
    assert result["growth"] <= MAXIMUM_GROWTH
    assert result["head"] == "é\n" * 10
    assert set(result["tail"]) == {"é", "\n"}


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("command", [one_line(2000), "yes | head -c 2000000000", "head -c 2000000000 /dev/urandom"])
def test_soak_safe_o3_two_gigabytes(tmp_path: Path, command: str) -> None:
    result = measured(tmp_path, command)
    assert not result["timed_out"]
    assert result["growth"] <= MAXIMUM_GROWTH


async def test_safe_o3_several_floods_leave_the_loop_free(engine: Engine, marker: str) -> None:
    """What else waits on the event loop comes to its turn between the slices."""
    floods = [asyncio.create_task(engine.run(f"yes {marker}")) for _ in range(3)]
    assert await engine.text("echo between") == "between\n"
    for flood in floods:
        assert not flood.done()
        flood.cancel()
    await asyncio.wait(floods)
    assert processes_with(marker) == []
