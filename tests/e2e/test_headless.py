"""`code-assistant -p` as a person or a script runs it."""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import stat
import sys
import termios
from pathlib import Path
from typing import Any

import pytest

from code_assistant import __version__
from code_assistant.tools.builtin import BUILTIN_MODULES
from tests.e2e.program import Program
from tests.fakes.script import (
    Gate,
    call,
    cut,
    hold,
    status,
    text,
    thinking,
    turn,
)
from tests.fakes.server import ScriptedServer
from tests.hang_guard import HANG_GUARD

TAX = [
    turn(
        thinking("where?"),
        text("I look."),
        call("search_files", {"pattern": "def tax"}, id="t1"),
        call("read_files", {"paths": ["tax.py"]}, id="t2"),
    ),
    turn(text("It is in `tax.py:4`.")),
]


# What tools, sub-agents, rules for commands and sessions of the past need.
NOT_FOR_A_MERE_ANSWER = {"pydantic", "tree_sitter", "importlib.metadata", "zipfile"} | {
    f"code_assistant.{name}"
    for name in (
        *("tools.tool_input", "tools.confined_commands", "tools.command_proof", "web"),
        *("subagents.spawn_agent", "subagents.runner", "subagents.references", "file_references"),
        *("permissions.mentions", "permissions.shell.analysis", "permissions.shell.tables"),
        *("resuming.reopening", "resuming.conversation", "session.past", "session.index", "exporting"),
    )
}
# A pipe holds 64 KB; the last page of it may be only partly used.
PIPE_IS_FULL = 60_000


def waiting_bytes(descriptor: int) -> int:
    return int.from_bytes(fcntl.ioctl(descriptor, termios.FIONREAD, bytes(4)), sys.byteorder)


def test_only_the_answer_is_printed(program: Program, server: ScriptedServer) -> None:
    server.script("tax", TAX)
    done = program.run("-p", "Where is tax computed?")
    assert (done.code, done.out, done.err) == (0, "It is in `tax.py:4`.\n", "")
    results = server.requests[1].body["messages"][2]["content"]
    assert "def tax(amount)" in results[0]["content"][0]["text"]
    assert "RATE = 0.2" in results[1]["content"][0]["text"]
    assert server.problems == []


def test_the_folder_can_be_named(program: Program, server: ScriptedServer, tmp_path: Path) -> None:
    server.script("tax", TAX)
    assert program.run("-p", "tax?", str(program.folder), folder=tmp_path).code == 0
    assert str(program.folder) in server.requests[0].body["system"][0]["text"]
    assert "def tax(amount)" in server.requests[1].body["messages"][2]["content"][0]["content"][0]["text"]


def test_json_is_one_object(program: Program, server: ScriptedServer) -> None:
    server.script("tax", TAX)
    done = program.run("-p", "tax?", "--output-format", "json")
    (result,) = done.lines
    assert result["type"] == "result"
    assert result["subtype"] == "success"
    assert result["is_error"] is False
    assert result["result"] == "It is in `tax.py:4`."
    assert result["num_turns"] == 2
    assert result["usage"] == result["tree_usage"]
    assert result["usage"]["input_tokens"] == 200
    assert result["total_cost_usd"] == pytest.approx((200 * 2 + 40 * 10) / 1_000_000)
    assert result["permission_denials"] == []
    assert result["duration_ms"] >= 0
    assert "error" not in result


def test_stream_json_tells_everything_in_order(program: Program, server: ScriptedServer) -> None:
    server.script("tax", TAX)
    done = program.run("-p", "tax?", "--output-format", "stream-json")
    init, first, results, second, result = done.lines
    assert init["subtype"] == "init"
    assert init["cwd"] == str(program.folder)
    assert init["model"] == "claude-sonnet-5-5"
    assert init["permissionMode"] == "ask"
    assert init["tools"][:4] == ["read_files", "list_files", "glob_files", "search_files"]
    assert (init["agents"], init["mcp_servers"]) == (["explore", "plan", "review", "general"], [])
    assert init["version"] == __version__
    assert [block["type"] for block in first["message"]["content"]] == ["thinking", "text", "tool_use", "tool_use"]
    assert first["message"]["stop_reason"] == "tool_use"
    assert first["parent_tool_use_id"] is None
    assert [block["tool_use_id"] for block in results["message"]["content"]] == ["t1", "t2"]
    assert second["message"]["content"] == [{"type": "text", "text": "It is in `tax.py:4`."}]
    assert result["result"] == "It is in `tax.py:4`."
    assert {line["session_id"] for line in done.lines} == {init["session_id"]}
    assert len({line["uuid"] for line in done.lines if "uuid" in line}) == 3


# Of a window of 200,000 tokens there is little left after this.
NEARLY_FULL = turn(text("I look."), call("read_files", {"paths": ["tax.py"]}), usage={"input_tokens": 180_000})
COMPACTED = "compacted to save room"


