"""Sub-agents without a screen: whose each line is, what they used, and how the run ends."""

from __future__ import annotations

import json
import signal
from typing import Any

from tests.e2e.program import Program
from tests.fakes.script import Block, Gate, call, hold, text, turn
from tests.fakes.server import ScriptedServer
from tests.hang_guard import HANG_GUARD


def spawn(instructions: str, call_id: str, **more: Any) -> Block:
    return call("spawn_agent", {"instructions": instructions, **more}, id=call_id)


def script(server: ScriptedServer) -> None:
    server.script("look 1", [turn(call("read_files", {"paths": ["tax.py"]}, id="r1")), turn(text("Seen one."))])
    server.script("look 2", [turn(text("Seen two."))])
    spawns = turn(spawn("look 1", "c1", agent="explore", description="First"), spawn("look 2", "c2"))
    server.script_default([spawns, turn(text("Both seen."))])


def test_stream_json_says_whose_each_line_is(program: Program, server: ScriptedServer) -> None:
    script(server)
    done = program.run("-p", "go", "--output-format", "stream-json", "--include-partial-messages")
    assert done.code == 0
    lines = done.lines
    assistants = [line for line in lines if line["type"] == "assistant"]
    by_parent = {
        parent: [
            block.get("text") for line in assistants if line["parent_tool_use_id"] == parent for block in said(line)
        ]
        for parent in (None, "c1", "c2")
    }
    assert by_parent == {None: [None, None, "Both seen."], "c1": [None, "Seen one."], "c2": ["Seen two."]}
    streamed = {line["parent_tool_use_id"] for line in lines if line["type"] == "stream_event"}
    assert streamed == {None, "c1", "c2"}
    tasks = [line for line in lines if line["type"] == "system" and line["subtype"].startswith("task_")]
    started = {line["tool_use_id"]: line for line in tasks if line["subtype"] == "task_started"}
    assert started["c1"]["description"] == "First"
    assert (started["c1"]["subagent_type"], started["c2"]["subagent_type"]) == ("explore", "ad-hoc")
    assert (started["c1"]["spawn_depth"], started["c1"]["parent_task_id"]) == (2, None)
    assert started["c1"]["prompt"] == "look 1"
    (progress,) = [line for line in tasks if line["subtype"] == "task_progress"]
    assert (progress["tool_use_id"], progress["last_tool_name"]) == ("c1", "read_files")
    assert progress["usage"]["tool_uses"] == 1
    ended = {line["tool_use_id"]: line for line in tasks if line["subtype"] == "task_notification"}
    assert {call_id: (line["status"], line["summary"]) for call_id, line in ended.items()} == {
        "c1": ("completed", "Seen one."),
        "c2": ("completed", "Seen two."),
    }
    assert ended["c1"]["usage"]["total_tokens"] == 240
    updates = [line["status"] for line in tasks if line["subtype"] == "task_updated" and line["tool_use_id"] == "c2"]
    assert updates == ["spawning", "running"]
    result = lines[-1]
    assert result["result"] == "Both seen."
    assert result["usage"]["input_tokens"] == 200
    assert result["tree_usage"]["input_tokens"] == 500
    assert result["num_turns"] == 2


def said(line: dict[str, Any]) -> list[dict[str, Any]]:
    return line["message"]["content"]


def test_text_is_the_main_answer_only(program: Program, server: ScriptedServer) -> None:
    script(server)
    done = program.run("-p", "go")
    assert (done.code, done.out) == (0, "Both seen.\n")


def test_what_a_child_may_not_do_is_said_under_its_name(program: Program, server: ScriptedServer) -> None:
    fetching = turn(call("web_fetch", {"url": "https://example.org/"}))
    server.script("look", [fetching, turn(text("I could not."))] * 2)
    server.script_default([turn(spawn("look", "c1", agent="explore")), turn(text("No luck."))] * 2)
    done = program.run("-p", "go", "--output-format", "stream-json")
    (denied,) = [line for line in done.lines if line.get("subtype") == "permission_denied"]
    assert denied["parent_tool_use_id"] == "c1"
    assert denied["tool"] == "web_fetch"
    again = program.run("-p", "go")
    assert "explore-1: web_fetch may not fetch" in again.err


def test_a_budget_that_is_used_up(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(text("Well,"), call("list_files", {}), usage={"input_tokens": 900})])
    program.environ["CODE_ASSISTANT_SESSION__MAX_TOKENS"] = "500"
    done = program.run("-p", "go", "--output-format", "json")
    assert done.code == 1
    (result,) = done.lines
    assert result["subtype"] == "error_max_budget"
    assert "budget" in result["error"]


def test_sub_c4_a_depth_out_of_range_is_refused_at_the_start(program: Program, server: ScriptedServer) -> None:
    for depth in ("0", "11"):
        program.environ["CODE_ASSISTANT_AGENTS__MAX_DEPTH"] = depth
        done = program.run("-p", "go")
        assert done.code == 2
        assert "agents.max_depth" in done.err
    assert server.requests == []


def test_sub_e7_ctrl_c_ends_all_children(program: Program, server: ScriptedServer) -> None:
    gates = [Gate("first"), Gate("second")]
    for number, gate in enumerate(gates, 1):
        server.script(f"look {number}", [turn(text("So far"), hold(gate))])
    server.script_default([turn(spawn("look 1", "c1"), spawn("look 2", "c2"))])
    with program.started("-p", "go", "--output-format", "stream-json") as process:
        for gate in gates:
            gate.wait_reached()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=HANG_GUARD)
    assert process.returncode == 130
    assert b"Traceback" not in err
    lines = [json.loads(line) for line in out.splitlines()]
    ended = [line for line in lines if line.get("subtype") == "task_notification"]
    assert [line["status"] for line in ended] == ["cancelled"] * 2
    assert {line["error"] for line in ended} == {"Sub-agent cancelled: its parent was interrupted."}
    assert all(request.wait_closed() for request in server.requests[1:])
