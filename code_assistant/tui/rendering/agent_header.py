"""The header of a sub-agent's block: who it is, what it is to do, how far it has come, and room for its button."""

from __future__ import annotations

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from code_assistant.tui.agents.record import AgentRecord, AgentStatus
from code_assistant.tui.frame import numbers
from code_assistant.tui.rendering.blocks import Look
from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.rows import Link, Row, Span
from code_assistant.tui.rendering.wrapping import cut_to_cells
from code_assistant.tui.transcript.agent_block import AgentBlock

GLYPHS: dict[AgentStatus, str] = {
    "queued": "…",
    "spawning": "◌",
    "running": "◐",
    "waiting_permission": "?",
    "idle": "○",
    "shutting_down": "◌",
    "completed": "✓",
    "completed_with_warning": "⚠",
    "turn_limit_reached": "⇥",
    "budget_exhausted": "¤",
    "cancelled": "⊘",
    "failed": "✗",
    "timed_out": "✗",
    "interrupted": "■",
}
WORDS: dict[AgentStatus, str] = {
    "queued": "queued",
    "spawning": "starting",
    "running": "",
    "waiting_permission": "waits for you",
    "idle": "idle",
    "shutting_down": "cancelling",
    "completed": "",
    "completed_with_warning": "warning",
    "turn_limit_reached": "turn limit",
    "budget_exhausted": "over budget",
    "cancelled": "cancelled",
    "failed": "failed",
    "timed_out": "timed out",
    "interrupted": "interrupted",
}
# Activities that say more than the number of the turn.
TELLING = ("compacting",)
CANCEL = "[ Cancel ]"
SHORT_CANCEL = "[x]"
ROOM_FOR_CANCEL = 50
# Below this there is no room to spare for a button that is gone.
ROOM_FOR_COLUMN = 60
GAP = 2
SEPARATOR = " · "
# A label is shown with so many cells at least, where it has them, before there are fewer facts than so many.
LABEL_CELLS = ((28, 2), (16, 2), (8, 1))
# No address of Markdown begins so: blanks in them are encoded.
_ADDRESS = "the agent "


def agent_of(address: str) -> str | None:
    """Whose screen a link leads to, by the id of its record; None for links of other kinds."""
    return address.removeprefix(_ADDRESS) if address.startswith(_ADDRESS) else None


def cancel_label(room: int) -> str:
    return CANCEL if room >= ROOM_FOR_CANCEL else SHORT_CANCEL


def button_cells(room: int) -> int:
    """What the button takes at the right end, with the gap before it."""
    return len(cancel_label(room)) + (GAP if room >= ROOM_FOR_CANCEL else 1)


def column_cells(room: int) -> int:
    """What is kept free below and above a button, so that there is one edge, and nothing moves when it is gone."""
    return button_cells(room) if room >= ROOM_FOR_COLUMN else 0


def status_of(record: AgentRecord) -> AgentStatus:
    """As the person sees it: whatever is asked, it waits."""
    return "waiting_permission" if record.prompts and record.status == "running" else record.status


def status_glyph(record: AgentRecord) -> str:
    return GLYPHS[status_of(record)]


def status_style(record: AgentRecord, palette: Palette) -> Style:
    match status_of(record):
        case "running" | "idle":
            return palette.running
        case "completed":
            return palette.success
        case "failed" | "timed_out":
            return palette.error
        case "queued" | "spawning" | "shutting_down" | "cancelled" | "interrupted":
            return palette.muted
        case "waiting_permission" | "completed_with_warning" | "turn_limit_reached" | "budget_exhausted":
            return palette.warning


