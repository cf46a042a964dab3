"""Images that go along with a message: those that are named in it, and those that were dropped on the terminal."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from code_assistant.errors import WorkspaceError
from code_assistant.messages import IMAGE_ENDINGS, Image
from code_assistant.workspace.images import MAXIMUM_IMAGE_BYTES, image_block, image_type, is_whole
from code_assistant.workspace.opening import FileMissing, is_folder, regular_file
from code_assistant.workspace.workspace import ResolvedPath, Workspace

MAXIMUM_IMAGES = 20
_MENTION = re.compile(r"(?<![^\s(])@(?:\"([^\"\n]+)\"|([^\s\"]+))")
_SENTENCE_ENDS = ".,;:!?)]}'"


@dataclass(frozen=True, slots=True)
class Attachments:
    """`problems` says, in words for the person, which images were meant and cannot go along."""

    images: tuple[Image, ...] = field(default=(), repr=False)
    problems: tuple[str, ...] = ()


def mentioned_paths(text: str) -> tuple[str, ...]:
    """The paths behind an @ at the beginning of a word, each once, in order."""
    return tuple(dict.fromkeys(match[1] or match[2] for match in _MENTION.finditer(text)))


def attachments_in(text: str, workspace: Workspace, is_hidden: Callable[[Path], bool] | None = None) -> Attachments:
    """The images of the workspace that a text mentions. Does file work: call it in a thread."""
    images: list[Image] = []
    problems: list[str] = []
    for path in mentioned_paths(text):
        try:
            image = _mentioned_image(path, workspace, is_hidden)
        except WorkspaceError as error:
            problems.append(str(error))
            continue
        if image is not None and len(images) >= MAXIMUM_IMAGES:
            problems.append(f"{path} does not go along: {MAXIMUM_IMAGES} images are the most for one message.")
        elif image is not None:
            images.append(image)
    return Attachments(tuple(images), tuple(problems))


def read_image(path: str) -> Image | None:
    """An image that the person gave by its path, wherever it is; None for what is no image file.

    Raises WorkspaceError for an image that cannot be used. Does file work: call it in a thread.
    """
    if "\0" in path:
        return None
    real = Path(os.path.realpath(Path(path).expanduser() if path.startswith("~/") else path))
    return _image_at(real, real.name)


def _mentioned_image(path: str, workspace: Workspace, is_hidden: Callable[[Path], bool] | None) -> Image | None:
    for reading in _readings(path):
        if not reading.lower().endswith(IMAGE_ENDINGS):
            continue
        target = workspace.resolve(reading)
        # What lies elsewhere is not taken from a mention alone: a text may have been copied from anywhere.
        if not target.inside or (is_hidden is not None and is_hidden(target.path)):
            continue
        image = _image_at(target.path, target.shown)
        if image is not None:
            return image
        if _is_file(target):
            raise WorkspaceError(f"{target.shown} is no image that can be sent: only its name goes along.")
    return None


def _is_file(target: ResolvedPath) -> bool:
    try:
        return not is_folder(target.path, target.shown)
    except FileMissing:
        return False


def _readings(path: str) -> Iterator[str]:
    """As it is written, and without what may belong to the sentence."""
    yield path
    trimmed = path.rstrip(_SENTENCE_ENDS)
    if trimmed != path:
        yield trimmed


def _image_at(real: Path, shown: str) -> Image | None:
    try:
        with regular_file(real, shown) as file:
            media_type = image_type(os.pread(file.descriptor, 16, 0))
            if media_type is None:
                return None
            if file.size > MAXIMUM_IMAGE_BYTES:
                limit = MAXIMUM_IMAGE_BYTES / 1_000_000
                raise WorkspaceError(f"{shown} is too big: images may have up to {limit:g} MB.")
            data = b""
            while len(data) < file.size and (more := os.read(file.descriptor, file.size - len(data))):
                data += more
    except FileMissing:
        return None
    except OSError as error:
        raise WorkspaceError(f"{shown} cannot be read: {error.strerror or error}.") from error
    if not is_whole(media_type, data):
        raise WorkspaceError(f"{shown} begins like an image ({media_type}) but is broken or not whole.")
    return image_block(media_type, data)
