"""Eight sub-agents in a real terminal: running, queued, failed, waiting for the person, and one cancelled by mouse."""

from __future__ import annotations

from typing import Any

from code_assistant.tui.prompts.safe_typing import SEEN_SECONDS
from tests.e2e.program import Program
from tests.e2e.screen.pty_screen import PtyScreen, opened
from tests.e2e.screen.requests import results, words
from tests.e2e.screen.terminal_bytes import unsafe
from tests.e2e.screen.test_prompts import seen_long_enough
from tests.fakes.script import Block, Gate, after, call, status, text, turn
from tests.fakes.server import ScriptedServer

COUNT = 8
CANCELLED, FAILED, ASKING, QUEUED = 1, 2, 3, 7


def spawn(number: int) -> Block:
    fields: dict[str, Any] = {"instructions": f"look {number}", "description": f"Look at part {number}"}
    return call("spawn_agent", {**fields, "agent": "explore"}, id=f"c{number}")


def row_of(screen: PtyScreen, name: str) -> str:
    return next((row for row in screen.rows if name in row), "")


def cancel_button(screen: PtyScreen, name: str) -> tuple[int, int]:
    """Where the button of an agent is: column and row."""
    rows = enumerate(screen.rows)
    return next((row.index("Cancel"), at) for at, row in rows if name in row and "Look at part" in row)


def script(server: ScriptedServer, gates: list[Gate]) -> None:
    reading = turn(text("I look."), call("read_files", {"paths": ["tax.py"]}))
    for number, gate in enumerate(gates):
        server.script(f"look {number}", [reading, after(gate, turn(text(f"Seen {number}, at `tax.py:1`.")))])
    server.script(f"look {FAILED}", [status(400, "invalid_request_error", "no such thing")])
    fetching = turn(call("web_fetch", {"url": "https://example.org/tax"}))
    server.script(f"look {ASKING}", [fetching, after(gates[ASKING], turn(text("Fetched nothing.")))])
    server.script_default([turn(*(spawn(number) for number in range(COUNT))), turn(text("All seen."))])


def test_eight_agents(program: Program, server: ScriptedServer) -> None:
    gates = [Gate(str(number)) for number in range(COUNT)]
    script(server, gates)
    # The failed one gives its place away, so that seven are there for eight.
    program.environ["CODE_ASSISTANT_AGENTS__MAX_PARALLEL"] = "6"
    with opened(program, size=(120, 50)) as screen:
        screen.wait_ready()
        screen.ask("go")
        screen.wait(lambda: "✗" in row_of(screen, "explore-3"), "the third failed")
        screen.wait(lambda: "?" in row_of(screen, "explore-4"), "the fourth waits for the person")
        screen.wait(lambda: "queued" in row_of(screen, "explore-8"), "the last waits for a place")
        screen.wait_for("1 approval waiting (f8)", "explore-4 wants to fetch", "https://example.org/tax")
        rows = [row for row in screen.rows if "explore-" in row and "Look at part" in row]
        assert [f"explore-{number + 1}" in row for number, row in enumerate(rows)] == [True] * COUNT

        # Cancelled by mouse: only that one, and the one in line takes its place.
        for number in (0, CANCELLED, 4, 5, 6):
            gates[number].wait_reached()
        # A button that has just come to its place takes no click.
        screen.click(*screen.wait_still(lambda: cancel_button(screen, "explore-2"), SEEN_SECONDS))
        screen.wait(lambda: "⊘" in row_of(screen, "explore-2"), "the second is cancelled")
        screen.wait(lambda: "Cancel" not in row_of(screen, "explore-2"), "its button is gone")
        gates[QUEUED].wait_reached()
        screen.wait(lambda: "queued" not in row_of(screen, "explore-8"), "the last runs")
        screen.wait(lambda: "◐" in row_of(screen, "explore-1"), "the first goes on")

        # Denied: that call, in that agent. It goes on, and so does everybody else.
        screen.press("f8")
        screen.wait_for("┏", "[n Deny]", "Always for explore-4")
        seen_long_enough(screen)
        screen.press("n")
        screen.wait_gone("approval waiting")
        for number, gate in enumerate(gates):
            if number not in (CANCELLED, FAILED):
                gate.open()
        screen.wait_for("All seen.")
        screen.wait_idle()
        for number in (0, 4, 5, 6, 7):
            screen.wait(lambda name=f"explore-{number + 1}": "✓" in row_of(screen, name), f"the end of {number + 1}")
        screen.wait_gone("[ Cancel ]")
        screen.press("ctrl+d")
        assert screen.finish() == 0
    told = [words(each) for each in results(server)]
    assert told[0] == "Seen 0, at `tax.py:1`."
    assert told[CANCELLED] == "Sub-agent cancelled by user."
    assert told[FAILED].startswith("Sub-agent ended: failed.")
    assert told[ASKING] == "Fetched nothing."
    assert [f"Seen {number}, at `tax.py:1`." for number in (4, 5, 6, 7)] == told[4:]
    assert unsafe(screen.written) == []


def test_forty_columns_and_a_storm_of_sizes(program: Program, server: ScriptedServer) -> None:
    gates = [Gate(str(number)) for number in range(COUNT)]
    script(server, gates)
    with opened(program, size=(40, 24)) as screen:
        screen.wait_ready()
        screen.ask("go")
        gates[0].wait_reached()
        for size in ((120, 50), (20, 6), (200, 60), (40, 24), (80, 24)):
            screen.resize(size)
        screen.wait_for("approval waiting")
        screen.press("escape")
        screen.wait_idle()
        screen.wait_for("Interrupted.")
        for gate in gates:
            gate.open()
        screen.press("ctrl+d")
        assert screen.finish() == 0