def header_row(block: AgentBlock, look: Look) -> Row:
    record, palette = block.record, look.palette
    room = max(look.room - (button_cells if record.is_live else column_cells)(look.room), 1)
    marks: list[Span] = [
        (f"{'▾' if block.is_expanded else '▸'} ", palette.muted),
        (f"{status_glyph(record)} ", status_style(record, palette)),
    ]
    parent = f" ‹ {block.parent_name}" if block.parent_name else ""
    name_room = max(room - 4, 1)
    name = cut_to_cells(record.name, name_room)
    facts = _facts(block, palette)
    label, facts, has_parent = _fitted(name, parent, record.label, facts, name_room)
    left: list[Span] = [*marks, (name, palette.agent(record.colour))]
    if has_parent:
        left.append((parent, palette.muted))
    if label:
        left.append((f"{' ' * GAP}{label}", palette.text))
    right = _joined(facts, palette)
    free = room - sum(cell_len(text) for text, _ in (*left, *right))
    blanks = [(" " * free, palette.text)] if right and free > 0 else []
    segments = tuple(Segment(text, style) for text, style in (*left, *blanks, *right) if text)
    # The name leads to the agent's own screen; before it are the marks, of one cell each and a blank.
    return Row(_cut(segments, room), links=(Link(4, 4 + len(name), f"{_ADDRESS}{record.id}"),))


def _facts(block: AgentBlock, palette: Palette) -> list[Span]:
    """The most important one first."""
    record = block.record
    status, muted = status_of(record), palette.muted
    facts: list[Span] = []
    waits = status in ("spawning", "running") and record.delay is not None
    if waits:
        # Says more than that it starts, so that it is there where there is little room, too.
        facts.append((block.delay, palette.warning))
    elif WORDS[status]:
        facts.append((WORDS[status], muted if status in {"completed", "idle"} else status_style(record, palette)))
    if status != "queued":
        facts.append((numbers.clock(block.seconds), muted))
    if status == "running" and not waits:
        if record.activity in TELLING:
            facts.append((record.activity, palette.warning))
        elif record.mending:
            facts.append((f"mending references, attempt {record.mending}", palette.warning))
        elif record.turn:
            facts.append((f"turn {record.turn}/{record.max_turns}", muted))
    if not record.is_live and record.tool_count:
        facts.append((numbers.counted(record.tool_count, "tool"), muted))
    if record.usage.total:
        facts.append((numbers.tokens(record.usage.total), muted))
    if record.cost is not None and numbers.is_known(record.cost) and record.cost > 0:
        facts.append((numbers.money(record.cost), muted))
    return facts


def _fitted(name: str, parent: str, label: str, facts: list[Span], room: int) -> tuple[str, list[Span], bool]:
    """The label as it is shown, the facts that are, and whether the parent is, which goes first."""
    free = room - cell_len(name)
    for shown in (parent, "") if parent else ("",):
        for wanted, least in LABEL_CELLS:
            needed = min(cell_len(label), wanted)
            for count in range(len(facts), min(len(facts), least) - 1, -1):
                left = free - cell_len(shown) - _cells(facts[:count]) - 2 * GAP
                if left >= needed:
                    return cut_to_cells(label, left), facts[:count], bool(shown)
    for count in range(len(facts), 0, -1):
        if GAP + _cells(facts[:count]) <= free:
            return "", facts[:count], False
    return "", [], False


def _cells(facts: list[Span]) -> int:
    return sum(cell_len(text) for text, _ in facts) + len(SEPARATOR) * max(len(facts) - 1, 0)


def _joined(facts: list[Span], palette: Palette) -> list[Span]:
    """In the order in which they are read: what it does, how much it took, how long."""
    ordered = [fact for fact in facts if ":" not in fact[0]] + [fact for fact in facts if ":" in fact[0]]
    spans: list[Span] = []
    for number, fact in enumerate(ordered):
        spans += [(SEPARATOR, palette.muted), fact] if number else [fact]
    return spans


def _cut(segments: tuple[Segment, ...], room: int) -> tuple[Segment, ...]:
    """Names are bounded before; this holds whatever they are."""
    if sum(segment.cell_length for segment in segments) <= room:
        return segments
    kept: list[Segment] = []
    for segment in segments:
        if segment.cell_length > room:
            kept.append(Segment(cut_to_cells(segment.text, room), segment.style))
            break
        kept.append(segment)
        room -= segment.cell_length
    return tuple(kept)