def test_stream_json_marks_where_the_conversation_was_compacted(program: Program, server: ScriptedServer) -> None:
    server.script("tax", [NEARLY_FULL, turn(text("## Goal\nTax."), usage={"input_tokens": 1000})])
    server.script(COMPACTED, [turn(text("A fifth."))])
    done = program.run("-p", "tax?", "--model", "claude-haiku-4-5", "--output-format", "stream-json")
    kinds = [(line["type"], line.get("subtype")) for line in done.lines]
    boundary = done.lines[kinds.index(("system", "compact_boundary"))]
    assert boundary["compact_metadata"]["trigger"] == "auto"
    assert boundary["compact_metadata"]["pre_tokens"] > 180_000
    assert isinstance(boundary["compact_metadata"]["post_tokens"], int)
    assert (boundary["parent_tool_use_id"], boundary["session_id"]) == (None, done.lines[0]["session_id"])
    # The summary is nobody's message, and its tokens count.
    assert kinds == [
        ("system", "init"),
        ("assistant", None),
        ("user", None),
        ("system", "compact_boundary"),
        ("assistant", None),
        ("result", "success"),
    ]
    assert done.lines[-1]["usage"]["input_tokens"] == 180_000 + 1000 + 100
    assert server.problems == []


def test_without_a_screen_a_compaction_that_failed_is_said(program: Program, server: ScriptedServer) -> None:
    refused = status(400, "invalid_request_error", "not today")
    server.script("tax", [NEARLY_FULL, refused, turn(text("A fifth."))])
    done = program.run("-p", "tax?", "--model", "claude-haiku-4-5")
    assert (done.code, done.out) == (0, "A fifth.\n")
    assert "could not be compacted" in done.err
    assert "not today" in done.err


def test_compaction_can_be_turned_off(program: Program, server: ScriptedServer) -> None:
    folder = program.home / ".config/code-assistant"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text("[context]\ncompact_at = 0\n")
    server.script("tax", [NEARLY_FULL, turn(text("A fifth."))])
    done = program.run("-p", "tax?", "--model", "claude-haiku-4-5")
    assert (done.code, done.out) == (0, "A fifth.\n")
    assert "more than 80% of the model's window" in done.err


def test_partial_messages_can_be_put_together_again(program: Program, server: ScriptedServer) -> None:
    server.script("tax", TAX)
    done = program.run("-p", "tax?", "--output-format", "stream-json", "--include-partial-messages")
    events = [line["event"] for line in done.lines if line["type"] == "stream_event"]
    messages: list[dict[str, Any]] = []
    for event in events:
        match event["type"]:
            case "message_start":
                messages.append(event["message"])
            case "content_block_start":
                assert event["index"] == len(messages[-1]["content"])
                messages[-1]["content"].append(event["content_block"])
            case "content_block_delta":
                add_delta(messages[-1]["content"][event["index"]], event["delta"])
            case "message_delta":
                messages[-1] |= {"usage": event["usage"], **event["delta"]}
    whole = [line["message"] for line in done.lines if line["type"] == "assistant"]
    for message in whole:
        for block in message["content"]:
            block.pop("signature", None)
    assert [{name: message[name] for name in whole[0]} for message in messages] == whole
    assert [event["type"] for event in events].count("message_stop") == 2


def add_delta(block: dict[str, Any], delta: dict[str, Any]) -> None:
    if delta["type"] == "input_json_delta":
        block["input"] = json.loads(delta["partial_json"])
    else:
        kind = delta["type"].removesuffix("_delta")
        block[kind] += delta[kind]
        block.pop("signature", None)


def test_a_broken_answer_closes_its_partial_message(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(text("so far"), cut())])
    done = program.run("-p", "hi", "--output-format", "stream-json", "--include-partial-messages")
    kinds = [line["event"]["type"] for line in done.lines if line["type"] == "stream_event"]
    assert kinds[0] == "message_start"
    assert kinds[-2:] == ["content_block_stop", "message_stop"]
    assert (done.lines[-1]["result"], done.lines[-1]["is_error"]) == ("so far", True)
    assert "Try again" in done.lines[-1]["error"]


def test_piped_input_joins_the_prompt(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(text("ok"))])
    assert program.run("-p", "Review this", stdin="the diff").code == 0
    assert program.run("-p", stdin="A whole prompt").code == 0
    first, second = (request.body["messages"][0]["content"][0]["text"] for request in server.requests)
    assert first == "Review this\n\n<piped-input>\nthe diff\n</piped-input>"
    assert second == "A whole prompt"


