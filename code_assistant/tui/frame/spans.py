"""Pieces of a drawn line: what they say, what they are, and how they become a strip of the screen."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from code_assistant.sanitize import sanitize_line

Role: TypeAlias = Literal[
    "text", "muted", "strong", "heading", "key", "accent", "primary", "success", "warning", "error", "loud", "cursor"
]
# Every role is a component class, so that its look is CSS and follows the theme.
_LOOKS: dict[Role, str] = {
    "text": "color: $foreground;",
    "muted": "color: $text-muted;",
    "strong": "color: $foreground; text-style: bold;",
    "heading": "color: $primary; text-style: bold;",
    "key": "color: $secondary;",
    "accent": "color: $accent;",
    "primary": "color: $primary;",
    "success": "color: $success;",
    "warning": "color: $warning;",
    "error": "color: $error;",
    # Reversed, so that it stays loud where there are no colours.
    "loud": "color: $error; text-style: bold reverse;",
    "cursor": "color: $accent; text-style: reverse;",
}
ROLE_CLASSES: set[str] = {f"drawn--{role}" for role in _LOOKS}
# Text of others is shown on one line of a screen; more of it than this is never needed.
LONGEST = 500


class Span(NamedTuple):
    """`part` names what a click on it is about; empty for nothing."""

    text: str
    role: Role = "text"
    part: str = ""


def list_css(widget: str, highlight: str) -> str:
    """Of a list that scrolls in a window, with one row highlighted."""
    return (
        f"{widget} {{ height: auto; width: 1fr; overflow-x: hidden; scrollbar-size: 0 1;"
        " scrollbar-background: $surface; scrollbar-background-hover: $surface;"
        " scrollbar-background-active: $surface; }\n"
        f"{widget} > .{highlight} {{ background: $primary 20%; }}\n"
        f"{widget}:ansi > .{highlight} {{ background: transparent; text-style: reverse; }}\n"
    ) + role_css(widget)


def role_css(widget: str) -> str:
    """The CSS of all roles for a type of widget."""
    return "".join(f"{widget} > .drawn--{role} {{ {look} }}\n" for role, look in _LOOKS.items())


def plain(text: str) -> str:
    """Text of others on one line: bounded, blanks folded, nothing in it that acts on a terminal."""
    return sanitize_line(" ".join(text[:LONGEST].split()))


def cells(spans: Sequence[Span]) -> int:
    return sum(cell_len(span.text) for span in spans)


def strip_of(widget: Widget, spans: Sequence[Span], width: int, over: Style | None = None) -> Strip:
    """The spans as a strip of exactly `width` cells, with `over` laid over their looks."""
    ground = widget.get_component_rich_style("drawn--text")
    if over is not None:
        ground += over
    segments: list[Segment] = []
    for text, role, part in spans:
        if not text:
            continue
        style = widget.get_component_rich_style(f"drawn--{role}")
        if over is not None:
            style += over
        segments.append(Segment(text, style + _part_style(part) if part else style))
    return Strip(segments).adjust_cell_length(width, ground)


def part_under(style: Style) -> str:
    """The part that a click with this style below it is about."""
    return str(style.meta.get("part", "")) if style else ""


@lru_cache(64)
def _part_style(part: str) -> Style:
    return Style(meta={"part": part})
