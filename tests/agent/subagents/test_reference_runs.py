"""Answers that must point to real lines: asked for, checked, corrected, and warned of."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from code_assistant.config.settings import AgentSettings
from code_assistant.events import AgentFinished, ReferenceRetry
from code_assistant.subagents.references import REFERENCE_SUFFIX, WARNING_OPENING
from tests.agent.subagents.support import requests_of, results, said, spawn, spawning
from tests.fakes.script import call, status, text, turn
from tests.fakes.server import ScriptedServer

READING = turn(call("read_files", {"paths": ["src/a.py"]}))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("".join(f"line {number}\n" for number in range(1, 31)))
    (tmp_path / "src" / "unread.py").write_text("x = 1\n")
    return tmp_path


async def test_sub_f1_the_suffix(server: ScriptedServer, folder: Path) -> None:
    server.script("with", [READING, turn(text("At `src/a.py:10-20`."))])
    server.script("plain", [turn(text("No idea."))])
    server.script_default([turn(spawn("with", require_file_references=True), spawn("plain")), turn(text("ok"))])
    async with spawning(server, folder) as harness:
        await harness.ask()
        assert said(requests_of(server, "with")[0]) == [f"with{REFERENCE_SUFFIX}"]
        assert said(requests_of(server, "plain")[0]) == ["plain"]
        assert results(harness) == ["At `src/a.py:10-20`.", "No idea."]
        assert [each.status for each in harness.of(AgentFinished)] == ["completed", "completed"]


async def test_sub_f3_two_bad_answers_and_a_good_one(server: ScriptedServer, folder: Path) -> None:
    answers = (turn(text("It is there.")), turn(text("At src/b.py:3.")), turn(text("At src/a.py:3.")))
    server.script("look", [READING, *answers])
    server.script_default([turn(spawn("look", require_file_references=True)), turn(text("ok"))])
    async with spawning(server, folder) as harness:
        await harness.ask()
        assert results(harness) == ["At src/a.py:3."]
        assert [each.attempt for each in harness.of(ReferenceRetry)] == [1, 2]
        asked = requests_of(server, "look")
        assert len(asked) == 4
        # One conversation, which only grows.
        for earlier, later in pairwise(asked):
            assert _plain(later)[: len(earlier.body["messages"])] == _plain(earlier)
        assert "no file reference at all" in said(asked[2])[-1]
        assert "src/b.py:3" in said(asked[3])[-1]
        (finished,) = harness.of(AgentFinished)
        assert (finished.status, finished.turns) == ("completed", 4)


def _plain(request: object) -> list[object]:
    """The messages without the marks for the cache, which move."""
    return [
        {**message, "content": [{k: v for k, v in part.items() if k != "cache_control"} for part in message["content"]]}
        for message in request.body["messages"]  # type: ignore[attr-defined]
    ]


async def test_sub_f4_three_bad_answers(server: ScriptedServer, folder: Path) -> None:
    server.script("look", [READING, *(turn(text(f"At src/a.py:{number}00.")) for number in range(1, 5))])
    server.script_default([turn(spawn("look", require_file_references=True)), turn(text("ok"))])
    async with spawning(server, folder) as harness:
        await harness.ask()
        assert len(requests_of(server, "look")) == 4
        (result,) = results(harness)
        *answer, warning = result.split("\n")
        assert "\n".join(answer) == "At src/a.py:300.\n"
        assert warning.startswith(WARNING_OPENING)
        assert "src/a.py:300" in warning
        (finished,) = harness.of(AgentFinished)
        assert (finished.status, finished.answer, finished.warning) == (
            "completed_with_warning",
            "At src/a.py:300.",
            warning,
        )


async def test_failing_references_can_fail_the_agent(server: ScriptedServer, folder: Path) -> None:
    server.script("look", [READING, *(turn(text("No.")) for _ in range(3))])
    server.script_default([turn(spawn("look", require_file_references=True)), turn(text("ok"))])
    async with spawning(server, folder, agents=AgentSettings(file_reference_failure="error")) as harness:
        await harness.ask()
        (result,) = results(harness)
        assert result.startswith("Sub-agent ended: failed.\n\nIts file references could not be verified.\n\nNo.")
        assert WARNING_OPENING in result
        (finished,) = harness.of(AgentFinished)
        assert finished.status == "failed"


async def test_sub_f5_the_correction_names_what_is_wrong(server: ScriptedServer, folder: Path) -> None:
    bad = "See src/gone.py:1, src/a.py:31 and src/unread.py:1, but src/a.py:30 holds."
    server.script("look", [READING, turn(text(bad)), turn(text("src/a.py:30"))])
    server.script_default([turn(spawn("look", require_file_references=True)), turn(text("ok"))])
    async with spawning(server, folder) as harness:
        await harness.ask()
        correction = said(requests_of(server, "look")[2])[-1]
        for reference, reason in (
            ("src/gone.py:1", "no such file"),
            ("src/a.py:31", "has only 30 lines"),
            ("src/unread.py:1", "was not read"),
        ):
            assert any(reference in line and reason in line for line in correction.splitlines()), correction
        assert "src/a.py:30" not in correction.replace("src/a.py:31", "")
        assert results(harness) == ["src/a.py:30"]


async def test_without_a_tool_nothing_is_verified(server: ScriptedServer, folder: Path) -> None:
    server.script("look", [turn(text("src/a.py:1"))] * 3)
    server.script_default([turn(spawn("look", require_file_references=True)), turn(text("ok"))])
    async with spawning(server, folder) as harness:
        await harness.ask()
        assert WARNING_OPENING in results(harness)[0]


async def test_matches_and_own_files_count(server: ScriptedServer, folder: Path) -> None:
    work = turn(
        call("search_files", {"pattern": "line 7"}),
        call("write_file", {"path": "new.py", "content": "a\nb\n"}),
    )
    server.script("work", [work, turn(text("src/a.py:7 and new.py:2"))])
    server.script_default([turn(spawn("work", mode="default", require_file_references=True)), turn(text("ok"))])
    async with spawning(server, folder, mode="accept-edits") as harness:
        await harness.ask()
        assert results(harness) == ["src/a.py:7 and new.py:2"]


async def test_a_correction_may_look_again_for_three_turns(server: ScriptedServer, folder: Path) -> None:
    looking = turn(call("list_files", {}))
    last = turn(text("src/a.py:2"))
    server.script("look", [READING, turn(text("Bad.")), looking, looking, last])
    server.script_default([turn(spawn("look", max_turns=2, require_file_references=True)), turn(text("ok"))])
    async with spawning(server, folder) as harness:
        await harness.ask()
        asked = requests_of(server, "look")
        # Two turns of its own: the second had to be the answer, so it is checked and only warned of.
        assert len(asked) == 2
        (finished,) = harness.of(AgentFinished)
        assert finished.status == "turn_limit_reached"
        assert finished.warning is not None
    server.script("look", [READING, turn(text("Bad.")), looking, looking, last])
    server.script_default([turn(spawn("look", max_turns=3, require_file_references=True)), turn(text("ok"))])
    async with spawning(server, folder) as harness:
        await harness.ask()
        asked = requests_of(server, "look")[2:]
        assert len(asked) == 5
        assert [request.body.get("tool_choice") for request in asked] == [None] * 4 + [{"type": "none"}]
        assert results(harness) == ["src/a.py:2"]


async def test_words_on_the_way_are_no_answer(server: ScriptedServer, folder: Path) -> None:
    """A correction that ends with a tool call, or fails, leaves the answer that there was."""
    narrating = turn(text("Let me check src/a.py:1 first."), call("list_files", {}))
    looking = turn(call("list_files", {}))
    server.script("look 1", [READING, turn(text("The finding.")), narrating, looking, looking, *[looking] * 3])
    failing = [narrating, status(400, "invalid_request_error", "no")]
    server.script("look 2", [READING, turn(text("The finding.")), *failing])
    spawns = [spawn(f"look {number}", require_file_references=True) for number in (1, 2)]
    server.script_default([turn(*spawns), turn(text("ok"))])
    async with spawning(server, folder) as harness:
        await harness.ask()
        first, second = results(harness)
        assert first.startswith(f"The finding.\n\n{WARNING_OPENING}")
        assert second.startswith("Sub-agent ended: failed.")
        assert "The finding." in second
        assert "Let me check" not in first + second
        statuses = {each.origin.name: each.status for each in harness.of(AgentFinished)}
        assert statuses == {"helper-1": "completed_with_warning", "helper-2": "failed"}


async def test_a_long_answer_keeps_its_warning(server: ScriptedServer, folder: Path) -> None:
    server.script("look", [READING, *[turn(text("At src/a.py:99. " + "word " * 500))] * 3])
    server.script_default([turn(spawn("look", require_file_references=True)), turn(text("ok"))])
    async with spawning(server, folder, agents=AgentSettings(max_result_tokens=100)) as harness:
        await harness.ask()
        (result,) = results(harness)
        assert "[Cut here" in result
        assert result.splitlines()[-1].startswith(WARNING_OPENING)


async def test_references_count_from_the_workspace_whatever_the_folder(server: ScriptedServer, folder: Path) -> None:
    reading = turn(call("read_files", {"paths": ["a.py"]}))
    server.script("look", [reading, turn(text("At a.py:20.")), turn(text("At src/a.py:20."))])
    server.script_default([turn(spawn("look", cwd="src", require_file_references=True)), turn(text("ok"))])
    async with spawning(server, folder) as harness:
        await harness.ask()
        assert results(harness) == ["At src/a.py:20."]
        assert f"count from {folder}" in said(requests_of(server, "look")[0])[0]
