"""HTML taken apart into tags and text, in one pass whose cost grows with the length of the page and nothing else."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

# Our own lines because html.parser is quadratic on some pages (minutes for megabytes of unclosed comments) and raises
# on others. Every pattern here is possessive, and whatever is not closed is looked for only once.
# Text, with every "<" in it that begins no tag.
TEXT = re.compile(r"[^<]*+(?:<(?![a-zA-Z/!?])[^<]*+)*+")
NAME = re.compile(r"</?+([a-zA-Z][^\s/>]*+)[\s/]*+")
ATTRIBUTE = re.compile(
    r"([^\s/>][^\s/>=]*+)(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s>]*+)))?+[\s/]*+",
)
KEPT_ATTRIBUTES = frozenset({"alt", "class", "href", "src", "start"})
# Inside these nothing is a tag but their own end. Text is what the first ones hold, and the others do not.
TEXT_ONLY = frozenset({"title", "textarea"})
NOT_TEXT = frozenset({"script", "style", "xmp", "iframe", "noembed", "noframes"})
ENDS = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in TEXT_ONLY | NOT_TEXT}
# Python refuses to read numbers of thousands of digits, and no character has such a number.
LONG_NUMBER = re.compile(r"&#(?:[0-9]{8,}+|[xX][0-9a-fA-F]{8,}+);?+")


class StartTag(NamedTuple):
    name: str
    attributes: Mapping[str, str]


class EndTag(NamedTuple):
    name: str


Token: TypeAlias = str | StartTag | EndTag


def tokens(page: str) -> Iterator[Token]:
    """Text comes with its character references replaced; comments, scripts and styles do not come at all."""
    position, end = 0, len(page)
    while position < end:
        text = TEXT.match(page, position)
        if text is not None and text.end() > position:
            yield unescaped(text.group())
            position = text.end()
            continue
        name = NAME.match(page, position)
        if name is None:
            position = _after_comment(page, position)
            continue
        tag, position = _tag(page, name)
        if tag is None:
            return
        yield tag
        if isinstance(tag, StartTag) and tag.name in ENDS:
            found = ENDS[tag.name].search(page, position)
            last = found.start() if found else end
            if tag.name in TEXT_ONLY:
                yield unescaped(page[position:last])
            position = last


def unescaped(text: str) -> str:
    return html.unescape(LONG_NUMBER.sub("\ufffd", text)) if "&" in text else text


def plain_text(snippet: str) -> str:
    """The words of a piece of HTML on one line."""
    return " ".join("".join(token for token in tokens(snippet) if isinstance(token, str)).split())


def _tag(page: str, name: re.Match[str]) -> tuple[StartTag | EndTag | None, int]:
    """The tag and where it ends; None for one that the end of the page cuts off."""
    position = name.end()
    attributes: dict[str, str] = {}
    while (attribute := ATTRIBUTE.match(page, position)) is not None:
        position = attribute.end()
        key = attribute[1].lower()
        if key in KEPT_ATTRIBUTES and key not in attributes:
            attributes[key] = unescaped(attribute[2] or attribute[3] or attribute[4] or "")
    if not page.startswith(">", position):
        return None, position
    written = name[1].lower()
    tag = EndTag(written) if page.startswith("</", name.start()) else StartTag(written, attributes)
    return tag, position + 1


def _after_comment(page: str, position: int) -> int:
    """Behind a comment, a declaration, or whatever else begins like one; the end of the page where none ends."""
    is_comment = page.startswith("<!--", position)
    mark = "-->" if is_comment else ">"
    found = page.find(mark, position + 2)
    return found + len(mark) if found >= 0 else len(page)
