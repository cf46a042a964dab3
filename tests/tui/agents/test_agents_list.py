"""The list of all agents: a tree, live, that is left with one of them opened, cancelled or copied."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App
from textual.pilot import Pilot

from code_assistant.messages import Usage
from code_assistant.tui.agents.agent_line import header_spans, row_spans
from code_assistant.tui.agents.agents_list import AgentsList, MainFacts, tree_rows
from code_assistant.tui.agents.record import LIVE, AgentRecord
from code_assistant.tui.agents.words import ROLES, end_level, end_words, status_words
from code_assistant.tui.frame.spans import Span
from tests.rows import each_row
from tests.tui.agents.runs import a_record
from tests.tui.look import PALETTE

MAIN_FACTS = MainFacts("working · sonnet", ("12.3k tok in all", "$0.04"))


def line(spans: Sequence[Span]) -> str:
    return "".join(span.text for span in spans)


# The tree


def lines_of(records: Sequence[AgentRecord]) -> list[str]:
    return [f"{row.lines} {row.record.name}" for row in tree_rows(records)]


def test_children_stand_below_their_parents() -> None:
    one, two, three = a_record(1), a_record(2), a_record(3)
    inner = a_record(4, parent_agent_id="agent_1", depth=3)
    innermost = a_record(5, parent_agent_id="agent_4", depth=4)
    last = a_record(6, parent_agent_id="agent_3", depth=3)
    assert lines_of([one, two, three, inner, innermost, last]) == [
        "├─ explore-1",
        "│ └─ explore-4",
        "│   └─ explore-5",
        "├─ explore-2",
        "└─ explore-3",
        "  └─ explore-6",
    ]


def test_whose_parent_is_unknown_stands_below_the_main_agent() -> None:
    assert lines_of([a_record(1, parent_agent_id="gone"), a_record(2, parent_agent_id=None)]) == [
        "├─ explore-1",
        "└─ explore-2",
    ]


@given(st.lists(st.integers(0, 12), max_size=12))
def test_every_agent_is_there_once_whoever_its_parents_are(parents: list[int]) -> None:
    records = [a_record(number, parent_agent_id=f"agent_{parent}") for number, parent in enumerate(parents, 1)]
    rows = tree_rows(records)
    assert sorted(row.record.id for row in rows) == sorted(record.id for record in records)


# A line


def busy(**facts: object) -> AgentRecord:
    values: dict[str, object] = {"usage": Usage(input=8_000, output=140), "cost": 0.034, "turn": 3}
    return a_record(1, **(values | facts))


def test_what_a_row_tells() -> None:
    shown = line(row_spans(busy(activity="running tools"), "├─ ", 112.0, 90, is_selected=True))
    assert shown.startswith(" ❯ ├─ ◐ explore-1  Look for 1")
    assert shown.rstrip().endswith("running tools · 8.1k tok · $0.03 · 0:12")


def test_unknown_prices_are_not_shown_as_none() -> None:
    for cost in (None, 0.0):
        assert "$" not in line(row_spans(busy(cost=cost), "├─ ", 112.0, 90, is_selected=False))


@each_row(
    ("width", "there", "gone"),
    [
        (80, ["Look for 1", "8.1k tok", "$0.03", "0:12", "running"], []),
        (60, ["Look for 1", "8.1k tok", "0:12", "running"], ["$0.03"]),
        (50, ["Look for 1", "0:12", "running"], ["$", "tok"]),
        (40, ["explore-1", "Look for 1", "running"], ["$", "tok", "0:12"]),
        (24, ["◐ explore-1"], ["$", "tok", "0:12", "running", "Look"]),
    ],
)
def test_narrow_rows_leave_facts_out(width: int, there: list[str], gone: list[str]) -> None:
    shown = line(row_spans(busy(), "├─ ", 112.0, width, is_selected=False))
    assert [each for each in there if each not in shown] == []
    assert [each for each in gone if each in shown] == []


names = st.text(st.characters(codec="utf-8", categories=["L", "N", "So"]), min_size=1, max_size=40)


@given(names, names, st.sampled_from(sorted(ROLES)), st.integers(20, 130), st.booleans())
def test_lines_are_never_wider_than_the_screen(
    name: str, label: str, status: str, width: int, is_selected: bool
) -> None:
    record = busy(name=name, label=label, status=status, prompts=["q1"])
    for spans in (
        row_spans(record, "│ └─ ", 4_000.0, width, is_selected=is_selected),
        header_spans(record, 4_000.0, "f8", width),
    ):
        assert cell_len(line(spans)) <= width


def test_the_header_can_be_pressed_only_where_that_does_something() -> None:
    spans = header_spans(busy(prompts=["q1"]), 112.0, "f8", 100)
    assert [span.text for span in spans if span.part == "cancel"] == ["[ Cancel ]"]
    assert [span.text for span in spans if span.part == "waiting"] == [" (f8)"]
    assert "turn 3/40" in line(spans)
    for status in ("cancelled", "shutting_down"):
        assert not [span for span in header_spans(busy(status=status), 112.0, "f8", 100) if span.part == "cancel"]
    assert "[x]" in line(header_spans(busy(), 112.0, "f8", 40))


def test_every_state_has_words() -> None:
    for status in ROLES:
        assert status_words(a_record(1, status=status)).strip()
        if status not in LIVE:
            assert end_words(status)[0].isupper()  # type: ignore[arg-type]
            assert end_level(status) in ("info", "warning", "error")  # type: ignore[arg-type]
    assert status_words(a_record(1, prompts=["q"])) == "waits for you"
    assert status_words(a_record(1, activity="responding")) == "responding"


# The window


class Host(App[None]):
    """Stands for the app and the session behind it."""

    def __init__(self, records: list[AgentRecord]) -> None:
        super().__init__()
        self.records = records
        self.did: list[str] = []
        self.now = 112.0
        self.cancels = True

    def open(self, record: AgentRecord | None) -> None:
        self.did.append(f"open {record.name if record is not None else 'main'}")

    def cancel(self, record: AgentRecord) -> bool:
        self.did.append(f"cancel {record.name}")
        return self.cancels

    def cancel_all(self) -> int:
        self.did.append("cancel all")
        return sum(record.is_live for record in self.records)

    def steer(self, record: AgentRecord, text: str) -> bool:
        raise AssertionError("nobody says anything here")

    def copy_answer(self, record: AgentRecord) -> None:
        self.did.append(f"copy {record.answer}")

    def go_to_prompt(self) -> None:
        raise AssertionError("there are no prompts here")

    @property
    def shown(self) -> list[str]:
        strips = self.screen._compositor.render_strips(self.size)
        return [strip.text.strip(" │╭╮╰╯─") for strip in strips]


@asynccontextmanager
async def listed(
    records: list[AgentRecord], size: tuple[int, int] = (100, 20)
) -> AsyncIterator[tuple[Host, AgentsList, Pilot[None]]]:
    host = Host(records)
    async with host.run_test(size=size) as pilot:
        screen = AgentsList(lambda: (host.records, MAIN_FACTS), host, PALETTE, lambda: host.now)
        await host.push_screen(screen)
        await pilot.pause()
        yield host, screen, pilot


def some() -> list[AgentRecord]:
    return [
        a_record(1, status="completed", answer="Found.", seconds=6.0),
        busy(id="call_2", agent_id="agent_2", name="explore-2"),
        a_record(3, parent_agent_id="agent_2", status="waiting_permission"),
    ]


async def test_it_begins_at_the_first_that_lives() -> None:
    async with listed(some()) as (host, screen, pilot):
        assert screen.rows.selected is host.records[1]
        assert any(row.startswith("❯ └─ ◐ explore-2") for row in host.shown)
        assert any(
            row.startswith("main  working · sonnet") and row.endswith("12.3k tok in all · $0.04") for row in host.shown
        )
        await pilot.press("enter")
        assert host.did == ["open explore-2"]
        assert not isinstance(host.screen, AgentsList)


async def test_keys() -> None:
    async with listed(some()) as (host, screen, pilot):
        await pilot.press("down", "x", "up", "up", "c", "x", "up", "x", "c")
        assert host.did == ["cancel explore-3", "copy Found."]
        assert screen.rows.selected is None
        await pilot.press("end", "home", "pagedown", "pageup", "k", "j", "enter")
        assert host.did[-1] == "open explore-1"


async def test_one_that_is_ending_already() -> None:
    async with listed(some()) as (host, _, pilot):
        host.cancels = False
        await pilot.press("x")
        assert any("explore-2 is ending already" in row for row in host.shown)
        await pilot.press("down")
        assert any("esc close" in row for row in host.shown)


@pytest.mark.parametrize("key", ["n", "x", "enter", "escape", "X"])
async def test_cancelling_all_takes_a_yes(key: str) -> None:
    async with listed(some()) as (host, screen, pilot):
        await pilot.press("X")
        assert any("cancel all 2 agents" in row for row in host.shown)
        await pilot.press(key)
        assert host.did == []
        assert host.screen is screen
        await pilot.press("X", "y")
        assert host.did == ["cancel all"]
        assert any("2 cancelled" in row for row in host.shown)


async def test_nobody_to_cancel() -> None:
    async with listed([some()[0]]) as (host, _, pilot):
        await pilot.press("X", "y")
        assert host.did == []
    async with listed([]) as (host, _, pilot):
        assert "There are no sub-agents yet." in host.shown
        await pilot.press("down", "x", "c", "enter")
        assert host.did == ["open main"]


async def test_the_mouse_opens_and_a_click_beside_it_closes() -> None:
    async with listed(some()) as (host, _, pilot):
        row = next(number for number, text in enumerate(host.shown) if "explore-3" in text)
        await pilot.click(offset=(20, row))
        assert host.did == ["open explore-3"]
    async with listed(some()) as (host, screen, pilot):
        await pilot.click(offset=(0, 0))
        assert host.screen is not screen


async def test_it_is_live() -> None:
    records = some()
    async with listed(records) as (host, screen, pilot):
        host.now = 160.0
        records.append(a_record(4, started_at=100.0))
        records[1].status = "cancelled"
        records[1].seconds = 30.0
        screen.show()
        await pilot.pause()
        assert any("explore-4" in row and row.endswith("1:00") for row in host.shown)
        assert any("⊘ explore-2" in row and "cancelled" in row for row in host.shown)
        # What is selected stays so.
        assert screen.rows.selected is records[1]


async def test_many_agents_on_a_small_screen() -> None:
    records = [a_record(number) for number in range(1, 60)]
    async with listed(records, (40, 12)) as (host, screen, pilot):
        await pilot.press("end")
        assert screen.rows.selected is records[-1]
        assert any("explore-59" in row for row in host.shown)
        await pilot.press("home")
        assert any(row.startswith("❯ main") for row in host.shown)