def test_a_pipe_that_nobody_writes_to_does_not_hold_up_a_complete_prompt(
    program: Program, server: ScriptedServer
) -> None:
    server.script_default([turn(text("ok"))])
    reading, writing = os.pipe()
    try:
        done = program.run("-p", "hi", stdin=reading)
    finally:
        os.close(reading)
        os.close(writing)
    assert (done.code, done.out) == (0, "ok\n")
    assert "No piped input came" in done.err


def test_ctrl_c_ends_the_wait_for_piped_input(program: Program) -> None:
    reading, writing = os.pipe()
    try:
        with program.started("-p", stdin=reading) as process:
            # It has read what was piped when the pipe is empty again, and now waits for more.
            os.write(writing, b"so far")
            while waiting_bytes(reading):
                os.sched_yield()
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=HANG_GUARD)
    finally:
        os.close(reading)
        os.close(writing)
    assert process.returncode == 130
    assert err == b""


def test_closed_streams_are_no_crash(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(text("ok"))])
    done = program.shell("code-assistant -p hi >&-")
    assert (done.code, done.err) == (2, "code-assistant: Standard output is closed: the answer has nowhere to go.\n")
    done = program.shell("code-assistant -p hi 2>&-")
    assert (done.code, done.out) == (0, "ok\n")


def test_a_closed_standard_input_is_no_problem(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(text("ok"))])
    done = program.shell("code-assistant -p hi <&-")
    assert (done.code, done.out) == (0, "ok\n")


def test_an_endless_answer_is_given_as_far_as_it_came(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(text("and "), stop="max_tokens")] * 4)
    done = program.run("-p", "go")
    assert (done.code, done.out) == (1, "and and and and \n")
    assert "request.max_output_tokens" in done.err


def test_the_prompt_may_stand_where_other_tools_have_it(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(text("ok"))])
    assert program.run("-p", "--output-format", "json", "what is this?").code == 0
    assert server.requests[0].body["messages"][0]["content"][0]["text"] == "what is this?"


def test_a_project_cannot_choose_a_dearer_model(program: Program, server: ScriptedServer) -> None:
    (program.folder / ".code-assistant").mkdir()
    (program.folder / ".code-assistant" / "config.toml").write_text('model = "fable"\nrequest.effort = "max"\n')
    server.script_default([turn(text("ok"))])
    done = program.run("-p", "hi")
    assert (done.code, done.out) == (0, "ok\n")
    assert "model is ignored: a project may not set it" in done.err
    assert server.requests[0].body["model"] == "claude-sonnet-5-5"
    assert "output_config" not in server.requests[0].body


def test_max_turns(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(text("looking"), call("list_files", {}))] * 9)
    done = program.run("-p", "go", "--max-turns", "2")
    assert (done.code, done.out) == (1, "looking\n")
    assert "limit on turns was reached (2)" in done.err
    assert "Raise it" in done.err
    server.script_default([turn(text("looking"), call("list_files", {}))] * 9)
    (result,) = program.run("-p", "go", "--max-turns", "2", "--output-format", "json").lines
    assert (result["subtype"], result["is_error"], result["num_turns"]) == ("error_max_turns", True, 2)


def test_what_would_ask_is_denied_at_once_and_said(program: Program, server: ScriptedServer) -> None:
    reading = call("read_files", {"paths": ["/etc/hostname"]}, id="t1")
    server.script_default([turn(reading), turn(text("I may not."))])
    done = program.run("-p", "read it")
    assert (done.code, done.out) == (4, "I may not.\n")
    assert "/etc/hostname outside the workspace" in done.err
    (told,) = server.requests[1].body["messages"][2]["content"]
    assert told["is_error"] is True
    assert "nobody is there" in told["content"][0]["text"]

    server.script_default([turn(reading), turn(text("I may not."))])
    done = program.run("-p", "read it", "--output-format", "stream-json")
    (denied,) = [line for line in done.lines if line.get("subtype") == "permission_denied"]
    assert (denied["tool"], denied["agent_id"]) == ("read_files", "main")
    assert done.lines[-1]["permission_denials"][0]["tool_use_id"] == "t1"


def test_a_denial_that_the_model_worked_around_is_no_failure(program: Program, server: ScriptedServer) -> None:
    outside, inside = ({"paths": [path]} for path in ("/etc/hostname", "tax.py"))
    server.script_default([turn(call("read_files", outside)), turn(call("read_files", inside)), turn(text("ok"))])
    assert program.run("-p", "read it").code == 0


def test_add_dir_widens_the_workspace(program: Program, server: ScriptedServer, tmp_path: Path) -> None:
    other = tmp_path / "library"
    other.mkdir()
    (other / "notes.txt").write_text("the notes\n")
    server.script_default([turn(call("read_files", {"paths": [str(other / "notes.txt")]})), turn(text("ok"))])
    assert program.run("-p", "read it", "--add-dir", str(other)).code == 0
    assert "the notes" in str(server.requests[1].body["messages"][2])


