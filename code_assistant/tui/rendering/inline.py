"""The inside of a paragraph: emphasis, code, links, as styled spans."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.style import Style

from code_assistant.sanitize import sanitize
from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.references import link_target, with_references
from code_assistant.tui.rendering.rows import LinkSpan, Span

if TYPE_CHECKING:
    from markdown_it.token import Token

BARE_ADDRESS = re.compile(r"https?://[^\s<>\"'`]+[^\s<>\"'`.,;:!?)\]}]")


class InlineSpans:
    """Collects the spans of one run of inline tokens, and where its links are."""

    def __init__(self, palette: Palette, base: Style | None = None) -> None:
        self._palette = palette
        self._styles = [base or palette.text]
        self._addresses: list[str] = []
        self._length = 0
        self.spans: list[Span] = []
        self.links: list[LinkSpan] = []

    def add_all(self, inline: Token) -> None:
        for token in inline.children or ():
            self._add(token)
        self.spans, self.links = with_references(self.spans, self.links, inline.content, self._palette)

    def _add(self, token: Token) -> None:
        palette = self._palette
        # The text was clean, but Markdown turns `&#13;` and, in addresses, `%0D` into the character that they name.
        content = sanitize(token.content)
        match token.type:
            case "text" | "html_inline" | "text_special":
                self._text(content)
            case "code_inline":
                self._code(content.replace("\n", " "))
            case "softbreak":
                self._piece(" ", self._styles[-1])
            case "hardbreak":
                self._piece("\n", self._styles[-1])
            case "strong_open":
                self._styles.append(self._styles[-1] + BOLD)
            case "em_open":
                self._styles.append(self._styles[-1] + ITALIC)
            case "s_open":
                self._styles.append(self._styles[-1] + STRIKE)
            case "link_open":
                self._addresses.append(sanitize(str(token.attrs.get("href", ""))))
                self._styles.append(palette.link)
            case "link_close":
                self._styles.pop()
                self._addresses.pop()
            case "strong_close" | "em_close" | "s_close":
                self._styles.pop()
            case "image":
                # Never fetched: what it shows in words, and where it is.
                self._link(content or "image", sanitize(str(token.attrs.get("src", ""))))
            case _:
                self._text(content)

    def _code(self, text: str) -> None:
        start = self._length
        self._piece(text, self._palette.inline_code)
        if self._addresses:
            # Code inside a link is part of it.
            self.links.append(LinkSpan(start, self._length, link_target(self._addresses[-1], text)))

    def _text(self, text: str) -> None:
        if self._addresses:
            self._link(text, link_target(self._addresses[-1], text))
            return
        position = 0
        for found in _addresses(text):
            self._piece(text[position : found.start()], self._styles[-1])
            self._link(found.group(), found.group())
            position = found.end()
        self._piece(text[position:], self._styles[-1])

    def _link(self, text: str, address: str) -> None:
        start = self._length
        self._piece(text, self._palette.link)
        self.links.append(LinkSpan(start, self._length, address))

    def _piece(self, text: str, style: Style) -> None:
        if text:
            self.spans.append((text, style))
            self._length += len(text)


BOLD = Style(bold=True)
ITALIC = Style(italic=True)
STRIKE = Style(strike=True)


def _addresses(text: str) -> Iterator[re.Match[str]]:
    return BARE_ADDRESS.finditer(text) if "://" in text else iter(())
