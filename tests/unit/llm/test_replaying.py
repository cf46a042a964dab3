"""Replaying: every answer comes back as it was, to the conversation it belongs to, and nothing else does."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from code_assistant.errors import (
    AssistantError,
    ConnectionFailed,
    CredentialError,
    PromptTooLong,
    ProviderError,
    RateLimited,
    StreamBroken,
    UnknownModel,
    UsageError,
)
from code_assistant.llm.catalogue import Catalogue
from code_assistant.llm.provider import (
    BlockFinished,
    Delta,
    ModelRequest,
    ResponseEnded,
    TextPiece,
    ThinkingPiece,
    ToolSpecification,
)
from code_assistant.llm.recorded_errors import RecordedError
from code_assistant.messages import Block, Image, Message, Text
from code_assistant.tapes import opened_tape
from tests.unit.json_values import JSON_OBJECTS, TEXTS, values
from tests.unit.llm.taping import (
    NO_KEYS,
    ListedFactory,
    ask,
    heard,
    no_clients,
    recording,
    replay_of,
    replaying,
    said,
)

END = ResponseEnded("end_turn")
ERRORS = [
    ProviderError("Oops.", status=500, retryable=True),
    CredentialError("No key.", status=401),
    UnknownModel("No such model.", status=404),
    RateLimited("Slower.", status=429, retry_after=1.5),
    RateLimited("Busy."),
    PromptTooLong("Too long.", status=400),
    ConnectionFailed("Gone."),
    ConnectionFailed("No such address.", retryable=False),
    StreamBroken("Broken."),
    StreamBroken("Nonsense.", retryable=False),
]


async def taped(file: Path, *answers: Any) -> None:
    with recording(file, answers) as clients:
        client = clients.create("sonnet")
        for _ in answers:
            await heard(client, ask("hi"))


def joined(deltas: list[Any]) -> list[Any]:
    """Neighbours of one kind of text as one: what may be the beginning of a secret waits for the next piece."""
    result: list[Any] = []
    for each in deltas:
        if isinstance(each, TextPiece | ThinkingPiece) and result and type(result[-1]) is type(each):
            result[-1] = type(each)(result[-1].text + each.text)
        else:
            result.append(each)
    return result


@pytest.mark.parametrize("kind", [*get_args(Delta), *get_args(Block)], ids=lambda kind: kind.__name__)
def test_every_delta_comes_back_as_it_was(kind: type[Any]) -> None:
    @settings(deadline=None, max_examples=25)
    @given(st.lists(values(kind), max_size=3))
    def round_trip(some: list[Any]) -> None:
        deltas = [BlockFinished(each) if kind in get_args(Block) else each for each in some]

        async def scenario() -> None:
            await taped(file, [*deltas, END])
            with replaying(file) as clients:
                again = await heard(clients.create("sonnet"), ask("hi"))
            assert joined(again.deltas) == joined([*deltas, END])
            assert again.error is None

        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "run.jsonl"
            asyncio.run(scenario())

    round_trip()


@settings(deadline=None, max_examples=25)
@given(TEXTS, JSON_OBJECTS, st.lists(values(Block), min_size=1, max_size=3))
def test_any_request_can_be_recorded(text: str, schema: dict[str, Any], blocks: list[Any]) -> None:
    request = ModelRequest(text, (ToolSpecification(text, text, schema),), (Message("user", tuple(blocks)),), False, 7)

    async def scenario(file: Path) -> None:
        with recording(file, [said("one")]) as clients:
            await heard(clients.create("sonnet"), request)
        with replaying(file) as clients:
            assert (await heard(clients.create("sonnet"), request)).deltas == list(said("one"))

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(scenario(Path(folder) / "run.jsonl"))


@pytest.mark.parametrize("error", ERRORS, ids=repr)
async def test_every_error_comes_back_as_it_was(error: ProviderError, tmp_path: Path) -> None:
    await taped(tmp_path / "run", [*said("one")[:2], error])
    with replaying(tmp_path / "run") as clients:
        again = await heard(clients.create("sonnet"), ask("hi"))
    assert again.deltas == list(said("one")[:2])
    assert type(again.error) is type(error)
    assert again.error is not None
    assert vars(again.error) == vars(error)


def test_an_error_of_a_kind_that_is_not_known() -> None:
    error = RecordedError("of the future", "Oops.", 418, True).again()
    assert type(error) is ProviderError
    assert (error.person, error.status, error.retryable) == ("Oops.", 418, True)


async def test_answers_go_to_their_conversation_whatever_the_order(tmp_path: Path) -> None:
    file = tmp_path / "run"
    with recording(file, [said("a1"), said("b1"), said("a2"), said("h1")]) as clients:
        main, child, other = clients.create("sonnet"), clients.create("sonnet"), clients.create("haiku")
        await heard(main, ask("a"))
        await heard(child, ask("b"))
        await heard(main, ask("a", "a1", "more"))
        await heard(other, ask("a"))
    with replaying(file) as clients:
        main, child, other = clients.create("sonnet"), clients.create("sonnet"), clients.create("haiku")
        assert (await heard(other, ask("a"))).deltas == list(said("h1"))
        assert (await heard(main, ask("a"))).deltas == list(said("a1"))
        # What joins the first message, or stands before it, changes nothing of who is talking.
        joined = ModelRequest("Other.", (), (Message("user", (Image("image/png", "A"), Text("a"), Text("more"))),))
        assert (await heard(main, joined)).deltas == list(said("a2"))
        assert (await heard(child, ask("b"))).deltas == list(said("b1"))


async def test_conversations_alike_do_not_mix(tmp_path: Path) -> None:
    """Each client goes on with the one that it began."""
    file = tmp_path / "run"
    with recording(file, [said("x1"), said("y1"), said("y2"), said("x2")]) as clients:
        x, y = clients.create("sonnet"), clients.create("sonnet")
        for client, words in ((x, ["go"]), (y, ["go"]), (y, ["go", "y1", "on"]), (x, ["go", "x1", "on"])):
            await heard(client, ask(*words))
    with replaying(file) as clients:
        first, second = clients.create("sonnet"), clients.create("sonnet")
        assert (await heard(first, ask("go"))).deltas == list(said("x1"))
        assert (await heard(first, ask("go", "x1", "on"))).deltas == list(said("x2"))
        assert (await heard(second, ask("go"))).deltas == list(said("y1"))
        assert (await heard(second, ask("go", "y1", "on"))).deltas == list(said("y2"))
        third = await heard(clients.create("sonnet"), ask("go"))
    assert "of this one 0 are recorded, 4 in all" in str(third.error)


async def test_what_the_recording_does_not_have(tmp_path: Path) -> None:
    await taped(tmp_path / "run", said("one"))
    with replaying(tmp_path / "run") as clients:
        client = clients.create("sonnet")
        stranger = await heard(client, ask("Something\nelse " + "x" * 100))
        await heard(client, ask("hi"))
        beyond = await heard(client, ask("hi", "one", "more"))
    assert type(stranger.error) is ProviderError
    assert not stranger.error.retryable
    assert "begins 'Something else xxx" in stranger.error.person
    assert len(stranger.error.person) < 400
    assert "no answer to request 2 of a conversation with claude-sonnet-5-5 that begins 'hi'" in str(beyond.error)
    assert "of this one 1 are recorded, 1 in all" in str(beyond.error)


async def test_the_model_is_the_recorded_one(tmp_path: Path) -> None:
    """Also where the machine does not know it."""
    own = {"models": {"mine": {"provider": "ollama", "id": "qwen3:8b", "context_window": 4096, "aliases": ["m"]}}}
    there = Catalogue([("own", own)])
    with opened_tape(tmp_path / "run", None, NO_KEYS) as tape:
        assert tape is not None
        assert tape.model is None
        clients = tape.around(ListedFactory([said("one")], there), there, pytest.fail)
        await heard(clients.create("m"), ask("hi"))
    with replay_of(tmp_path / "run") as tape:
        here = Catalogue()
        clients = tape.around(no_clients(), here, pytest.fail)
        assert tape.model == "mine"
        client = clients.create("m")
        assert client.model == here.find("mine") == there.find("mine")
        assert (await heard(client, ask("hi"))).deltas == list(said("one"))


async def test_cut_at_any_byte_what_is_whole_counts(tmp_path: Path) -> None:
    file, cut = tmp_path / "run", tmp_path / "cut"
    await taped(file, said("one"), said("two"))
    whole = file.read_bytes()
    # Every byte near a line's end, and every seventh elsewhere.
    ends = {at for at, byte in enumerate(whole) if byte == 10}
    near = {at + step for at in ends for step in (-1, 0, 1, 2)}
    for size in sorted({*range(0, len(whole), 7), *near} & set(range(len(whole)))):
        cut.write_bytes(whole[:size])
        try:
            with replay_of(cut) as tape:
                assert tape.model == "claude-sonnet-5-5"
                assert bool(tape.notices) is not whole[:size].endswith(b"\n")
                client = tape.around(no_clients(), Catalogue(), pytest.fail).create("sonnet")
                again = await heard(client, ask("hi"))
                assert again.deltas == list(said("one")[: len(again.deltas)])
                assert again.error is not None or again.deltas == list(said("one"))
        except UsageError:
            # Nothing but its first lines.
            assert whole[:size].count(b"\n") < 2
    cut.write_bytes(whole)
    with replay_of(cut) as tape:
        assert tape.notices == ()


@pytest.mark.parametrize(
    "damage",
    [
        b"garbage\n",
        b"\xff\xfe\n",
        b"[]\n",
        b"[" * 50_000 + b"\n",
        b'{"type":"Later"}\n',
        b"\n",
        b'{"type":"DeltaCame","request":99,"at":0,"delta":{"type":"TextPiece","text":"x"}}\n',
        b'{"type":"DeltaCame","request":1,"at":0,"delta":{"type":"TextPiece","text":7}}\n',
        b'{"type":"RecordingBegun","version":1,"program":"x"}\n',
    ],
)
async def test_damage_is_told_and_what_stands_before_it_counts(tmp_path: Path, damage: bytes) -> None:
    file = tmp_path / "run"
    await taped(file, said("one"), said("two"))
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:8], damage, *lines[8:]]))
    with replay_of(file) as tape:
        (notice,) = tape.notices
        assert "is damaged after line 8" in notice
        client = tape.around(no_clients(), Catalogue(), pytest.fail).create("sonnet")
        assert (await heard(client, ask("hi"))).deltas == list(said("one"))
        assert (await heard(client, ask("hi"))).error is not None


async def test_what_is_no_recording_is_refused_in_words(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty").touch()
    (tmp_path / "text").write_text("Hello\nthere\n")
    (tmp_path / "log").write_text(json.dumps({"at": "now", "event": "PromptStarted"}) + "\n")
    begun = {"type": "RecordingBegun", "version": 1, "program": "0.1"}
    (tmp_path / "unused").write_text(json.dumps(begun) + "\n")
    (tmp_path / "newer").write_text(json.dumps({**begun, "version": 2, "more": []}) + "\n")
    for name, words in (
        ("none", "There is no recording"),
        ("pipe", "not a regular file"),
        ("folder", "not a regular file"),
        ("empty", "is not a recording"),
        ("text", "is not a recording"),
        ("log", "is not a recording"),
        ("unused", "nothing to replay"),
        ("newer", "has format 2"),
    ):
        with pytest.raises(AssistantError, match=words), replay_of(tmp_path / name):
            pass