def test_memory_files_and_settings_reach_the_request(program: Program, server: ScriptedServer) -> None:
    (program.folder / "AGENTS.md").write_text("Answer in rhymes.\n")
    config = program.home / ".config" / "code-assistant"
    config.mkdir(parents=True)
    (config / "config.toml").write_text('model = "opus"\nmodle = "x"\n[request]\neffort = "low"\n')
    (config / "AGENTS.md").write_text("Call me Ada.\n")
    server.script_default([turn(text("ok"))])
    done = program.run("-p", "hi")
    assert done.code == 0
    assert "modle" in done.err
    assert "model" in done.err
    body = server.requests[0].body
    assert body["model"] == "claude-opus-5-5"
    assert body["output_config"] == {"effort": "low"}
    assert "Answer in rhymes." in body["system"][0]["text"]
    assert "Call me Ada." in body["system"][0]["text"]


def test_a_cut_memory_file_is_said(program: Program, server: ScriptedServer) -> None:
    (program.folder / "AGENTS.md").write_text("a line of notes\n" * 10_000)
    server.script_default([turn(text("ok"))])
    done = program.run("-p", "hi")
    assert (done.code, done.out) == (0, "ok\n")
    assert "AGENTS.md was cut" in done.err


def test_safe_p4_what_is_denied_does_not_reach_the_request_through_a_memory_file(
    program: Program, server: ScriptedServer
) -> None:
    (program.folder / ".env").write_text("TOPSECRETVALUE=77\n")
    (program.folder / "AGENTS.md").write_text("Words for the model. @.env\n")
    server.script_default([turn(text("ok"))])
    done = program.run("-p", "hello", "--deny", "Read(.env)")
    assert done.code == 0
    assert "AGENTS.md: @.env is not imported: the rule Read(.env) denies it." in done.err
    assert "Words for the model." in str(server.requests[0].body)
    assert "TOPSECRETVALUE" not in str(server.requests[0].body)


def test_the_sdk_transport_answers_the_same(program: Program, server: ScriptedServer) -> None:
    server.script("tax", TAX)
    program.environ["CODE_ASSISTANT_ANTHROPIC__TRANSPORT"] = "sdk"
    done = program.run("-p", "Where is tax computed?")
    assert (done.code, done.out, done.err) == (0, "It is in `tax.py:4`.\n", "")
    assert server.requests[0].headers["user-agent"].startswith("AsyncAnthropic")


def test_what_libraries_log_or_warn_of_stays_off_the_terminal(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(text("ok"))])
    script = (
        "import logging, warnings; from code_assistant.cli import run; run(['-p', 'hi']);"
        "logging.getLogger('library').error('LEAK'); warnings.warn('LEAK')"
    )
    assert program.python("-c", script).err == ""
    program.environ |= {"ANTHROPIC_LOG": "debug", "CODE_ASSISTANT_ANTHROPIC__TRANSPORT": "sdk"}
    server.script_default([turn(text("ok"))])
    assert program.run("-p", "hi").err == ""


def test_a_full_pipe_that_nobody_reads_can_be_left(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(text(pieces=["x" * 500_000]))])
    with program.started("-p", "talk", "--output-format", "stream-json") as process:
        assert process.stdout is not None
        while waiting_bytes(process.stdout.fileno()) < PIPE_IS_FULL:
            os.sched_yield()
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        # Nothing is read from the pipe before the program has ended.
        assert process.wait(timeout=HANG_GUARD) == 130


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_ctrl_c_in_text_ends_cleanly(program: Program, server: ScriptedServer, sent: signal.Signals) -> None:
    silence = Gate("silence")
    server.script_default([turn(text("So far"), hold(silence))])
    with program.started("-p", "talk", "--output-format", "stream-json") as process:
        silence.wait_reached()
        process.send_signal(sent)
        out, err = process.communicate(timeout=HANG_GUARD)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert server.requests[0].wait_closed()
    assert b'"subtype":"error_during_execution"' in out.splitlines()[-1]


def instead_of_ripgrep(program: Program, tools: Path, script: str) -> None:
    tools.mkdir()
    stand_in = tools / "rg"
    stand_in.write_text(f"#!/bin/sh\n{script}\n")
    stand_in.chmod(0o755)
    program.environ["PATH"] = f"{tools}:{program.environ['PATH']}"
    program.without_own_tools()


def test_safe_b4_a_ripgrep_in_a_folder_that_commands_may_write_is_not_run(
    program: Program, server: ScriptedServer, tmp_path: Path
) -> None:
    instead_of_ripgrep(program, tmp_path / "cache", f"echo run > {tmp_path}/marker")
    program.environ["CODE_ASSISTANT_SANDBOX__WRITABLE"] = str(tmp_path / "cache")
    server.script("tax", TAX)
    assert program.run("-p", "Where is tax computed?").out == "It is in `tax.py:4`.\n"
    assert "def tax(amount)" in server.requests[1].body["messages"][2]["content"][0]["content"][0]["text"]
    assert not (tmp_path / "marker").exists()


