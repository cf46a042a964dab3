"""Markdown of a model as HTML: a fixed set of elements, all text escaped, nothing that is fetched or run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from markdown_it.token import Token

from code_assistant.exporting.embedding import DEEPER, MAX_LEVEL
from code_assistant.exporting.reading_markdown import tokens_of
from code_assistant.sanitize import sanitize, sanitize_line

# What may become an element. Everything else of Markdown is handled by name below.
_ELEMENTS = frozenset(
    {"p", "ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr", "th", "td", "em", "strong", "s"}
)
_LINK_PROMISES = 'rel="noopener noreferrer nofollow"'


def answer_html(text: str) -> str:
    return "".join(_blocks(tokens_of(text)))


def _blocks(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        match token.type:
            case "inline":
                yield "".join(_inline(token.children or ()))
            case "fence" | "code_block":
                yield f"<pre><code>{_text(token.content)}</code></pre>\n"
            case "hr":
                yield "<hr>\n"
            case "heading_open" | "heading_close":
                level = min(int(token.tag[1:]) + DEEPER, MAX_LEVEL)
                yield f"<h{level}>" if token.nesting == 1 else f"</h{level}>\n"
            case _:
                yield _element(token)


def _element(token: Token) -> str:
    # A paragraph of a list without empty lines is hidden.
    if token.tag not in _ELEMENTS or token.hidden:
        return ""
    if token.nesting == -1:
        return f"</{token.tag}>\n" if token.block else f"</{token.tag}>"
    start = token.attrGet("start") if token.tag == "ol" else None
    if isinstance(start, int):
        return f'<ol start="{start}">'
    return f"<{token.tag}>"


def _inline(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        match token.type:
            case "softbreak":
                yield "\n"
            case "hardbreak":
                yield "<br>\n"
            case "code_inline":
                yield f"<code>{_text(token.content)}</code>"
            case "image":
                # Never fetched: whoever is named there would learn that somebody reads this.
                yield _text(f"[image: {token.content}] ({token.attrGet('src') or ''})")
            case "link_open":
                yield f'<a href="{escape(sanitize_line(str(token.attrGet("href") or "")))}" {_LINK_PROMISES}>'
            case "link_close":
                yield "</a>"
            case "em_open" | "em_close" | "strong_open" | "strong_close" | "s_open" | "s_close":
                yield _element(token)
            case _:
                yield _text(token.content)


def _text(text: str) -> str:
    """Sanitised once more: Markdown decodes what is written as `&#27;`."""
    return escape(sanitize(text))
