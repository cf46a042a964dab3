"""Short words for tests of recordings: a model that answers from a list, and what is recorded and replayed of it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from code_assistant.errors import ProviderError
from code_assistant.llm.catalogue import Catalogue
from code_assistant.llm.model import Model
from code_assistant.llm.provider import (
    BlockFinished,
    ClientFactory,
    Delta,
    ModelClient,
    ModelRequest,
    ResponseBegun,
    ResponseEnded,
    TextPiece,
)
from code_assistant.llm.rate_gate import RateGate
from code_assistant.messages import Message, Text
from code_assistant.secrets import Masker
from code_assistant.tapes import Tape, opened_tape

NO_KEYS = Masker(())


@dataclass
class ListedClient:
    """Answers in order; an error among the deltas is raised."""

    model: Model
    answers: list[Sequence[Delta | ProviderError]]
    gate: RateGate = field(default_factory=RateGate)

    @asynccontextmanager
    async def stream(self, request: ModelRequest) -> AsyncGenerator[AsyncIterator[Delta]]:
        yield self._deltas(self.answers.pop(0))

    async def _deltas(self, answer: Sequence[Delta | ProviderError]) -> AsyncGenerator[Delta]:
        for each in answer:
            if isinstance(each, ProviderError):
                raise each
            yield each


@dataclass
class ListedFactory:
    """All its clients answer from the same list."""

    answers: list[Sequence[Delta | ProviderError]]
    catalogue: Catalogue = field(default_factory=Catalogue)
    is_closed: bool = False

    def create(self, model: str) -> ListedClient:
        return ListedClient(self.catalogue.find(model), self.answers)

    async def close(self) -> None:
        self.is_closed = True


def no_clients() -> ClientFactory:
    return ListedFactory([])


def ask(*texts: str) -> ModelRequest:
    """What was said, by the person first, then in turns."""
    messages = tuple(
        Message("user" if number % 2 == 0 else "assistant", (Text(text),)) for number, text in enumerate(texts)
    )
    return ModelRequest("Be brief.", (), messages)


def said(text: str) -> tuple[Delta, ...]:
    return ResponseBegun("id", "m"), TextPiece(text), BlockFinished(Text(text)), ResponseEnded("end_turn")


def silent(_words: str) -> None:
    """For what nobody expects to be told."""


@contextmanager
def recording(
    file: Path,
    answers: Sequence[Sequence[Delta | ProviderError]],
    masker: Masker = NO_KEYS,
    tell: Callable[[str], None] = silent,
) -> Iterator[ClientFactory]:
    with opened_tape(file, None, masker) as tape:
        assert tape is not None
        yield tape.around(ListedFactory(list(answers)), Catalogue(), tell)


@contextmanager
def replaying(file: Path, masker: Masker = NO_KEYS) -> Iterator[ClientFactory]:
    with opened_tape(None, file, masker) as tape:
        assert tape is not None
        yield tape.around(no_clients(), Catalogue(), silent)


@contextmanager
def replay_of(file: Path) -> Iterator[Tape]:
    with opened_tape(None, file, NO_KEYS) as tape:
        assert tape is not None
        yield tape


@dataclass
class Heard:
    """What came of a request until it ended or failed."""

    deltas: list[Delta] = field(default_factory=list)
    error: ProviderError | None = None


async def heard(client: ModelClient, request: ModelRequest) -> Heard:
    found = Heard()
    try:
        async with client.stream(request) as deltas:
            async for delta in deltas:
                found.deltas.append(delta)
    except ProviderError as error:
        found.error = error
    return found
