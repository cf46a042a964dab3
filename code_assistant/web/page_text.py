"""A fetched page as text for a model: HTML as Markdown, everything else as it is."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from code_assistant.errors import ToolError
from code_assistant.web.charsets import text_of
from code_assistant.web.fetching import Page
from code_assistant.web.html_markdown import markdown_of
from code_assistant.web.media_types import MediaType

LOOKS_LIKE_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<!--.{0,500}?-->\s*)?<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)
LOOKED_AT_BYTES = 1000
LOOKED_AT_CHARACTERS = 10_000


@dataclass(frozen=True, slots=True)
class PageText:
    """`title` is empty where there is none; `kind` is what was found out where the server does not say."""

    title: str
    text: str
    kind: MediaType
    is_cut: bool


def page_text(page: Page, check: Callable[[], None]) -> PageText:
    """Takes a while for a large page; `check` may raise to stop it. Raises ToolError for what is no text."""
    body = page.body
    kind = page.kind if page.kind.name else _guessed(body.data)
    text = text_of(body.data, kind)
    if "\0" in text[:LOOKED_AT_CHARACTERS]:
        says = f" though it says that it is {page.kind.name}" if page.kind.name else ""
        raise ToolError(f"{page.address.url} is not text{says}.")
    if kind.is_html:
        found = markdown_of(text, page.address.url, check)
        return PageText(found.title, found.text, kind, body.is_cut or found.is_cut)
    return PageText("", text.replace("\r\n", "\n").replace("\r", "\n"), kind, body.is_cut)


def _guessed(body: bytes) -> MediaType:
    return MediaType("text/html" if LOOKS_LIKE_HTML.match(body[:LOOKED_AT_BYTES]) else "text/plain")
