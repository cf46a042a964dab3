"""References to lines of files, drawn as links: found in what is shown, without a look at any disk."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from rich.style import Style

from code_assistant.file_references import FileReference, find_references
from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.rows import LinkSpan, Span

# No address of Markdown begins so: blanks in them are encoded.
_PREFIX = "lines of a file "
_ADDRESS = re.compile(rf"{_PREFIX}([0-9]+)-([0-9]+) (.+)", re.DOTALL)
_WEB = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
# What Markdown may take away from a path as marks of its own.
_MARKS = str.maketrans("", "", "_*`\\~")
_UNDERLINED = Style(underline=True)


@dataclass(frozen=True, slots=True)
class FilePlace:
    """Some lines of a file, as a reference names them."""

    path: str
    first: int
    last: int

    def __str__(self) -> str:
        lines = f"{self.first}" if self.first == self.last else f"{self.first}-{self.last}"
        return f"{self.path}:{lines}"

    @property
    def address(self) -> str:
        """The place as the address of a link."""
        return f"{_PREFIX}{self.first}-{self.last} {self.path}"


def place_of(address: str) -> FilePlace | None:
    """The place that such an address stands for; None for addresses of other kinds."""
    found = _ADDRESS.fullmatch(address)
    return None if found is None else FilePlace(found[3], int(found[1]), int(found[2]))


def places_in(text: str) -> tuple[FilePlace, ...]:
    """All places that a text refers to, each once, in order."""
    return tuple(dict.fromkeys(_place(found) for found in find_references(text) if found.is_possible))


def link_target(address: str, text: str) -> str:
    """Where a link of Markdown leads: to lines of a file where its address or its text names some."""
    if _WEB.match(address):
        return address
    for named in (unquote(address), text):
        references = find_references(named)
        if len(references) == 1 and references[0].is_possible and references[0].written == named.strip("`"):
            return _place(references[0]).address
    return address


def with_references(
    spans: Sequence[Span], links: Sequence[LinkSpan], source: str, palette: Palette
) -> tuple[list[Span], list[LinkSpan]]:
    """The same text with its references as links, those that are links already left alone.

    `source` is the Markdown it was made from: there a path still has what Markdown took for marks of its own.
    """
    text = "".join(piece for piece, _ in spans)
    found = _found(text)
    if not found:
        return list(spans), list(links)
    written = _found(source)
    by_letters = {_unmarked(each.written): _place(each) for each in written}
    wanted = [
        LinkSpan(each.start, each.end, by_letters.get(_unmarked(each.written), _place(each)).address) for each in found
    ]
    named = _with_blanks(text, written)
    new = _free(sorted([*named, *_free(wanted, named)], key=_start), links)
    look = _UNDERLINED + Style(color=palette.link.color)
    return list(_restyled(spans, new, look)), sorted([*links, *new], key=_start)


def underlined(spans: Sequence[Span]) -> tuple[list[Span], list[LinkSpan]]:
    """A line of code with its references as links, in the colours it has."""
    text = "".join(piece for piece, _ in spans)
    links = [LinkSpan(each.start, each.end, _place(each).address) for each in _found(text)]
    return (list(_restyled(spans, links, _UNDERLINED)) if links else list(spans)), links


def _found(text: str) -> list[FileReference]:
    return [found for found in find_references(text) if found.is_possible]


def _with_blanks(text: str, written: Sequence[FileReference]) -> list[LinkSpan]:
    """Names that hold blanks are known as such by their backticks alone, which are not shown."""
    links: list[LinkSpan] = []
    position = 0
    for each in written:
        start = text.find(each.written, position) if " " in each.written else -1
        if start >= 0:
            position = start + len(each.written)
            links.append(LinkSpan(start, position, _place(each).address))
    return links


def _free(wanted: Sequence[LinkSpan], taken: Sequence[LinkSpan]) -> list[LinkSpan]:
    """Those that share nothing with what is taken; both are in order, and so is what is given."""
    free: list[LinkSpan] = []
    index = 0
    for each in wanted:
        while index < len(taken) and taken[index].end <= each.start:
            index += 1
        if index == len(taken) or taken[index].start >= each.end:
            free.append(each)
    return free


def _place(reference: FileReference) -> FilePlace:
    return FilePlace(reference.path, reference.first, reference.last)


def _start(link: LinkSpan) -> int:
    return link.start


def _unmarked(written: str) -> str:
    return written.translate(_MARKS)


def _restyled(spans: Sequence[Span], links: Sequence[LinkSpan], look: Style) -> Iterator[Span]:
    """The spans, cut where links begin and end, with `look` laid over what is inside; in one pass."""
    coming = iter(links)
    link = next(coming, None)
    position = 0
    for text, style in spans:
        start, end = position, position + len(text)
        while link is not None and link.start < end:
            if link.start > position:
                yield text[position - start : link.start - start], style
            inside = max(link.start, position)
            stop = min(link.end, end)
            yield text[inside - start : stop - start], style + look
            position = stop
            if link.end > end:
                break
            link = next(coming, None)
        if position < end:
            yield text[position - start :], style
        position = end
