"""Reads a recording: the models it used and, for each conversation, what was answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO

from code_assistant.errors import UsageError
from code_assistant.json_forms import FormError
from code_assistant.llm.model import Model
from code_assistant.llm.provider import Delta
from code_assistant.llm.recorded_errors import RecordedError
from code_assistant.llm.recording_lines import (
    MAX_LINE_BYTES,
    VERSION,
    DeltaCame,
    Line,
    ModelUsed,
    RecordingBegun,
    RequestEnd,
    RequestEnded,
    RequestSent,
    line_from,
)


@dataclass(slots=True)
class Answer:
    """What came back for one request; one whose end is not in the file was cut."""

    deltas: list[Delta] = field(default_factory=list[Delta])
    end: RequestEnd = "cut"
    error: RecordedError | None = None


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """`conversations` are in the order in which they began, by their digests; alike ones have the same."""

    name: str
    models: tuple[Model, ...]
    conversations: Mapping[str, tuple[tuple[Answer, ...], ...]]
    notices: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """How many requests there are."""
        return sum(len(answers) for alike in self.conversations.values() for answers in alike)


def read_run(file: BinaryIO, name: str) -> RecordedRun:
    """Read to the end or to where it makes no sense any more, which a notice tells. Raises UsageError for a file that
    is no recording, is one of another version, or has nothing to replay.
    """
    reader = _Reader()
    notices: tuple[str, ...] = ()
    try:
        for line in _lines(file):
            reader.take(line)
    except FormError as error:
        reason = str(error).rstrip(".")
        notices = (f"{name} is damaged after line {reader.count}: {reason}. Only what stands before is replayed.",)
    if reader.count == 0:
        raise UsageError(f"{name} is not a recording. Make one with --record.")
    if not reader.models:
        raise UsageError(f"{name} has nothing to replay: no model was used while it was recorded.")
    return RecordedRun(name, tuple(reader.models), reader.conversations(), notices)


def _lines(file: BinaryIO) -> Iterator[Line]:
    while text := file.readline(MAX_LINE_BYTES + 1):
        if not text.endswith(b"\n"):
            raise FormError("the next one has no end")
        yield line_from(text)


class _Reader:
    """Puts the lines together again."""

    def __init__(self) -> None:
        self.count = 0
        self.models: list[Model] = []
        self._answers: dict[int, Answer] = {}
        self._conversations: dict[int, tuple[str, list[Answer]]] = {}

    def take(self, line: Line) -> None:
        if isinstance(line, RecordingBegun) is not (self.count == 0):
            raise FormError("the next one is not in its place")
        match line:
            case RecordingBegun(version, program):
                if version != VERSION:
                    raise UsageError(
                        f"The recording has format {version}, written by version {program} of the program; "
                        f"this one reads format {VERSION}."
                    )
            case ModelUsed(model):
                self.models.append(model)
            case RequestSent():
                answer = self._answers[line.number] = Answer()
                self._conversations.setdefault(line.conversation, (line.digest, []))[1].append(answer)
            case DeltaCame(request, _, delta):
                self._answer(request).deltas.append(delta)
            case RequestEnded(request, _, end, error):
                answer = self._answer(request)
                answer.end, answer.error = end, error
        self.count += 1

    def conversations(self) -> dict[str, tuple[tuple[Answer, ...], ...]]:
        found: dict[str, tuple[tuple[Answer, ...], ...]] = {}
        for digest, answers in self._conversations.values():
            found[digest] = (*found.get(digest, ()), tuple(answers))
        return found

    def _answer(self, request: int) -> Answer:
        if request not in self._answers:
            raise FormError(f"there is no request {request} before it")
        return self._answers[request]
