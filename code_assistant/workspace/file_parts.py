"""What reading one path gives: numbered text, an image, or the reason why not."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from code_assistant.errors import WorkspaceError
from code_assistant.messages import Image
from code_assistant.workspace.encodings import SNIFFED_BYTES, decoding_of_file, is_binary
from code_assistant.workspace.images import MAXIMUM_IMAGE_BYTES, image_block, image_type, is_whole
from code_assistant.workspace.ledger import FileVersion
from code_assistant.workspace.names import plain_name, plain_size
from code_assistant.workspace.opening import FileMissing, OpenFile, regular_file
from code_assistant.workspace.ranges import WHOLE_FILE, LineRange, split_range
from code_assistant.workspace.reading import (
    MAXIMUM_TEXT,
    SKIPPED_BYTES_BEFORE,
    TextPart,
    pieces_of,
    read_lines,
    slices_of,
)
from code_assistant.workspace.snapshots import content_up_to_limit
from code_assistant.workspace.suggestions import similar_paths
from code_assistant.workspace.threads import StopFlag
from code_assistant.workspace.workspace import ResolvedPath, Workspace

# A request to a model has a limit of its own, which several large images would exceed.
MAXIMUM_IMAGES_BYTES = 10_000_000


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """One path to read, resolved, and which lines of it."""

    target: ResolvedPath
    wanted: LineRange = WHOLE_FILE

    @property
    def shown(self) -> str:
        return plain_name(self.target.shown)


@dataclass(frozen=True, slots=True)
class TextRead:
    """`version` is that of the file the lines were taken from; None when it was too large to be looked at whole."""

    request: ReadRequest
    part: TextPart
    version: FileVersion | None = None


@dataclass(frozen=True, slots=True)
class ImageRead:
    request: ReadRequest
    image: Image
    size: int


@dataclass(frozen=True, slots=True)
class NotRead:
    reason: str


Reading: TypeAlias = TextRead | ImageRead | NotRead


def request_for(text: str, workspace: Workspace) -> ReadRequest:
    """Tell path and range apart. A file whose name looks like a range is meant itself."""
    literal = workspace.resolve(text)
    # Outside the workspace nobody has allowed yet to look whether there is such a file.
    if literal.inside and os.path.lexists(literal.path):
        return ReadRequest(literal)
    ranged = split_range(text)
    if ranged is None:
        return ReadRequest(literal)
    path, wanted = ranged
    return ReadRequest(workspace.resolve(path), wanted)


def read_all(
    requests: Sequence[ReadRequest | NotRead],
    workspace: Workspace,
    flag: StopFlag,
    is_hidden: Callable[[Path], bool] | None = None,
) -> list[Reading]:
    """Read what can be read, in order; texts share the room there is, so that short ones stay whole."""
    readings: list[Reading] = []
    image_bytes = 0
    for request in requests:
        flag.check()
        reading = request if isinstance(request, NotRead) else _read(request, workspace, flag, is_hidden)
        if isinstance(reading, ImageRead):
            image_bytes += reading.size
            if image_bytes > MAXIMUM_IMAGES_BYTES:
                image_bytes -= reading.size
                reading = NotRead(f"{reading.request.shown}: too many images for one call; read it in another.")
        readings.append(reading)
    return _shared_out(readings)


def _read(
    request: ReadRequest, workspace: Workspace, flag: StopFlag, is_hidden: Callable[[Path], bool] | None
) -> Reading:
    try:
        with regular_file(request.target.path, request.shown) as file:
            return _read_open(request, file, flag)
    except FileMissing as error:
        similar = similar_paths(request.target, workspace, flag, is_hidden)
        return NotRead(f"{error} Similar: {', '.join(similar)}." if similar else str(error))
    except WorkspaceError as error:
        return NotRead(str(error))
    except OSError as error:
        return NotRead(f"{request.shown} cannot be read: {error.strerror or error}.")


def _read_open(request: ReadRequest, file: OpenFile, flag: StopFlag) -> Reading:
    head = os.pread(file.descriptor, SNIFFED_BYTES, 0)
    media_type = image_type(head)
    if media_type is not None:
        return _read_image(request, file, media_type)
    if is_binary(head):
        return NotRead(f"{request.shown} is a binary file ({plain_size(file.size)}), which cannot be shown.")
    reading = _read_text(request, file, flag)
    part = reading.part
    if part.lines or (request.wanted == WHOLE_FILE and part.counted == 0):
        return reading
    if part.is_counted_to_the_end:
        lines = f"{part.counted} line{'' if part.counted == 1 else 's'}"
        return NotRead(f"{request.shown} has {lines}; line {request.wanted.first} is beyond its end.")
    return NotRead(
        f"{request.shown}: line {request.wanted.first} lies beyond the first {plain_size(SKIPPED_BYTES_BEFORE)}, "
        f"which have {part.counted} lines; that is as far as read_files looks."
    )


def _read_text(request: ReadRequest, file: OpenFile, flag: StopFlag) -> TextRead:
    content = content_up_to_limit(file)
    if content is None:
        return TextRead(request, read_lines(pieces_of(file), request.wanted, flag))
    part = read_lines(slices_of(content), request.wanted, flag, decoding_of_file(content))
    return TextRead(request, part, FileVersion.of(content))


def _read_image(request: ReadRequest, file: OpenFile, media_type: str) -> ImageRead | NotRead:
    if file.size > MAXIMUM_IMAGE_BYTES:
        limit = plain_size(MAXIMUM_IMAGE_BYTES)
        return NotRead(
            f"{request.shown} is an image of {plain_size(file.size)}; only images up to {limit} can be shown."
        )
    data = b""
    while len(data) < file.size and (more := os.read(file.descriptor, file.size - len(data))):
        data += more
    if not is_whole(media_type, data):
        return NotRead(f"{request.shown} begins like an image ({media_type}) but is broken or not whole.")
    return ImageRead(request, image_block(media_type, data), len(data))


def _shared_out(readings: list[Reading]) -> list[Reading]:
    """Give each text an equal share of the room; what short ones leave over goes to the longer ones."""
    texts = sorted(
        (reading.part.weight, position) for position, reading in enumerate(readings) if isinstance(reading, TextRead)
    )
    room = MAXIMUM_TEXT
    shared = list(readings)
    for index, (weight, position) in enumerate(texts):
        share = room // (len(texts) - index)
        reading = readings[position]
        if weight > share and isinstance(reading, TextRead):
            shared[position] = replace(reading, part=reading.part.cut_to(share))
        room -= min(weight, share)
    return shared
