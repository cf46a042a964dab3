"""read_files: text with line numbers and images, several files at once, all of it bounded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import Field

from code_assistant.errors import ToolError, WorkspaceError
from code_assistant.events import Display
from code_assistant.messages import Image, Text
from code_assistant.tools.tool import Tool, ToolContext, ToolOutput
from code_assistant.tools.tool_input import ToolInput
from code_assistant.workspace.file_parts import (
    ImageRead,
    NotRead,
    Reading,
    ReadRequest,
    TextRead,
    read_all,
    request_for,
)
from code_assistant.workspace.ledger import FileLedger
from code_assistant.workspace.names import counted, plain_size
from code_assistant.workspace.numbered import is_partial, numbered_text
from code_assistant.workspace.ranges import LineRange
from code_assistant.workspace.threads import in_thread
from code_assistant.workspace.workspace import Workspace

NAMED_IN_TITLE = 2


class ReadFilesInput(ToolInput):
    paths: list[str] = Field(
        min_length=1, max_length=20, description="Files to read, each a path or a path with lines: src/a.py:10-20"
    )


class ReadFiles(Tool[ReadFilesInput]):
    name = "read_files"
    Input = ReadFilesInput

    def title(self, arguments: ReadFilesInput) -> str:
        return f"Reading {_names(arguments.paths)}"

    async def run(self, arguments: ReadFilesInput, context: ToolContext) -> ToolOutput:
        requests = [_request(text, context.workspace) for text in arguments.paths]
        targets = [request.target for request in requests if isinstance(request, ReadRequest)]
        for target in {target.path: target for target in targets}.values():
            await context.require_readable(self.name, target)
        is_hidden = context.services.gate.unseen(context.workspace.root)
        readings = await in_thread(lambda flag: read_all(requests, context.workspace, flag, is_hidden))
        for reading in readings:
            if isinstance(reading, TextRead):
                _note(reading, context.services.ledger)
        failures = [reading.reason for reading in readings if isinstance(reading, NotRead)]
        if len(failures) == len(readings):
            raise ToolError("\n".join(failures))
        content = tuple(block for reading in readings for block in _blocks(reading))
        detail = "\n\n".join(block.text for block in content if isinstance(block, Text))
        names = [_title(reading, text) for reading, text in zip(readings, arguments.paths, strict=True)]
        return ToolOutput(content, Display(f"Read {_names(names)}", _summary(readings), detail))


def _note(reading: TextRead, ledger: FileLedger) -> None:
    path = reading.request.target.path
    if reading.version is None:
        # Too large to have one: it may be pointed to, but not be overwritten.
        ledger.note_match(path)
    else:
        ledger.note(path, reading.version, is_whole=not is_partial(reading))


def _request(text: str, workspace: Workspace) -> ReadRequest | NotRead:
    try:
        return request_for(text, workspace)
    except WorkspaceError as error:
        return NotRead(str(error))


def _blocks(reading: Reading) -> Iterator[Text | Image]:
    match reading:
        case NotRead(reason):
            yield Text(f"Error: {reason}")
        case TextRead():
            yield Text(numbered_text(reading))
        case ImageRead(request, image, size):
            yield Text(f"{request.shown} ({image.media_type}, {plain_size(size)}):")
            yield image


def _names(names: Sequence[str]) -> str:
    first = ", ".join(names[:NAMED_IN_TITLE])
    more = len(names) - NAMED_IN_TITLE
    return f"{first} and {more} more" if more > 0 else first


def _title(reading: Reading, text: str) -> str:
    match reading:
        case NotRead():
            return text
        case ImageRead(request):
            return request.shown
        case TextRead(request, part):
            if not part.lines or not is_partial(reading):
                return request.shown
            return f"{request.shown}:{LineRange(part.first, part.last)}"


def _summary(readings: Sequence[Reading]) -> str:
    texts = [reading for reading in readings if isinstance(reading, TextRead)]
    images = sum(isinstance(reading, ImageRead) for reading in readings)
    failures = sum(isinstance(reading, NotRead) for reading in readings)
    words: list[str] = []
    if texts:
        words.append(counted(sum(len(reading.part.lines) for reading in texts), "line"))
    if images:
        words.append(counted(images, "image"))
    if failures:
        words.append(f"{failures} not read")
    return ", ".join(words)
