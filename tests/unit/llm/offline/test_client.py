"""The explorer as a model client: the protocol's deltas, an honest label, and no prompt or result that breaks it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from code_assistant.llm.offline.client import OFFLINE_MODEL, OfflineFactory
from code_assistant.llm.offline.explorer import respond
from code_assistant.llm.offline.steps import MOST_ROUNDS, Step
from code_assistant.llm.offline.words import OFFLINE_LABEL
from code_assistant.llm.provider import (
    BlockFinished,
    Delta,
    ModelRequest,
    ResponseBegun,
    ResponseEnded,
    TextPiece,
    ToolSpecification,
    UsageSeen,
)
from code_assistant.messages import Message, Text, ToolCall, ToolResult, Usage
from code_assistant.subagents.spawn_input import SpawnInput
from code_assistant.tools.builtin import BUILTIN, made

INPUTS: dict[str, type[BaseModel]] = {
    **{name: made(name).Input for name in BUILTIN},
    "spawn_agent": SpawnInput,
}
TOOLS = tuple(ToolSpecification(name, "", {}) for name in INPUTS)
LABEL = f"*{OFFLINE_LABEL}*"


def asked(text: str, *more: Message, allow_tools: bool = True) -> ModelRequest:
    return ModelRequest("", TOOLS, (Message("user", (Text(text),)), *more), allow_tools)


async def deltas(request: ModelRequest) -> list[Delta]:
    client = OfflineFactory().create("whatever")
    assert client.model is OFFLINE_MODEL
    async with client.stream(request) as stream:
        return [delta async for delta in stream]


async def test_an_answer_comes_in_words_and_costs_nothing() -> None:
    begun, *pieces, block, usage, end = await deltas(asked("hello"))
    assert isinstance(begun, ResponseBegun)
    assert begun.model == "offline-explorer"
    words = [piece.text for piece in pieces if isinstance(piece, TextPiece)]
    assert len(words) == len(pieces) > 20
    assert block == BlockFinished(Text("".join(words)))
    assert (usage, end) == (UsageSeen(Usage()), ResponseEnded("end_turn"))
    assert "".join(words).endswith(LABEL)
    assert OFFLINE_MODEL.cost(Usage(1000, 1000)) is None


async def test_calls_come_as_closed_blocks_with_ids_of_their_own() -> None:
    found = await deltas(asked("overview"))
    blocks = [each.block for each in found if isinstance(each, BlockFinished)]
    calls = [block for block in blocks if isinstance(block, ToolCall)]
    assert [call.name for call in calls] == ["list_files", "glob_files"]
    assert len({call.id for call in calls}) == 2
    assert found[-1] == ResponseEnded("tool_use")


def test_it_says_what_it_cannot_do_and_how_to_get_a_model() -> None:
    for question in ("fix the bug", "help", "hi", ""):
        answer = respond(asked(question or " "))
        assert isinstance(answer, str)
        for words in (
            *("enter a key with `/model`", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"),
            *("a server on this machine", "Ollama", "LM Studio", "llama.cpp", "vLLM", LABEL),
        ):
            assert words in answer


def test_without_tools_it_answers_at_once() -> None:
    for question in ("overview", "find x", "where is y defined", "what changed", "how does z work", "src/"):
        answer = respond(asked(question, allow_tools=False))
        assert isinstance(answer, str)
        assert answer.endswith(LABEL)


PROMPTS = st.text(max_size=300) | st.sampled_from(
    [
        "overview",
        "where is a.b defined and used",
        "where are a, b and c defined",
        "find $%^*(\n",
        "how does this or that thing work",
        "what changed",
        "what does /etc hold",
        "src/a.py",
        "x" * 10_000,
        "find " + "\x1b[31m\x00[{(" * 500,
        "how do " + "(((([[[[\\" * 300 + " work",
    ]
)
RESULTS = st.text(max_size=200) | st.sampled_from(
    [
        "./\n  src/\n  README.md  1.2 KB\n  a.py  3 B",
        "src/a.py\nREADME.md\na.py",
        "a.py\n\nShowing the 1 newest of 5000 files; narrow the pattern or the path to see others.",
        "src/a.py: 12\nb.py: 3\n\n15 matches, 2 files.",
        "src/a.py\n3: class a:\n9: b()\n\nb/b.py\n1: a = 3\n\nShowing matches 1-3 of 4000; call again with more.",
        'src/a.py (2 lines)\n     1\t"""A."""\n     2\tclass a:',
        "Error: b is a binary file (3 B), which cannot be shown.",
        "Sub-agent ended: failed.\n\nx",
        "`src/`: 3 files.\n\n- `src/a.py:1` x\n\nUnverified file references: y",
        " M a.py\n\nexit code 0 · 0.1 s",
        "No matches for x",
    ]
)


@settings(deadline=None, max_examples=150)
@given(PROMPTS, st.data())
def test_whatever_is_asked_and_whatever_tools_say_it_ends_in_an_answer(prompt: str, data: st.DataObject) -> None:
    messages: list[Message] = []
    for _ in range(MOST_ROUNDS + 1):
        response = respond(asked(prompt or " ", *messages))
        if isinstance(response, str):
            assert response.removesuffix(LABEL).strip()
            assert response.endswith(LABEL)
            return
        messages += played(response, data)
    raise AssertionError("it never came to an answer")


def played(step: Step, data: st.DataObject) -> tuple[Message, Message]:
    """The calls of a step, which must be valid for the tools, and some results."""
    for call in step.calls:
        INPUTS[call.tool].model_validate(dict(call.arguments))
    calls = [ToolCall(f"c{number}", call.tool, call.arguments) for number, call in enumerate(step.calls)]
    results = [
        ToolResult(call.id, (Text(data.draw(RESULTS) or "-"),), is_error=data.draw(st.integers(0, 5)) == 0)
        for call in calls
    ]
    return Message("assistant", tuple(calls)), Message("user", tuple(results))
