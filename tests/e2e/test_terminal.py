"""The program in a real terminal: what streams, what is obeyed, and that hostile bytes never arrive."""

from __future__ import annotations

import re

import pyte

from tests.e2e.program import Program
from tests.fakes.script import Gate, call, hold, status, text, thinking, turn
from tests.fakes.server import ScriptedServer

# A terminal turns a newline into CR LF by itself.
ALLOWED_CONTROL = {0x09, 0x0A, 0x0D}
HOSTILE = "a\x1b[2Jb\x1b]52;c;aGk=\x07c\x9b31md\x7fe\u202ef\u200bg\x00h\x1b]8;;http://x\x1b\\i\x85j\x08k"


def unsafe(written: bytes) -> list[str]:
    """Every character that a terminal would act on or hide."""
    found = [hex(byte) for byte in written if (byte < 0x20 and byte not in ALLOWED_CONTROL) or byte == 0x7F]
    found += re.findall("[\x80-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]", written.decode())
    return found


def test_the_answer_is_seen_while_it_is_written(program: Program, server: ScriptedServer) -> None:
    rest = Gate("rest")
    server.script_default([turn(text(pieces=["The first half", hold(rest), " and the second."]))])
    with program.in_terminal("-p", "talk") as terminal:
        terminal.read_until(lambda written: b"The first half" in written)
        assert b"second" not in terminal.written
        rest.open()
        assert terminal.finish() == 0
    assert b"The first half and the second.\r\n" in terminal.written


def test_tools_have_their_line(program: Program, server: ScriptedServer) -> None:
    server.script_default(
        [
            turn(text("I look."), call("read_files", {"paths": ["tax.py"]}), call("list_files", {})),
            turn(text("Done.")),
        ]
    )
    program.environ["NO_COLOR"] = "1"
    with program.in_terminal("-p", "look") as terminal:
        assert terminal.finish() == 0
    shown = terminal.written.decode().replace("\r\n", "\n")
    assert re.match(r"I look\.\n  Read tax\.py.*lines\n  Listed .*\n\nDone\.\n$", shown), shown


def test_a_compaction_has_its_line(program: Program, server: ScriptedServer) -> None:
    server.script_default(
        [
            turn(text("I look."), call("list_files", {}), usage={"input_tokens": 180_000}),
            turn(text("## Goal\nTax.")),
        ]
    )
    server.script("compacted to save room", [turn(text("Done."))])
    program.environ["NO_COLOR"] = "1"
    with program.in_terminal("-p", "look", "--model", "claude-haiku-4-5") as terminal:
        assert terminal.finish() == 0
    shown = terminal.written.decode().replace("\r\n", "\n")
    assert re.search(r"\n  Compacted the conversation · 180,\d+ → [\d,]+ tokens\n\nDone\.\n$", shown), shown
    assert "Goal" not in shown


def test_one_line_says_what_goes_on_and_is_gone_afterwards(program: Program, server: ScriptedServer) -> None:
    silence, thought = Gate("silence"), Gate("thought")
    server.script_default(
        [
            turn(hold(silence), thinking(pieces=["hm", hold(thought)]), call("read_files", {"paths": ["tax.py"]})),
            turn(text("Done.")),
        ]
    )
    program.environ |= {"TERM": "xterm", "NO_COLOR": "1"}
    with program.in_terminal("-p", "look") as terminal:
        terminal.read_until(lambda written: b"Waiting for the model" in written)
        silence.open()
        terminal.read_until(lambda written: b"Thinking" in written)
        thought.open()
        assert terminal.finish() == 0
    screen = pyte.Screen(80, 24)
    pyte.ByteStream(screen).feed(terminal.written)
    shown = [line.rstrip() for line in screen.display if line.strip()]
    assert shown == ["  Read tax.py · 5 lines", "Done."]


def test_long_tool_lines_stay_on_one_line(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(call("search_files", {"pattern": "日本" * 100 + "x"})), turn(text("Done."))])
    program.environ |= {"TERM": "xterm", "NO_COLOR": "1"}
    with program.in_terminal("-p", "look") as terminal:
        assert terminal.finish() == 0
    screen = pyte.Screen(80, 24)
    pyte.ByteStream(screen).feed(terminal.written)
    shown = [line.rstrip() for line in screen.display if line.strip()]
    assert len(shown) == 2
    assert shown[0].endswith("…")


def test_a_continued_answer_is_not_broken_in_the_middle(program: Program, server: ScriptedServer) -> None:
    server.script_default([turn(text("One, two, th"), stop="max_tokens"), turn(text("ree."))])
    with program.in_terminal("-p", "count") as terminal:
        assert terminal.finish() == 0
    assert b"One, two, three.\r\n" in terminal.written


def test_ctrl_c(program: Program, server: ScriptedServer) -> None:
    silence = Gate("silence")
    server.script_default([turn(text("So far"), hold(silence))])
    with program.in_terminal("-p", "talk") as terminal:
        terminal.read_until(lambda written: b"So far" in written)
        terminal.press(b"\x03")
        assert terminal.finish() == 130
    assert server.requests[0].wait_closed()
    assert b"Traceback" not in terminal.written


def test_safe_x1_hostile_text_never_reaches_the_terminal(program: Program, server: ScriptedServer) -> None:
    """From the model, a file's name and content, a tool's error, a server's error, a memory file, an argument."""
    program.environ["NO_COLOR"] = "1"
    name = HOSTILE.replace("/", "").replace("\x00", "")
    (program.folder / name).write_text(HOSTILE)
    (program.folder / "AGENTS.md").write_text(f"@{name}\n" * 3 + "x" * 100_000)
    hostile = [
        turn(
            text(HOSTILE),
            call("read_files", {"paths": [name, HOSTILE]}),
            call("search_files", {"pattern": HOSTILE.replace("\x00", "").replace("[", "")}),
            call("search_files", {"pattern": "(" + HOSTILE}),
            call("list_files", {}),
            call("glob_files", {"pattern": "*" + name[-1]}),
            call("read_files", {"paths": [f"/{name}"]}),
            call("unknown", {HOSTILE: HOSTILE}),
        ),
        status(400, "invalid_request_error", HOSTILE),
    ]
    for output_format in ("text", "stream-json"):
        server.script_default(hostile)
        with program.in_terminal("-p", "look", "--output-format", output_format) as terminal:
            assert terminal.finish() == 1
        assert len(terminal.written) > 100
        assert unsafe(terminal.written) == []
    with program.in_terminal("-p", "look", name) as terminal:
        assert terminal.finish() == 2
    assert unsafe(terminal.written) == []
