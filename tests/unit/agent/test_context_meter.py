"""The meter: what the service counted is the truth, what came since is estimated, nothing is estimated twice."""

from __future__ import annotations

import pytest

from code_assistant.agent import context_meter
from code_assistant.agent.context_meter import ContextMeter
from code_assistant.agent.tokens import message_tokens, messages_tokens, text_tokens
from code_assistant.llm.provider import ToolSpecification
from code_assistant.messages import Message, Text

SYSTEM = "Be brief. " * 35
TOOLS = (ToolSpecification("echo", "Says it again.", {"type": "object"}),)
ASKED = Message("user", (Text("How is tax computed?"),))
ANSWERED = Message("assistant", (Text("In tax.py."),))
AGAIN = Message("user", (Text("x" * 3500),))


@pytest.fixture
def meter() -> ContextMeter:
    meter = ContextMeter()
    meter.open_with(SYSTEM, TOOLS)
    return meter


def test_before_anything_is_known_all_is_estimated(meter: ContextMeter) -> None:
    assert meter.opening > text_tokens(SYSTEM)
    assert meter.used((ASKED,)) == meter.opening + message_tokens(ASKED)


def test_what_was_counted_is_the_truth_and_the_rest_is_added(meter: ContextMeter) -> None:
    meter.learn(5000, (ASKED, ANSWERED))
    assert meter.used((ASKED, ANSWERED)) == 5000
    assert meter.used((ASKED, ANSWERED, AGAIN)) == 5000 + message_tokens(AGAIN)
    meter.learn(7000, (ASKED, ANSWERED, AGAIN, ANSWERED))
    assert meter.used((ASKED, ANSWERED, AGAIN, ANSWERED)) == 7000


def test_what_joins_the_last_message_is_added_too(meter: ContextMeter) -> None:
    meter.learn(5000, (ASKED,))
    joined = Message("user", (*ASKED.content, *AGAIN.content))
    assert meter.used((joined,)) == 5000 + 1000


def test_a_service_that_counts_nothing_is_not_believed(meter: ContextMeter) -> None:
    meter.learn(0, (ASKED, ANSWERED))
    assert meter.used((ASKED, ANSWERED)) == meter.opening + messages_tokens((ASKED, ANSWERED))


def test_the_scale_is_between_what_was_counted_and_estimated(meter: ContextMeter) -> None:
    estimate = meter.used((ASKED, ANSWERED))
    meter.learn(2 * estimate, (ASKED, ANSWERED))
    assert meter.scale((ASKED, ANSWERED)) == 2.0


def test_other_tools_change_the_opening(meter: ContextMeter) -> None:
    before = meter.opening
    meter.open_with(SYSTEM, (*TOOLS, *TOOLS))
    assert meter.opening > before


def test_no_message_is_estimated_twice(monkeypatch: pytest.MonkeyPatch, meter: ContextMeter) -> None:
    looked: list[Message] = []

    def counted(message: Message) -> int:
        looked.append(message)
        return message_tokens(message)

    monkeypatch.setattr(context_meter, "message_tokens", counted)
    messages = [ASKED, ANSWERED] * 100
    for length in range(1, len(messages) + 1):
        meter.used(messages[:length])
    assert len(looked) == len(messages)
    # A shorter history in its place is looked at anew.
    meter.used([AGAIN, ANSWERED])
    assert len(looked) == len(messages) + 2