def test_ctrl_c_in_a_tool_ends_it_and_its_process(program: Program, server: ScriptedServer, tmp_path: Path) -> None:
    """A stand-in for ripgrep that never ends and says that it runs: nothing of it may be left."""
    started = tmp_path / "started"
    os.mkfifo(started)
    instead_of_ripgrep(program, tmp_path / "bin", f"echo $$ > {started}\nexec sleep 1000")
    program.environ["CODE_ASSISTANT_SANDBOX__WRITABLE"] = ""
    server.script_default([turn(call("search_files", {"pattern": "x"}))])
    with program.started("-p", "search") as process:
        pid = int(started.read_text())
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=HANG_GUARD)
    assert process.returncode == 130
    assert b"Traceback" not in err
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_reader_that_leaves_ends_the_run_quietly(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(text(pieces=["x " * 200_000]))])
    assert program.shell("code-assistant -p hi --output-format stream-json | head -c 10").err == ""


def test_a_full_disk_is_one_message(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(text("ok"))])
    done = program.shell("code-assistant -p hi > /dev/full")
    assert (done.code, done.err) == (1, "code-assistant: The output cannot be written: No space left on device.\n")


def test_safe_p1_in_an_opened_home_nothing_reads_what_is_secret(program: Program, server: ScriptedServer) -> None:
    state = program.home / ".local/state/code-assistant"
    for file in (program.home / ".ssh" / "id_rsa", state / "keys"):
        file.parent.mkdir(parents=True)
        file.write_text("hush-0815\n")
    wanted = [".ssh/id_rsa", ".local/state/code-assistant/keys"]
    calls = [
        *(call("read_files", {"paths": [each]}) for each in wanted),
        call("search_files", {"pattern": "hush-.*"}),
        *(call("execute_command", {"command": f"cat {each}"}) for each in wanted),
        call("execute_command", {"command": "grep -r hush- ."}),
    ]
    server.script_default([turn(*calls), turn(text("Done."))])
    assert program.run("-p", "look", folder=program.home).out == "Done.\n"
    results = server.requests[1].body["messages"][2]["content"]
    assert len(results) == len(calls)
    assert "Permission denied" in str(results[0])
    assert "hush-0815" not in str(results)


def test_safe_s3_in_an_opened_home_nothing_that_starts_by_itself_is_written_unasked(
    program: Program, server: ScriptedServer
) -> None:
    names = ["notes.txt", ".inputrc", ".config/autostart/x.desktop", ".local/bin/git", ".aws/config", "bin/git"]
    calls = [call("write_file", {"path": name, "content": "x"}) for name in names]
    server.script_default([turn(*calls), turn(text("Done."))])
    program.run("-p", "write", "--permission-mode", "accept-edits", folder=program.home)
    assert [name for name in names if (program.home / name).exists()] == ["notes.txt"]


def test_safe_x1_the_name_of_a_folder_says_nothing_in_our_name(program: Program, tmp_path: Path) -> None:
    folder = tmp_path / "shop\ncode-assistant: all is well"
    (folder / ".code-assistant").mkdir(parents=True)
    (folder / ".code-assistant" / "config.toml").write_text("[")
    done = program.run("-p", "hi", folder=folder)
    assert done.code == 2
    assert "shop␊code-assistant: all is well/.code-assistant/config.toml is not valid TOML" in done.err
    assert done.err.count("\n") == 1


def test_a_poor_encoding_gets_stand_ins(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(text("Grüße"))])
    program.environ["PYTHONIOENCODING"] = "ascii"
    done = program.run("-p", "hi")
    assert (done.code, done.out) == (0, "Gr??e\n")


@pytest.mark.parametrize("transport", ["wire", "sdk"])
def test_bytes_that_are_no_text_do_no_harm(program: Program, server: ScriptedServer, transport: str) -> None:
    """In the prompt, in the folder's name and in a file's name."""
    folder = os.fsencode(program.folder) + b"/caf\xe9"
    os.mkdir(folder)
    Path(os.fsdecode(folder + b"/na\xefve.py")).write_text("x = 1\n")
    program.environ["CODE_ASSISTANT_ANTHROPIC__TRANSPORT"] = transport
    server.script_default([turn(call("list_files", {}), call("glob_files", {"pattern": "*"})), turn(text("ok"))])
    done = program.run("-p", os.fsdecode(b"caf\xe9?"), os.fsdecode(folder))
    assert (done.code, done.out, done.err) == (0, "ok\n", "")
    assert "ve.py" in str(server.requests[1].body["messages"][2])


