"""Windows to read in: a longer text, the table of keys, the address of a link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar
from urllib.parse import urlsplit

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.widget import Widget

from code_assistant.sanitize import is_plain, sanitize, sanitize_line
from code_assistant.tui.frame.spans import Span, plain
from code_assistant.tui.pickers.dialog import Dialog
from code_assistant.tui.pickers.text_view import Paragraph, Paragraphs, TextView

OPENED_SCHEMES = ("http", "https")
_CLOSING: list[BindingType] = [Binding("escape,q,enter", "close", "Close")]


class TextScreen(Dialog[None]):
    """Read-only text. Given as a string, each of its lines is a paragraph; `# ` before one makes it a heading."""

    AUTO_FOCUS = "TextView"
    BINDINGS: ClassVar[list[BindingType]] = _CLOSING
    DEFAULT_CSS = "TextScreen > .dialog { max-width: 100; }"

    def __init__(self, title: str, text: str | Paragraphs) -> None:
        super().__init__(title, "esc close · ↑↓ scroll")
        self._paragraphs = paragraphs_of(text) if isinstance(text, str) else text

    def make_body(self) -> Widget:
        return TextView(self._paragraphs)


@dataclass(frozen=True, slots=True)
class KeyGroup:
    """The keys of one place: pairs of a key, as people write it, and what it does there."""

    place: str
    keys: Sequence[tuple[str, str]]


class KeyHelp(TextScreen):
    """All keys by place."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("question_mark", "close", "Close", show=False)]

    def __init__(self, groups: Sequence[KeyGroup], title: str = "Keys") -> None:
        super().__init__(title, key_paragraphs(groups))


class ConfirmLink(Dialog[bool]):
    """True when the address is to be opened; opening it is the caller's. Only http and https can be."""

    AUTO_FOCUS = "TextView"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o,enter", "open", "Open"),
        Binding("escape,q", "close", "Close"),
    ]

    def __init__(self, address: str) -> None:
        self._can_open = not objection_to(address)
        if self._can_open:
            super().__init__("Open this address?", "o open · esc close")
        else:
            super().__init__("This address is not opened", "esc close")
        self._address = address

    def make_body(self) -> Widget:
        return TextView(link_paragraphs(self._address))

    def action_open(self) -> None:
        if self._can_open:
            self.dismiss(True)

    def close(self) -> None:
        self.dismiss(False)


def paragraphs_of(text: str) -> list[Paragraph]:
    paragraphs: list[Paragraph] = []
    for line in sanitize(text).expandtabs(4).split("\n"):
        heading = line.removeprefix("# ")
        paragraphs.append(Paragraph((Span(heading, "heading" if heading != line else "text"),)))
    return paragraphs


def key_paragraphs(groups: Sequence[KeyGroup]) -> list[Paragraph]:
    paragraphs: list[Paragraph] = []
    shown = [(plain(group.place), [(plain(key), plain(words)) for key, words in group.keys]) for group in groups]
    column = min(max((cell_len(key) for _, keys in shown for key, _ in keys), default=0), 28) + 2
    for place, keys in shown:
        if paragraphs:
            paragraphs.append(Paragraph())
        paragraphs.append(Paragraph((Span(place, "heading"),)))
        paragraphs += [Paragraph((Span(words),), Span(key, "key"), column) for key, words in keys]
    return paragraphs


def link_paragraphs(address: str) -> list[Paragraph]:
    """The whole address, and by itself the host: that is where one ends up, whatever stands around it."""
    shown = Paragraph((Span(sanitize_line(address), "strong"),))
    if objection := objection_to(address):
        return [shown, Paragraph(), Paragraph((Span(objection, "warning"),))]
    host = host_of(address)
    paragraphs = [shown, Paragraph(), Paragraph((Span("leads to ", "muted"), Span(host, "accent")))]
    if not host.isascii():
        paragraphs.append(Paragraph((Span("The host has letters that may look like others.", "warning"),)))
    return paragraphs


def objection_to(address: str) -> str:
    """Why an address is not opened; empty where it may be."""
    if address.partition(":")[0].lower() not in OPENED_SCHEMES:
        return "Only http and https addresses are opened."
    if not is_plain(address) or any(character.isspace() for character in address):
        return "It has blanks or invisible characters in it."
    return "" if host_of(address) else "It names no host."


def host_of(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
