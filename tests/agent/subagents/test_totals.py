"""Tokens and cost of the main agent and of all sub-agents add up, whoever the provider and whatever failed."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_assistant.events import AgentFinished, UsageAdded
from code_assistant.headless.tally import Tally
from code_assistant.llm.retry_policy import RetryPolicy
from code_assistant.messages import Usage
from tests.agent.providers import TransportName, factory
from tests.agent.subagents.support import spawn, spawning
from tests.fakes.script import cut, status, text, turn
from tests.fakes.server import ScriptedServer

QUICK = RetryPolicy(first_delay=0.0, chance=lambda: 0.0)


@pytest.mark.parametrize("transport", ["wire", "openai"])
async def test_the_sum_of_all_agents(server: ScriptedServer, tmp_path: Path, transport: TransportName) -> None:
    """What the service says of each answer is what is added up; what it refused cost nothing."""
    used = {"look one": (1_003, 17), "look two": (2_005, 29), "deeper": (307, 5)}
    server.script("look one", [turn(text("One."), usage=tokens(*used["look one"]))])
    server.script(
        "look two",
        [
            status(503, "api_error", "busy"),
            turn(spawn("deeper"), usage=tokens(*used["look two"])),
            turn(text("Two."), usage=tokens(*used["look two"])),
        ],
    )
    server.script("deeper", [turn(text("Deep."), usage=tokens(*used["deeper"]))])
    server.script_default(
        [
            turn(spawn("look one"), spawn("look two", allow_spawn=True), usage=tokens(4_001, 41)),
            turn(text("Done."), usage=tokens(4_003, 43)),
        ]
    )
    tally = Tally()
    model = "sonnet" if transport == "wire" else "gpt-6-luna"
    clients = factory(server.url, transport)
    async with spawning(server, tmp_path, clients=clients, retries=QUICK, model=model) as harness:
        finished = await harness.ask("go")
        assert finished.answer == "Done.", finished.error
        for event in harness.events:
            tally.take(event)
    children = Usage(input=1_003 + 2 * 2_005 + 307, output=17 + 2 * 29 + 5)
    main = Usage(input=4_001 + 4_003, output=41 + 43)
    assert (tally.usage, tally.tree_usage) == (main, main + children)
    assert sum((each.usage for each in harness.of(AgentFinished)), Usage()) == children
    costs = [each.cost for each in harness.of(UsageAdded)]
    assert all(cost is not None for cost in costs)
    assert tally.cost == pytest.approx(sum(cost or 0 for cost in costs))
    price = harness.agent.model.cost
    assert tally.cost == pytest.approx(price(main + children))


async def test_a_broken_answer_that_was_counted_is_counted(server: ScriptedServer, tmp_path: Path) -> None:
    """A service bills what it sent, also of an answer that broke off."""
    server.script_default(
        [turn(text("Half"), cut(), usage=tokens(900, 1)), turn(text("Whole."), usage=tokens(900, 7))],
    )
    async with spawning(server, tmp_path, retries=QUICK) as harness:
        assert (await harness.ask("go")).answer == "Whole."
        seen = [each.usage for each in harness.of(UsageAdded)]
        assert seen == [Usage(input=900, output=1), Usage(input=900, output=7)]


def tokens(sent: int, received: int) -> dict[str, int]:
    return {"input_tokens": sent, "output_tokens": received}