def test_yolo_is_said_loudly(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(call("read_files", {"paths": ["/etc/hostname"]})), turn(text("ok"))])
    done = program.run("-p", "hi", "--permission-mode", "yolo")
    assert (done.code, done.out) == (0, "ok\n")
    assert "YOLO" in done.err
    assert "is_error" in str(server.requests[1].body["messages"][2])
    assert server.requests[1].body["messages"][2]["content"][0]["is_error"] is False


def test_heavy_packages_stay_out(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(call("read_files", {"paths": ["tax.py"]})), turn(text("ok"))])
    watched = "anthropic", "httpx2", "textual", "rich", "mcp", "openai"
    script = (
        "import sys; from code_assistant.cli import run; code = run(['-p', 'hi']);"
        f"loaded = [name for name in {watched!r} if name in sys.modules]; sys.exit(str(loaded) if loaded else code)"
    )
    done = program.python("-c", script)
    assert (done.code, done.out, done.err) == (0, "ok\n", "")


def test_an_answer_without_tools_loads_nothing_that_only_they_need(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(text("ok"))])
    script = "import sys; from code_assistant.cli import run; run(['-p', 'hi']); print(*sys.modules, file=sys.stderr)"
    done = program.python("-c", script)
    assert (done.code, done.out) == (0, "ok\n")
    loaded = set(done.err.split())
    assert "code_assistant.agent.agent" in loaded
    assert loaded & {*BUILTIN_MODULES, *NOT_FOR_A_MERE_ANSWER} == set()


def test_version_imports_almost_nothing(program: Program) -> None:
    done = program.python("-X", "importtime", "-m", "code_assistant", "--version")
    assert done.out == f"code-assistant {__version__}\n"
    ours = re.findall(r"\| +(code_assistant\S*)", done.err)
    assert set(ours) <= {"code_assistant"}
    assert "argparse" not in done.err


def test_debug_writes_a_private_log(program: Program, server: ScriptedServer) -> None:
    server.script("tax", TAX)
    done = program.run("-p", "tax?", "--debug")
    assert done.code == 0
    found = re.search(r"debug log: (\S+)", done.err)
    assert found
    log = Path(found[1])
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert stat.S_IMODE(log.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(log.parent.parent.stat().st_mode) == 0o700
    content = log.read_text()
    for name in ("PromptStarted", "ToolFinished", "ResponseAdded", "PromptFinished", "first byte", "max_turns"):
        assert name in content


def test_safe_k3_a_word_in_the_place_of_a_key_spoils_neither_words_nor_names(
    program: Program, server: ScriptedServer
) -> None:
    program.environ["ANTHROPIC_API_KEY"] = "result"
    server.keys = {"result"}
    server.script_default([turn(text("The result is 7."))])
    done = program.run("-p", "result?", "--output-format", "stream-json", "--debug")
    assert done.code == 0
    assert done.lines[-1]["result"] == "The result is 7."
    found = re.search(r"debug log: (\S+)", done.err)
    assert found
    assert "[key removed]" not in done.out + Path(found[1]).read_text()


def test_a_full_disk_costs_the_debug_log_and_the_session_only(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(text("ok"))])
    done = program.shell("ulimit -f 0; code-assistant -p hi --debug")
    assert (done.code, done.out) == (0, "ok\n")
    assert done.err.count("\n") == 3
    assert "debug log cannot be written" in done.err
    assert "This conversation is not being kept whole any more: File too large." in done.err


