"""The one way in which the Markdown of others is read: without HTML, and with links to the web only."""

from __future__ import annotations

from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

_WEB = ("http://", "https://")


class _SafeMarkdown(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802 - the name that is overridden
        """What leads elsewhere is no link, but stays what it was: text."""
        return url.lower().startswith(_WEB)


@cache
def _parser() -> MarkdownIt:
    return _SafeMarkdown("commonmark", {"html": False}).enable(["table", "strikethrough"])


def tokens_of(text: str) -> list[Token]:
    return _parser().parse(text)
