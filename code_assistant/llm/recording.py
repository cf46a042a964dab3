"""Records what passes between agents and models into a file so that a run can be repeated."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager
from itertools import takewhile

from code_assistant.errors import ProviderError
from code_assistant.llm.catalogue import Catalogue
from code_assistant.llm.model import Model
from code_assistant.llm.provider import (
    ClientFactory,
    Delta,
    ModelClient,
    ModelRequest,
    ResponseEnded,
    TextPiece,
    ThinkingPiece,
)
from code_assistant.llm.rate_gate import RateGate
from code_assistant.llm.recorded_errors import RecordedError
from code_assistant.llm.recording_file import RecordingFile
from code_assistant.llm.recording_lines import (
    DeltaCame,
    ModelUsed,
    RequestEnded,
    RequestSent,
    conversation_digest,
    opening,
)
from code_assistant.secrets import Masker
from code_assistant.stored_secrets import StorageStreamMasker


class Recording:
    """One for a run of the program, whatever the number of its sessions."""

    def __init__(self, file: RecordingFile, masker: Masker) -> None:
        self.masker = masker
        self._file = file
        self._models: set[str] = set()
        self._conversations: dict[tuple[int, str], int] = {}
        self._sent: dict[int, ModelRequest] = {}
        self._clients = 0
        self._requests = 0

    @property
    def model(self) -> str | None:
        """Recording wants no model in particular."""
        return None

    @property
    def notices(self) -> tuple[str, ...]:
        return ()

    def around(self, clients: ClientFactory, catalogue: Catalogue, tell: Callable[[str], None]) -> RecordingFactory:
        self._file.tell = tell
        return RecordingFactory(clients, self)

    def client(self, client: ModelClient) -> RecordingClient:
        """Another client, seen by the recording."""
        if client.model.name not in self._models:
            self._models.add(client.model.name)
            self._file.write(ModelUsed(client.model))
        self._clients += 1
        return RecordingClient(client, self, self._clients)

    def begin(self, client: int, model: str, request: ModelRequest) -> RecordedRequest:
        digest = conversation_digest(model, self.masker.mask(opening(request)))
        conversation = self._conversations.setdefault((client, digest), len(self._conversations) + 1)
        before = self._sent.get(conversation)
        self._sent[conversation] = request
        self._requests += 1
        kept = _kept(before, request)
        sent = RequestSent(
            number=self._requests,
            at=self._file.now(),
            conversation=conversation,
            digest=digest,
            model=model,
            system=None if before is not None and before.system == request.system else request.system,
            tools=None if before is not None and before.tools == request.tools else request.tools,
            kept=kept,
            messages=request.messages[kept:],
            allow_tools=request.allow_tools,
            max_output_tokens=request.max_output_tokens,
        )
        self._file.write(sent)
        return RecordedRequest(self._file, self._requests, self.masker)


def _kept(before: ModelRequest | None, request: ModelRequest) -> int:
    pairs = zip(before.messages, request.messages, strict=False) if before is not None else ()
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


class RecordedRequest:
    """One request while it is answered. Text that comes in pieces is masked across them."""

    def __init__(self, file: RecordingFile, number: int, masker: Masker) -> None:
        self._file = file
        self._number = number
        self._masker = masker
        self._pieces: StorageStreamMasker | None = None
        self._kind: type[TextPiece | ThinkingPiece] = TextPiece
        self._is_whole = False

    def take(self, delta: Delta) -> None:
        for each in self._masked(delta):
            self._file.write(DeltaCame(self._number, self._file.now(), each))
        self._is_whole = isinstance(delta, ResponseEnded)

    def end(self, error: ProviderError | None) -> None:
        for rest in self._rest():
            self._file.write(DeltaCame(self._number, self._file.now(), rest))
        end = "failed" if error is not None else "whole" if self._is_whole else "cut"
        failure = RecordedError.of(error) if error is not None else None
        self._file.write(RequestEnded(self._number, self._file.now(), end, failure))

    def _masked(self, delta: Delta) -> Iterator[Delta]:
        if not isinstance(delta, TextPiece | ThinkingPiece):
            yield from self._rest()
            yield delta
            return
        if self._pieces is None or type(delta) is not self._kind:
            yield from self._rest()
            self._pieces, self._kind = StorageStreamMasker(self._masker), type(delta)
        text = self._pieces.feed(delta.text)
        if text or not delta.text:
            yield self._kind(text)

    def _rest(self) -> Iterator[Delta]:
        """What was held back because it may have been the beginning of a secret."""
        text = self._pieces.flush() if self._pieces is not None else ""
        self._pieces = None
        if text:
            yield self._kind(text)


class RecordingClient:
    def __init__(self, client: ModelClient, recording: Recording, number: int) -> None:
        self._client = client
        self._recording = recording
        self._number = number

    @property
    def model(self) -> Model:
        return self._client.model

    @property
    def gate(self) -> RateGate:
        return self._client.gate

    @asynccontextmanager
    async def stream(self, request: ModelRequest) -> AsyncGenerator[AsyncIterator[Delta]]:
        entry = self._recording.begin(self._number, self.model.name, request)
        error: ProviderError | None = None
        try:
            async with self._client.stream(request) as deltas, aclosing(_seen(deltas, entry)) as seen:
                yield seen
        except ProviderError as failure:
            error = failure
            raise
        finally:
            entry.end(error)


async def _seen(deltas: AsyncIterator[Delta], entry: RecordedRequest) -> AsyncGenerator[Delta]:
    async for delta in deltas:
        entry.take(delta)
        yield delta


class RecordingFactory:
    def __init__(self, clients: ClientFactory, recording: Recording) -> None:
        self._clients = clients
        self._recording = recording

    def create(self, model: str) -> RecordingClient:
        return self._recording.client(self._clients.create(model))

    async def close(self) -> None:
        await self._clients.close()