class TestErrors:
    """One helpful message each, the right exit code, never a traceback."""

    def check(self, program: Program, code: int, words: str, *arguments: str) -> None:
        done = program.run(*arguments)
        assert done.code == code, done.err
        assert words in done.err
        assert done.err.count("\n") == 1
        assert done.out == ""

    def test_no_key(self, program: Program) -> None:
        del program.environ["ANTHROPIC_API_KEY"]
        self.check(program, 3, "Set ANTHROPIC_API_KEY", "-p", "hi")

    def test_wrong_key(self, program: Program) -> None:
        program.environ["ANTHROPIC_API_KEY"] = "wrong-key"
        self.check(program, 3, "refused the key", "-p", "hi")

    def test_unknown_model(self, program: Program, server: ScriptedServer) -> None:
        server.models = {"claude-sonnet-5-5"}
        self.check(program, 1, "Did you mean", "-p", "hi", "-m", "claude-sonet-5-5")

    def test_no_network(self, program: Program) -> None:
        program.environ["ANTHROPIC_BASE_URL"] = "http://127.0.0.1:1"
        self.check(program, 1, "127.0.0.1:1 cannot be reached: nothing accepts connections there", "-p", "hi")

    def test_no_such_host(self, program: Program) -> None:
        program.environ["ANTHROPIC_BASE_URL"] = "http://nowhere.invalid"
        self.check(program, 1, "nowhere.invalid cannot be reached: no such host is known", "-p", "hi")

    def test_a_file_instead_of_a_folder(self, program: Program) -> None:
        self.check(program, 2, "'tax.py' is a file", "-p", "hi", "tax.py")

    def test_no_such_folder(self, program: Program) -> None:
        self.check(program, 2, "no folder 'elsewhere'", "-p", "hi", "elsewhere")

    def test_no_prompt(self, program: Program) -> None:
        self.check(program, 2, "There is no prompt", "-p")
        self.check(program, 2, "There is no prompt", "-p", "  ")

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (("--nonsense",), "--nonsense"),
            (("-p", "hi", "--output-format", "yaml"), "yaml"),
            (("-p", "hi", "--max-turns", "0"), "from 1"),
            (("-p", "hi", "--max-turns", "many"), "many"),
            (("-p", "hi", "--include-partial-messages"), "stream-json"),
            (("-p", "hi", "-m", " "), "model"),
            (("-p", "hi", "--resume"), "--resume takes the id of a session"),
            (("-p", "hi", "--resume", "my session"), "'my session' is no id of a session"),
            (("-p", "hi", "--resume", "../x"), "is no id of a session"),
            (("-p", "hi", "--resume", "12", "--continue"), "do not go together"),
            (("-p", "hi", "--fork"), "--fork goes with --resume or --continue"),
            (("-p", "hi", "--continue"), "No conversation was held in"),
            (("-p", "hi", "--resume", "12ab"), "There is no session '12ab'"),
            (("-p", "hi", "--allow", "mcp__server"), "A rule for mcp__server is not available yet"),
            (("-p", "hi", "--ask", "Bash(:*)"), "names no command"),
            (("-p", "hi", "--allow", "Bsh"), "Did you mean Bash?"),
            (("-p", "hi", "--deny", "Read(../x)"), "is not a path pattern"),
            (("-p", "hi", "--verbose"), "stream-json is always complete"),
            (("-p", "what", "is", "this"), "in quotes"),
            (("what is this",), "in quotes"),
            (("-p", "hi", "sessions"), "sessions comes first"),
            ((".",), "The screen needs a terminal"),
            ((), "The screen needs a terminal"),
            (("--output-format", "json"), "goes with -p"),
        ],
    )
    def test_usage(self, program: Program, arguments: tuple[str, ...], words: str) -> None:
        self.check(program, 2, words, *arguments)

    def test_a_folder_that_is_gone(self, program: Program) -> None:
        done = program.shell("mkdir gone; cd gone; rmdir ../gone; code-assistant -p hi")
        assert done.code == 2
        assert done.err == "code-assistant: The current folder no longer exists. Change to another one.\n"

    def test_settings_that_are_no_file(self, program: Program) -> None:
        (program.home / ".config" / "code-assistant" / "config.toml").mkdir(parents=True)
        self.check(program, 2, "config.toml", "-p", "hi")

    def test_a_malformed_key(self, program: Program) -> None:
        program.environ["ANTHROPIC_API_KEY"] = "tést-key"
        self.check(program, 3, "ANTHROPIC_API_KEY", "-p", "hi")

    def test_a_log_that_cannot_be_kept(self, program: Program) -> None:
        program.environ["XDG_STATE_HOME"] = "/proc/nope"
        self.check(program, 2, "/proc/nope", "-p", "hi", "--debug", "--trust")

    @pytest.mark.parametrize(
        ("variable", "value", "words"),
        [
            ("ALL_PROXY", "socks5://127.0.0.1:1", "proxy"),
            ("ALL_PROXY", "nonsense://x", "proxy"),
            ("ANTHROPIC_BASE_URL", "http://1.2.3.999", "1.2.3.999"),
            ("ANTHROPIC_BASE_URL", "http://xn--0", "address is not valid"),
        ],
    )
    def test_addresses_that_cannot_work(self, program: Program, variable: str, value: str, words: str) -> None:
        # A proxy does not count for this machine, and nobody is asked before it is known to be none.
        program.environ["ANTHROPIC_BASE_URL"] = "http://models.invalid"
        program.environ[variable] = value
        done = program.run("-p", "hi")
        assert done.code in (1, 2)
        assert words in done.err
        assert "Traceback" not in done.err

    def test_paths_that_are_none(self, program: Program) -> None:
        self.check(program, 2, "There is no folder", "-p", "hi", "~nosuchuser")
        self.check(program, 2, "There is no folder", "-p", "hi", "x" * 5000)

    def test_standard_input_that_cannot_be_read(self, program: Program, server: ScriptedServer) -> None:
        server.script_default([turn(text("ok"))])
        assert program.shell("code-assistant -p hi 0>/dev/null").out == "ok\n"

    def test_no_line_of_a_foreign_text_passes_for_ours(self, program: Program, server: ScriptedServer) -> None:
        server.script_default([status(400, "invalid_request_error", "x\ncode-assistant: all is well")])
        done = program.run("-p", "hi")
        assert [line for line in done.err.splitlines() if line.startswith("code-assistant: all")] == []

    def test_bad_settings(self, program: Program) -> None:
        program.environ["CODE_ASSISTANT_REQUEST__EFFORT"] = "heroic"
        self.check(program, 2, "heroic", "-p", "hi")

    def test_a_cut_stream(self, program: Program, server: ScriptedServer) -> None:
        server.script_default([turn(text("so far"), cut())])
        done = program.run("-p", "hi")
        assert (done.code, done.out) == (1, "so far\n")
        assert done.err.endswith("(it was closed too early). Try again.\n")

    def test_an_overloaded_service(self, program: Program, server: ScriptedServer) -> None:
        server.script_default([status(529, "overloaded_error", "Overloaded")])
        self.check(program, 1, "overloaded", "-p", "hi")

    def test_something_else_at_the_address(self, program: Program, server: ScriptedServer) -> None:
        page = status(200, "", "", headers={"content-type": "text/html"}, body=b"<html>Hello</html>")
        server.script_default([page])
        self.check(program, 1, "answered with text/html instead of a stream", "-p", "hi")

    def test_a_platform_whose_package_is_missing(self, program: Program) -> None:
        program.environ["CODE_ASSISTANT_ANTHROPIC__TRANSPORT"] = "sdk"
        program.environ["CODE_ASSISTANT_ANTHROPIC__PLATFORM"] = "bedrock"
        self.check(program, 2, "AWS_REGION", "-p", "hi")
        program.environ["AWS_REGION"] = "us-east-1"
        self.check(program, 1, "pip install 'anthropic[bedrock]'", "-p", "hi")

    def test_json_formats_get_an_object_too(self, program: Program) -> None:
        del program.environ["ANTHROPIC_API_KEY"]
        done = program.run("-p", "hi", "--output-format", "json")
        assert done.code == 3
        (result,) = done.lines
        assert (result["subtype"], result["is_error"]) == ("error_during_execution", True)
        assert "ANTHROPIC_API_KEY" in result["error"]
        assert "ANTHROPIC_API_KEY" in done.err
        program.environ["ANTHROPIC_API_KEY"] = "wrong-key"
        done = program.run("-p", "hi", "--output-format", "json")
        assert "refused the key" in done.lines[0]["error"]
        assert "refused the key" in done.err


