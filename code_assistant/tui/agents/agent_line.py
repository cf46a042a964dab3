"""One sub-agent in one line: the header of its own screen, and its row in the list of all. Facts give way to width."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from code_assistant.tui.agents.record import AgentRecord
from code_assistant.tui.agents.words import cost_words, status_role, status_words
from code_assistant.tui.frame import numbers
from code_assistant.tui.frame.fitting import Cut, Part, Shorten, fitted
from code_assistant.tui.frame.spans import Span, part_under, plain
from code_assistant.tui.frame.spans import strip_of as drawn_strip
from code_assistant.tui.rendering.agent_header import status_glyph
from code_assistant.tui.rendering.palette import Palette

NAME = "name"
CANCEL = "cancel"
WAITING = "waiting"
NO_STYLE = Style()
_HEADER_STEPS = (
    Cut("label", 24),
    Cut("tokens"),
    Cut("turn"),
    Cut("label", 10),
    Shorten(CANCEL),
    Cut("label"),
    Cut("time"),
    Cut("status", 8),
    Cut("status"),
    Cut(NAME, 4),
)
_ROW_STEPS = (
    Cut("label", 24),
    Cut("cost"),
    Cut("label", 12),
    Cut("tokens"),
    Cut("time"),
    Cut("label"),
    Cut("status", 8),
    Cut("status"),
    Cut(NAME, 4),
)


def header_spans(record: AgentRecord, now: float, prompt_key: str, width: int) -> list[Span]:
    status, *facts = _facts(record, now)
    if record.prompts:
        status = replace(status, after=(Span(f" ({prompt_key})", "key", WAITING),))
    facts[-1] = replace(facts[-1], joint="  ")
    parts = [*_who(record, ""), status, *facts]
    if record.is_live and record.status != "shutting_down":
        short = (Span("[x]", "key", CANCEL),)
        parts.append(Part(CANCEL, Span("[ Cancel ]", "key", CANCEL), short=short, is_right=True))
    return fitted(parts, _HEADER_STEPS, width)


def row_spans(record: AgentRecord, tree: str, now: float, width: int, *, is_selected: bool) -> list[Span]:
    """`tree` are the lines that lead to it from its parent."""
    facts = [part for part in _facts(record, now) if part.name != "turn"]
    if cost := cost_words(record.cost):
        facts.insert(-1, Part("cost", Span(cost, "muted"), is_right=True))
    return fitted([_cursor(is_selected), *_who(record, tree), *facts], _ROW_STEPS, width)


def main_spans(words: str, facts: Sequence[str], width: int, *, is_selected: bool) -> list[Span]:
    """The main agent, at the root of the list."""
    parts = [
        _cursor(is_selected),
        Part(NAME, Span("main", "strong"), joint="  "),
        Part("label", Span(words, "muted")),
        *(Part(f"fact {number}", Span(fact, "muted"), is_right=True) for number, fact in enumerate(facts)),
    ]
    return fitted(parts, (Cut("label"), *(Cut(f"fact {number}") for number in range(len(facts)))), width)


def strip_of(
    widget: Widget, spans: Sequence[Span], width: int, colours: Mapping[str, Style], over: Style | None = None
) -> Strip:
    """As a drawn row is, with the parts that have a colour of their own in it."""
    strip = drawn_strip(widget, spans, width, over)
    if not colours:
        return strip
    return Strip(
        [
            Segment(text, style + colours.get(part_under(style), NO_STYLE) if style is not None else None)
            for text, style, _ in strip
        ],
        strip.cell_length,
    )


def colours_of(record: AgentRecord, palette: Palette, *, is_reversed: bool = False) -> dict[str, Style]:
    """The colour of its name alone, on whatever ground it stands."""
    if is_reversed:
        return {}
    return {NAME: Style(color=palette.agent(record.colour).color, bold=True)}


def _cursor(is_selected: bool) -> Part:
    return Part("cursor", Span("❯" if is_selected else " ", "accent"), joint=" ")


def _who(record: AgentRecord, tree: str) -> list[Part]:
    parts = [Part("tree", Span(tree, "muted"), joint="")] if tree else []
    parts += [
        Part("glyph", Span(status_glyph(record), status_role(record)), joint=" "),
        Part(NAME, Span(plain(record.name), "strong", NAME), joint="  "),
    ]
    if record.label:
        parts.append(Part("label", Span(plain(record.label), "text")))
    return parts


def _facts(record: AgentRecord, now: float) -> list[Part]:
    facts = [Part("status", Span(status_words(record), status_role(record)), is_right=True)]
    if record.turn and record.is_live:
        facts.append(Part("turn", Span(f"turn {record.turn}/{record.max_turns}", "muted"), is_right=True))
    if record.usage.total:
        facts.append(Part("tokens", Span(numbers.tokens(record.usage.total), "muted"), is_right=True))
    facts.append(Part("time", Span(numbers.clock(record.elapsed(now)), "muted"), is_right=True))
    return facts
