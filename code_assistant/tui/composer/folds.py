"""Folded parts of the text: a big paste or an image is one label in the editor, and never half of one.

In the editor a label begins with a private character that names the part and is drawn as a bracket. Nobody can type
it, so text that only looks like a label stays text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from code_assistant.messages import Image
from code_assistant.sanitize import sanitize_line
from code_assistant.tui.composer.draft import AttachedImage, Draft, Span
from code_assistant.tui.composer.held import FIRST_HEAD, LAST_HEAD, can_hold, hold, release

CAPACITY = LAST_HEAD - FIRST_HEAD + 1
MAXIMUM_NAME = 40
_HEAD = re.compile(f"[{chr(FIRST_HEAD)}-{chr(LAST_HEAD)}]")


@dataclass(frozen=True, slots=True)
class ImageFile:
    """An image and where it was read from."""

    path: str
    image: Image = field(repr=False)


@dataclass(frozen=True, slots=True)
class Part:
    """What one label stands for. The label has no opening bracket: the head is drawn as one."""

    content: str | ImageFile
    number: int
    label: str


class Folds:
    """All parts that the editor may show, also those that were deleted: they come back when that is undone."""

    def __init__(self) -> None:
        self._parts: list[Part] = []

    def clear(self) -> None:
        self._parts.clear()

    def fold(self, content: str | ImageFile, text: str) -> str | None:
        """The label for a part, numbered after those in the text of the editor; None when there are too many."""
        number = 1 + max((part.number for part in self._parts_in(text, type(content))), default=0)
        part = Part(content, number, label_of(content, number))
        if part not in self._parts:
            if len(self._parts) >= CAPACITY:
                return None
            self._parts.append(part)
        return chr(FIRST_HEAD + self._parts.index(part)) + part.label

    def spans(self, line: str) -> list[Span]:
        """Where the labels of a line are."""
        if line.isascii():
            return []
        return [Span(start, end) for start, end, _ in self._found(line)]

    def opened(self, text: str) -> Draft:
        """The text of the editor as what was written."""
        pieces: list[str] = []
        folds: list[Span] = []
        attached: list[AttachedImage] = []
        position = length = 0
        for start, end, part in self._found(text):
            before = release(text[position:start])
            whole = part.content if isinstance(part.content, str) else f"[{part.label}"
            length += len(before)
            span = Span(length, length + len(whole))
            if isinstance(part.content, str):
                folds.append(span)
            else:
                attached.append(AttachedImage(span, part.content.path, part.content.image))
            pieces += (before, whole)
            length = span.end
            position = end
        pieces.append(release(text[position:]))
        return Draft("".join(pieces), tuple(folds), tuple(attached))

    def closed(self, draft: Draft) -> str:
        """What was written as text of an editor that shows nothing else."""
        text = ""
        position = 0
        contents: list[tuple[Span, str | ImageFile]] = [
            (span, draft.text[span.start : span.end]) for span in draft.folds
        ]
        contents += [(each.span, ImageFile(each.path, each.image)) for each in draft.attached]
        for span, content in sorted(contents, key=lambda each: each[0]):
            text += self._held(draft.text[position : span.start], text)
            label = self.fold(content, text)
            text += label if label is not None else hold(draft.text[span.start : span.end])
            position = span.end
        return text + self._held(draft.text[position:], text)

    def _held(self, plain: str, text: str) -> str:
        if can_hold(plain):
            return hold(plain)
        return self.fold(plain, text) or ""

    def _found(self, text: str) -> Iterator[tuple[int, int, Part]]:
        for head in _HEAD.finditer(text):
            number = ord(head[0]) - FIRST_HEAD
            if number < len(self._parts):
                part = self._parts[number]
                yield head.start(), head.end() + len(part.label), part

    def _parts_in(self, text: str, kind: type[str] | type[ImageFile]) -> Sequence[Part]:
        return [part for _, _, part in self._found(text) if isinstance(part.content, kind)]


def label_of(content: str | ImageFile, number: int) -> str:
    if isinstance(content, ImageFile):
        name = sanitize_line(content.path.rpartition("/")[2])
        name = name if len(name) <= MAXIMUM_NAME else f"…{name[1 - MAXIMUM_NAME :]}"
        return f"Image #{number} · {name}]"
    lines = content.count("\n") + (not content.endswith("\n"))
    size = f"{lines} lines" if lines > 1 else f"{len(content)} characters"
    return f"Pasted text #{number} · {size}]"