SECRET = "sk-ant-api03-VerySecret_Key-0123456789"
FOREIGN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


@pytest.mark.parametrize("transport", ["wire", "sdk"])
@pytest.mark.parametrize("output_format", ["text", "stream-json"])
def test_safe_k1_the_key_never_gets_out(
    program: Program, server: ScriptedServer, transport: str, output_format: str
) -> None:
    """From a file, from the model, from an error body, into output, errors, the debug log, or any file at all.

    Neither does one of somebody else's, from an error body.
    """
    server.keys = {SECRET}
    program.environ["ANTHROPIC_API_KEY"] = SECRET
    program.environ["CODE_ASSISTANT_ANTHROPIC__TRANSPORT"] = transport
    (program.folder / ".env").write_text(f"ANTHROPIC_API_KEY={SECRET}\n")
    server.script_default(
        [
            turn(call("read_files", {"paths": [".env"]})),
            turn(text(pieces=["Your key is sk-ant-api03-Very", "Secret_Key-0123456789", "!"])),
        ]
    )
    partial = ["--include-partial-messages"] if output_format == "stream-json" else []
    said = program.run("-p", "key?", "--debug", "--output-format", output_format, *partial)
    assert said.code == 0
    if partial:
        deltas = [line["event"].get("delta", {}) for line in said.lines if line["type"] == "stream_event"]
        assert SECRET not in "".join(delta.get("text", "") for delta in deltas)
    echo = f"bad header Authorization: Bearer {SECRET}, not {FOREIGN}"
    server.script_default([status(400, "invalid_request_error", echo)])
    failed = program.run("-p", "key?", "--debug", "--output-format", output_format)
    server.keys = set()
    refused = program.run("-p", "key?", "--debug", "--output-format", output_format)
    assert refused.code == 3
    for done in (said, failed, refused):
        assert SECRET not in done.out + done.err
        assert FOREIGN not in done.out + done.err
    assert "key removed]" in failed.out + failed.err
    assert "[GitHub token removed]" in failed.out + failed.err
    (program.folder / ".env").unlink()
    written = [path for path in program.home.rglob("*") if path.is_file()]
    assert len(written) >= 3
    assert not [path for path in written if SECRET in path.read_text() or FOREIGN in path.read_text()]
