"""What the person has written, as data: the whole text, what of it is shown folded, and its images."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from code_assistant.errors import AssistantError
from code_assistant.messages import Image

DraftKind: TypeAlias = Literal["prompt", "shell", "command"]

SHELL_MARK = "!"
# A second slash makes it a path, which people begin sentences with, too.
_COMMAND = re.compile(r"/(?:\?|[^\W\d_][\w:.-]*)(?:\s|\Z)")


class Span(NamedTuple):
    """A part of a text, from `start` up to `end`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class AttachedImage:
    """An image, where it was read from, and the part of the text that stands for it."""

    span: Span
    path: str
    image: Image = field(repr=False)


class WantedImage(NamedTuple):
    """Where an image stood in a text that was kept without it, and where it can be read from again."""

    span: Span
    path: str


@dataclass(frozen=True, slots=True)
class Draft:
    """`text` has everything, also what the screen shows folded; `folds` says which parts that are.

    `wanted` are images that it had: until they are read again there is nothing of them but their labels.
    """

    text: str
    folds: tuple[Span, ...] = ()
    attached: tuple[AttachedImage, ...] = ()
    wanted: tuple[WantedImage, ...] = ()

    @property
    def kind(self) -> DraftKind:
        if self.text.startswith(SHELL_MARK):
            return "shell"
        return "command" if _COMMAND.match(self.text) else "prompt"

    @property
    def images(self) -> tuple[Image, ...]:
        return tuple(attached.image for attached in self.attached)

    @property
    def command(self) -> str:
        """The shell command or the slash command without its mark; of a prompt the text itself."""
        return self.text if self.kind == "prompt" else self.text[1:].strip()

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing to send."""
        return not self.text.strip() or (self.kind == "shell" and not self.command)


def reattached(draft: Draft, read_image: Callable[[str], Image | None]) -> tuple[Draft, tuple[str, ...]]:
    """The draft with its images as they are now, and the paths of those that are gone; blocks."""
    attached: list[AttachedImage] = []
    gone: list[str] = []
    for span, path in draft.wanted:
        image = None
        with suppress(AssistantError):
            image = read_image(path)
        if image is None:
            gone.append(path)
        else:
            attached.append(AttachedImage(span, path, image))
    return Draft(draft.text, draft.folds, (*draft.attached, *attached)), tuple(gone)


def joined(drafts: tuple[Draft, ...], separator: str = "\n") -> Draft:
    """Several drafts one after the other, as one."""
    text = ""
    folds: list[Span] = []
    attached: list[AttachedImage] = []
    for draft in drafts:
        if text:
            text += separator
        moved = len(text)
        folds += [Span(span.start + moved, span.end + moved) for span in draft.folds]
        attached += [
            AttachedImage(Span(each.span.start + moved, each.span.end + moved), each.path, each.image)
            for each in draft.attached
        ]
        text += draft.text
    return Draft(text, tuple(folds), tuple(attached))


def rewritten(draft: Draft, text: str) -> Draft:
    """The draft with another text, where what was folded or attached is so again if it is still there, in order."""
    parts: list[tuple[Span, AttachedImage | None]] = [(span, None) for span in draft.folds]
    parts += [(each.span, each) for each in draft.attached]
    folds: list[Span] = []
    attached: list[AttachedImage] = []
    position = 0
    for span, image in sorted(parts, key=lambda part: part[0]):
        content = draft.text[span.start : span.end]
        start = text.find(content, position)
        if start < 0:
            continue
        position = start + len(content)
        if image is None:
            folds.append(Span(start, position))
        else:
            attached.append(AttachedImage(Span(start, position), image.path, image.image))
    return Draft(text, tuple(folds), tuple(attached))
