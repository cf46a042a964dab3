"""Answers requests from a recording, without any network or key.

Agents run side by side, so that the order of all requests says nothing. A request is known by its conversation, which
is the model and what was said first, and by how many requests its client has made in it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager

from code_assistant.errors import ProviderError, StreamBroken
from code_assistant.llm.catalogue import Catalogue
from code_assistant.llm.model import Model
from code_assistant.llm.provider import ClientFactory, Delta, ModelRequest
from code_assistant.llm.rate_gate import RateGate
from code_assistant.llm.recorded_run import Answer, RecordedRun
from code_assistant.llm.recording_lines import conversation_digest, opening
from code_assistant.secrets import Masker

CUT_WORDS = "In the recording, this answer was cut off here."
SHOWN_CHARACTERS = 60


class Replay:
    """One for a run of the program. Conversations that begin alike are given out in the order of the recording."""

    def __init__(self, run: RecordedRun, masker: Masker) -> None:
        self._run = run
        self._masker = masker
        self._waiting = {digest: deque(alike) for digest, alike in run.conversations.items()}
        self.gate = RateGate()

    @property
    def model(self) -> str | None:
        """What the recorded run began with."""
        return self._run.models[0].name

    @property
    def notices(self) -> tuple[str, ...]:
        return self._run.notices

    def around(self, clients: ClientFactory, catalogue: Catalogue, tell: Callable[[str], None]) -> ReplayingFactory:
        """Nothing of `clients` is used: they are only closed."""
        for model in self._run.models:
            catalogue.add(model)
        return ReplayingFactory(clients, catalogue, self)

    def find(self, name: str) -> Model | None:
        """A model as it was in the recording."""
        return next((each for each in self._run.models if name in (each.name, *each.aliases)), None)

    def digest(self, model: str, request: ModelRequest) -> str:
        return conversation_digest(model, self._masker.mask(opening(request)))

    def take_conversation(self, digest: str) -> tuple[Answer, ...]:
        """The next of those that begin so, for one client; empty where there is none any more."""
        waiting = self._waiting.get(digest)
        return waiting.popleft() if waiting else ()

    def unknown(self, model: str, request: ModelRequest, number: int, recorded: int) -> ProviderError:
        said = " ".join(self._masker.mask(opening(request)).split())
        begins = said if len(said) <= SHOWN_CHARACTERS else f"{said[:SHOWN_CHARACTERS]}…"
        return ProviderError(
            f"The recording {self._run.name} has no answer to request {number} of a conversation with {model} "
            f"that begins {begins!r}: of this one {recorded} are recorded, {self._run.size} in all."
        )


class ReplayingClient:
    def __init__(self, model: Model, replay: Replay) -> None:
        self._model = model
        self._replay = replay
        self._conversations: dict[str, tuple[Answer, ...]] = {}
        self._made: dict[str, int] = {}

    @property
    def model(self) -> Model:
        return self._model

    @property
    def gate(self) -> RateGate:
        return self._replay.gate

    @asynccontextmanager
    async def stream(self, request: ModelRequest) -> AsyncGenerator[AsyncIterator[Delta]]:
        async with aclosing(_deltas(self._answer(request))) as deltas:
            yield deltas

    def _answer(self, request: ModelRequest) -> Answer:
        digest = self._replay.digest(self._model.name, request)
        if digest not in self._conversations:
            self._conversations[digest] = self._replay.take_conversation(digest)
        answers, made = self._conversations[digest], self._made.get(digest, 0)
        self._made[digest] = made + 1
        if made >= len(answers):
            raise self._replay.unknown(self._model.name, request, made + 1, len(answers))
        return answers[made]


async def _deltas(answer: Answer) -> AsyncGenerator[Delta]:
    for delta in answer.deltas:
        # As fast as may be, and still one agent beside the other, as with a network between.
        await asyncio.sleep(0)
        yield delta
    if answer.error is not None:
        raise answer.error.again()
    if answer.end != "whole":
        raise StreamBroken(CUT_WORDS, retryable=False)


class ReplayingFactory:
    def __init__(self, clients: ClientFactory, catalogue: Catalogue, replay: Replay) -> None:
        self._clients = clients
        self._catalogue = catalogue
        self._replay = replay

    def create(self, model: str) -> ReplayingClient:
        return ReplayingClient(self._replay.find(model) or self._catalogue.find(model), self._replay)

    async def close(self) -> None:
        await self._clients.close()
