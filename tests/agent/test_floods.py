"""More than anybody should send: the loop stays alive, and memory within bounds (R7)."""

from __future__ import annotations

import resource

import pytest

from tests.agent.harness import running
from tests.agent.providers import TransportName
from tests.fakes.script import text, turn
from tests.fakes.server import ScriptedServer

DELTAS = 200_000
MOST_MEMORY_KB = 300 * 1024


@pytest.mark.soak
@pytest.mark.parametrize("transport", ["wire", "openai"])
async def test_soak_safe_r7_as_many_pieces_as_there_may_be(server: ScriptedServer, transport: TransportName) -> None:
    server.script_default([turn(text(pieces=["ab "] * DELTAS))])
    async with running(server, transport=transport) as harness:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        harness.session.send("go")
        await harness.session.idle()
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert len(harness.finished[0].answer) == 3 * DELTAS
        # What the test itself keeps of it, every event, is among it.
        assert after - before < MOST_MEMORY_KB
