"""The block of a sub-agent as rows: nothing raises, nothing is too wide, nothing is told by colour alone."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from rich.cells import cell_len

from code_assistant.config.paths import themes_folder
from code_assistant.events import EndStatus, LiveStatus
from code_assistant.tui.agents.record import AgentStatus
from code_assistant.tui.rendering.agent_header import GLYPHS, WORDS, cancel_label, header_row
from code_assistant.tui.rendering.blocks import Look, estimated_heights, part_count, part_rows
from code_assistant.tui.rendering.palette import AGENT_COLOURS, agent_colors
from code_assistant.tui.themes.colors import contrast
from code_assistant.tui.themes.loading import load_themes
from code_assistant.tui.transcript.agent_block import AgentBlock
from tests.rows import each_row
from tests.tui.agents.child import ChildEvents
from tests.tui.agents.test_watcher import Bridged
from tests.tui.hostile import HOSTILE
from tests.tui.look import PALETTE

WIDTHS = (20, 24, 30, 40, 52, 63, 80, 120, 200)
STATUSES: tuple[AgentStatus, ...] = (*get_args(LiveStatus), *get_args(EndStatus))
THEMES = load_themes(themes_folder(), Path("/none")).themes


def rows_of(block: AgentBlock, width: int) -> list[str]:
    look = Look(width, PALETTE)
    rows = [row for part in range(part_count(block)) for row in part_rows(block, part, look)]
    assert all(row.cells <= look.room for row in rows), [row.text for row in rows if row.cells > look.room]
    assert len(estimated_heights(block, look)) == part_count(block)
    return [row.text for row in rows]


def a_block(name: str = "explore-1", label: str = "Find the tax computation", parent: str = "") -> AgentBlock:
    b = Bridged()
    one = ChildEvents(name=name, label=label)
    b.take(*one.spawned(), *one.requested(), *one.requested(), *one.used(8_100), *one.call(1), *one.called(1))
    block = b.block()
    block.parent_name = parent
    block.seconds = 12
    return block


def header(block: AgentBlock, width: int) -> str:
    return header_row(block, Look(width, PALETTE)).text


@each_row("width", WIDTHS)
@each_row("hostile", HOSTILE)
def test_any_text_at_any_width(hostile: str, width: int) -> None:
    b = Bridged()
    one = ChildEvents(name=hostile, label=hostile)
    b.take(*one.spawned(instructions=hostile), *one.call(1, hostile), *one.called(1, hostile, hostile, "error"))
    b.take(*one.call(2, hostile), *one.asks(2), *one.wrote(hostile))
    block = b.block()
    block.rooms["ask"] = 4
    block.shows_instructions = True
    rows_of(block, width)
    b.take(*one.finished("failed", hostile, warning=hostile, error=hostile))
    rows_of(block, width)
    block.is_expanded = True
    block.parent_name = hostile
    rows_of(block, width)


@each_row("status", STATUSES)
def test_a_header_fits_and_leaves_room_for_the_button(status: AgentStatus) -> None:
    block = a_block(label="漢字 e\u0301 Find it", parent="helper-2")
    block.record.status = status
    for width in range(20, 201):
        row = header(block, width)
        room = Look(width, PALETTE).room
        free = len(cancel_label(room)) + 1 if block.record.is_live else 0
        assert cell_len(row) <= room - free
        assert row.startswith(f"▾ {GLYPHS[status]} explo")


def test_the_header_of_the_picture() -> None:
    block = a_block()
    # At the very width of the picture, without a cost, which it does not show.
    block.record.cost = None
    assert header(block, 91) == "▾ ◐ explore-1  Find the tax computation          turn 3/10 · 8.1k tok · 0:12"
    block.record.status = "waiting_permission"
    assert header(block, 63) == "▾ ? explore-1  Find the t…  waits for you · 0:12"


def test_facts_give_way_one_by_one() -> None:
    block = a_block()
    # From where the button has its whole label: below that it takes less room.
    found = {width: header(block, width) for width in range(53, 121)}
    for fact, least in (("$0.01", 92), ("8.1k tok", 84), ("turn 3/10", 60), ("0:12", 53)):
        assert fact in found[120]
        shown = [width for width, row in found.items() if fact in row]
        assert shown == list(range(shown[0], 121)), fact
        assert shown[0] <= least
    assert all("explore-1" in header(block, width) for width in range(22, 121))
    assert all("0:12" in header(block, width) for width in range(28, 121))


def test_every_status_has_a_sign_and_those_of_ends_that_differ_have_words() -> None:
    assert set(GLYPHS) == set(WORDS) == set(STATUSES)
    ended = [(GLYPHS[status], WORDS[status]) for status in get_args(EndStatus)]
    assert len(set(ended)) == len(ended)
    assert all(cell_len(glyph) == 1 for glyph in GLYPHS.values())


@each_row(
    ("status", "words", "rows"),
    [
        ("completed", "", 1),
        ("completed_with_warning", "warning", 2),
        ("failed", "failed", 2),
        ("timed_out", "timed out", 2),
        ("turn_limit_reached", "turn limit", 2),
        ("budget_exhausted", "over budget", 2),
        ("cancelled", "cancelled", 1),
        ("interrupted", "interrupted", 1),
    ],
)
def test_an_ended_one_is_one_line_and_why_where_one_must_know(status: EndStatus, words: str, rows: int) -> None:
    b = Bridged()
    one = ChildEvents()
    b.take(*one.spawned(), *one.call(1), *one.called(1), *one.finished(status, error="Because of it.\nMore."))
    found = rows_of(b.block(), 100)
    assert len(found) == rows
    assert found[0].startswith(f"▸ {GLYPHS[status]} explore-1  Find the code")
    assert words in found[0]
    assert found[0].endswith("1 tool · 3.9k tok · $0.01 · 0:06")
    if rows == 2:
        assert found[1] == "│  ! Because of it."


def test_lines_follow_the_state_of_their_call() -> None:
    b = Bridged()
    one = ChildEvents()
    b.take(*one.spawned(), *one.call(1), *one.call(2), *one.call(3), *one.call(4))
    b.take(*one.called(2, "Read b.py", "2 lines"), *one.called(3, "Read c.py", "failed", "error"), *one.asks(4))
    lines = [" ".join(row.split()) for row in rows_of(b.block(), 80)[2:6]]
    assert lines == ["│ ◐ Reading a.py", "│ ✓ Read b.py 2 lines", "│ ✗ Read c.py failed", "│ ? Reading a.py"]


def test_what_it_writes_takes_a_few_rows_at_most() -> None:
    b = Bridged()
    one = ChildEvents()
    b.take(*one.spawned())
    heights: list[int] = []
    for number in range(100):
        b.take(*one.wrote(f"word {number}\n" if number % 7 == 0 else f"word {number} "))
        heights.append(len(rows_of(b.block(), 60)))
    assert heights[0] == 2 + 1
    assert max(heights) == 2 + 3


@each_row("name", sorted(THEMES))
def test_the_colours_of_agents(name: str) -> None:
    colors = THEMES[name].colors()
    agents = agent_colors(colors)
    assert len(agents) == AGENT_COLOURS
    if THEMES[name].is_ansi:
        assert len(set(agents)) >= 5
        return
    assert len(set(agents)) == AGENT_COLOURS
    least = 7.0 if name == "high-contrast" else 4.5
    assert all(contrast(color, ground) >= least for color in agents for ground in (colors.background, colors.panel))
