"""A session in which everything happens that an export must tell."""

from __future__ import annotations

from code_assistant.events import (
    MAIN,
    BlockAdded,
    Compacted,
    Display,
    Event,
    Notice,
    OutputAdded,
    PromptFinished,
    PromptStarted,
    ResponseCut,
    Rewound,
    TextDelta,
    ToolFinished,
)
from code_assistant.messages import Image, Message, Text, Thinking
from code_assistant.session.past import Past
from code_assistant.session.store import SessionStore
from tests.unit.session.made import (
    agent,
    call,
    done,
    ended,
    prompt,
    request,
    result,
    said,
    spawned,
    used,
    write_session,
)

SCOUT = agent("scout", "c1")
DEEP = agent("deep", "c3", SCOUT)
LOST = agent("lost", "c2")
DIFF = "--- a/tax.py\n+++ b/tax.py\n@@ -1 +1 @@\n-RATE = 0.2\n+RATE = 0.25\n"


def main_events() -> list[Event]:
    return [
        PromptStarted(
            MAIN, "p1", Message("user", (Text("Where is the *tax*?\nSee <b>this</b>."), Image("image/png", "AAAA")))
        ),
        request(),
        BlockAdded(MAIN, Thinking("Two agents, then.", "sig")),
        said("I will send two agents."),
        used(5000),
        call("c1", "spawn_agent", "Agent: Look around", instructions="Look around"),
        spawned(SCOUT, "Look around", "Look around.\nThoroughly."),
        call("c2", "spawn_agent", "Agent: Get lost", instructions="Get lost"),
        spawned(LOST, "Get lost", "Get lost."),
        spawned(DEEP, "Dig", "Dig deeper."),
        ended(DEEP, "failed", "", "The service is gone."),
        ended(SCOUT, "completed", "It is in `tax.py:1`."),
        ended(LOST, "cancelled", "", "Sub-agent cancelled by user."),
        result("c1", "spawn_agent", Display("Agent: Look around")),
        result("c2", "spawn_agent", Display("Agent: Get lost")),
        request(2),
        # A first try that broke off and counts for nothing.
        said("Half of"),
        ResponseCut(MAIN, None, is_tried_again=True),
        request(2),
        TextDelta(MAIN, "# The tax\n\nIt is "),
        said("# The tax\n\nIt is 20 %:\n\n```python\nRATE = 0.2\n"),
        used(6000),
        done("p1"),
        prompt("Change it to 30 %.", "p2"),
        request(),
        said("This was rewound."),
        done("p2"),
        Rewound(MAIN, "p2"),
        Compacted(MAIN, "asked", 11000, 900, ("the last prompt",), "They talked about *taxes*.", ()),
        prompt("Change it to 25 %.", "p3"),
        request(),
        call("c4", "edit", "Edit tax.py", path="tax.py", new="RATE = 0.25"),
        result("c4", "edit", Display("Edited tax.py", "+1 -1", DIFF, "diff", ("new",))),
        call("c5", "execute_command", "Run make test", command="make test"),
        OutputAdded(MAIN, "c5", "collecting…\n"),
        ToolFinished(MAIN, "c5", "execute_command", "interrupted", Display("Ran make test", "interrupted"), 1.0),
        Notice(MAIN, "warning", "The disk is nearly full."),
        Notice(SCOUT, "warning", "Told inside of the agent only."),
        PromptFinished(MAIN, "p3", "interrupted", "", 1, 1.0),
        prompt("And now?", "p4"),
        request(),
        TextDelta(MAIN, "As I was about "),
        TextDelta(MAIN, "to say"),
    ]


def agent_events() -> list[list[Event]]:
    return [
        [
            spawned(SCOUT, "Look around", "Look around.\nThoroughly."),
            prompt("Look around.\nThoroughly.", "a1", SCOUT),
            request(1, SCOUT),
            call("r1", "read_files", "Read tax.py", SCOUT, paths=["tax.py"]),
            result("r1", "read_files", Display("Read tax.py", "5 lines", "1 RATE = 0.2"), SCOUT),
            Notice(SCOUT, "warning", "Told inside of the agent only."),
            call("c3", "spawn_agent", "Agent: Dig", SCOUT, instructions="Dig deeper."),
            result("c3", "spawn_agent", Display("Agent: Dig"), SCOUT),
            request(2, SCOUT),
            said("It is in `tax.py:1`.", SCOUT),
            ended(SCOUT, "completed", "It is in `tax.py:1`."),
        ],
        [
            spawned(DEEP, "Dig", "Dig deeper."),
            prompt("Dig deeper.", "a2", DEEP),
            request(1, DEEP),
            said("Digging.", DEEP),
            ended(DEEP, "failed", "", "The service is gone."),
        ],
        [
            spawned(LOST, "Get lost", "Get lost."),
            prompt("Get lost.", "a3", LOST),
            request(1, LOST),
            TextDelta(LOST, "I am "),
            ended(LOST, "cancelled", "", "Sub-agent cancelled by user."),
        ],
    ]


def long_past(store: SessionStore) -> Past:
    return store.read(write_session(store, main_events(), agent_events()))
