"""Commands in the background: an id, what is new since the last look, an end that is told once, and a limit."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path

import pytest

from code_assistant.errors import ToolError, WorkspaceError
from code_assistant.workspace.commands import table
from code_assistant.workspace.commands.background import BackgroundCommand
from code_assistant.workspace.commands.table import MAXIMUM_IN_BACKGROUND
from tests.hang_guard import HANG_GUARD
from tests.processes import processes_with, say
from tests.unit.workspace.commands.support import Engine


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    path = tmp_path / "fifo"
    os.mkfifo(path)
    return path


async def looked_until(background: BackgroundCommand, words: str) -> str:
    text = ""
    while words not in text:
        look = await background.look(HANG_GUARD)
        text += look.text
        assert look.text or look.ending is None
    return text


async def test_it_runs_on_and_each_look_shows_what_is_new(engine: Engine, fifo: Path) -> None:
    second = fifo.with_name("second")
    os.mkfifo(second)
    background = await engine.background(f"echo one; read x < {fifo}; echo two $x; read x < {second}; exit 3")
    assert background.name == "command-1"
    assert await looked_until(background, "one\n") == "one\n"
    look = await background.look()
    assert (look.text, look.ending) == ("", None)
    assert re.fullmatch(r"running for \d+\.\d s", look.state)
    await say(fifo, "dear\n")
    assert await looked_until(background, "two") == "two dear\n"
    waiting = asyncio.create_task(background.look(HANG_GUARD))
    await say(second, "\n")
    look = await waiting
    assert look.ending is not None
    assert (look.text, look.ending.status) == ("", 3)
    assert re.fullmatch(r"exit code 3 · \d+\.\d s", look.state)


async def test_a_look_that_is_called_off_takes_nothing(engine: Engine, fifo: Path) -> None:
    background = await engine.background(f"echo one; read x < {fifo}; echo two")
    await looked_until(background, "one")
    waiting = asyncio.create_task(background.look(HANG_GUARD))
    await asyncio.sleep(0)
    assert not waiting.done()
    waiting.cancel()
    await asyncio.wait({waiting})
    await say(fifo, "\n")
    await background.running.wait(HANG_GUARD)
    look = await background.look(HANG_GUARD)
    assert look.ending is not None
    assert look.text == "two\n"


async def test_waiting_in_vain_is_an_answer_too(engine: Engine, marker: str) -> None:
    background = await engine.background(f"sleep {marker}")
    look = await background.look(0.01)
    assert (look.text, look.ending) == ("", None)


async def test_ids_count_up_and_are_found(engine: Engine, marker: str) -> None:
    first, second = [await engine.background(f"sleep {marker}") for _ in range(2)]
    assert (first.name, second.name) == ("command-1", "command-2")
    assert engine.commands.find("command-2") is second
    with pytest.raises(ToolError, match=r"no command 'x' in the background\. Known are: command-1 \(sleep "):
        engine.commands.find("x")


async def test_without_any_there_is_none_to_find(engine: Engine) -> None:
    with pytest.raises(ToolError, match="None was started with background=true"):
        engine.commands.find("command-1")


async def test_the_end_is_told_once(engine: Engine, fifo: Path) -> None:
    background = await engine.background(f"read x < {fifo}; echo bye")
    assert engine.commands.news() == ()
    await say(fifo, "\n")
    await background.running.wait(HANG_GUARD)
    (line,) = engine.commands.news()
    assert re.fullmatch(
        r"\[Background command command-1 \(read x < .*; echo bye\) ended: exit code 0 · \d+\.\d s\. "
        r"command_output has 4 characters that you have not seen\.\]",
        line,
    )
    assert engine.commands.news() == ()
    assert (await background.look()).text == "bye\n"


async def test_an_end_that_was_looked_at_is_no_news(engine: Engine) -> None:
    background = await engine.background("true")
    await background.running.wait(HANG_GUARD)
    assert (await background.look()).ending is not None
    assert engine.commands.news() == ()


async def test_nothing_unseen_is_not_mentioned(engine: Engine, fifo: Path) -> None:
    background = await engine.background(f"echo hi; read x < {fifo}")
    await looked_until(background, "hi")
    await say(fifo, "\n")
    await background.running.wait(HANG_GUARD)
    (line,) = engine.commands.news()
    assert "not seen" not in line


async def test_safe_o1_stopping_ends_all_of_it(engine: Engine, marker: str) -> None:
    background = await engine.background(f"trap '' TERM; (setsid sleep {marker} &); echo up; sleep {marker}; sleep 900")
    await looked_until(background, "up")
    await background.running.end()
    assert processes_with(marker) == []
    look = await background.look()
    assert look.ending is not None
    assert look.state.startswith("ended by SIGKILL")
    # Once more does no harm.
    await background.running.end()


async def test_there_is_a_limit_and_what_ended_does_not_count(engine: Engine, marker: str) -> None:
    started = [await engine.background(f"sleep {marker}") for _ in range(MAXIMUM_IN_BACKGROUND)]
    with pytest.raises(ToolError, match=r"16 commands run in the background already.*command-16 \(sleep"):
        await engine.background("true")
    await started[3].running.end()
    assert (await engine.background(f"sleep {marker}")).name == "command-17"


async def test_the_limit_counts_those_that_are_starting(engine: Engine, marker: str) -> None:
    starting = [asyncio.create_task(engine.background(f"sleep {marker}")) for _ in range(MAXIMUM_IN_BACKGROUND + 2)]
    await asyncio.wait(starting)
    failed = [task.exception() for task in starting if task.exception() is not None]
    assert [type(each) for each in failed] == [ToolError, ToolError]


async def test_those_told_of_are_forgotten_in_the_end(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "MAXIMUM_REMEMBERED", 2)
    for _ in range(5):
        background = await engine.background("true")
        await background.running.wait(HANG_GUARD)
        await background.look()
    await engine.background("true")
    for name in ("command-4", "command-5", "command-6"):
        engine.commands.find(name)
    with pytest.raises(ToolError, match="no command 'command-3'"):
        engine.commands.find("command-3")


async def test_cancelled_while_starting_it_is_ended_and_unknown(engine: Engine, marker: str) -> None:
    starting = asyncio.create_task(engine.background(f"sleep {marker}"))
    await asyncio.sleep(0)
    starting.cancel()
    await asyncio.wait({starting}, timeout=HANG_GUARD)
    assert starting.cancelled()
    assert processes_with(marker) == []
    assert engine.commands.news() == ()
    with pytest.raises(ToolError, match="None was started"):
        engine.commands.find("command-1")


async def test_much_output_between_two_looks_is_cut_and_all_in_a_file(engine: Engine) -> None:
    background = await engine.background("seq 100000")
    await background.running.wait(HANG_GUARD)
    text = (await background.look()).text
    assert len(text) < 40_000
    assert text.startswith("1\n2\n3\n")
    assert text.endswith("99999\n100000\n")
    match = re.search(r"the whole output is in (\S+), which", text)
    assert match is not None
    (file,) = engine.spill.path.iterdir()
    assert match[1] == str(file)
    assert file.read_text() == "".join(f"{number}\n" for number in range(1, 100_001))
    assert (await background.look()).text == ""


async def test_one_that_ends_before_it_is_known_to_run_is_still_a_start(engine: Engine) -> None:
    for _ in range(10):
        assert (await engine.background("exit 5")).running.command.text == "exit 5"


async def test_a_lost_keeper_in_the_background_is_news(engine: Engine, marker: str) -> None:
    kill = "until [ -e go ]; do sleep 0.05; done; kill -KILL $PPID"
    background = await engine.background(f"(setsid sleep {marker} &); {kill}; sleep {marker}")
    await background.running.has_started()
    (engine.folder / "go").touch()
    await background.running.wait(HANG_GUARD)
    assert processes_with(marker) == []
    (line,) = engine.commands.news()
    assert "ended: ended abnormally" in line
    look = await background.look()
    assert look.ending is not None
    assert look.ending.watch_was_killed


async def test_ended_while_starting_it_is_an_error(engine: Engine) -> None:
    starting = asyncio.create_task(engine.background("sleep 900"))
    await asyncio.sleep(0)
    await engine.commands.close()
    try:
        await starting
    except WorkspaceError as error:
        assert "ended before it began" in str(error)
