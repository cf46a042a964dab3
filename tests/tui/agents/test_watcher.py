"""Watching sub-agents: every event leads to what is known of its agent, and to nothing else."""

from __future__ import annotations

from typing import get_args

import pytest

from code_assistant.events import (
    MAIN,
    AgentActivityChanged,
    AgentSpawned,
    BlockAdded,
    Compacted,
    CompactionFailed,
    CompactionStarted,
    Event,
    LiveStatus,
    MessageDelivered,
    Notice,
    PromptFinished,
    ReferenceRetry,
    ThinkingDelta,
    ToolProgress,
)
from code_assistant.messages import Text, Usage
from code_assistant.secrets import Masker
from code_assistant.tui.agents.agent_bridge import AgentBridge
from code_assistant.tui.agents.watcher import LINE_CHARACTERS, TAIL_CHARACTERS, Change, Watcher
from code_assistant.tui.clean_text import CleanText
from code_assistant.tui.state import ScreenState
from code_assistant.tui.transcript.agent_block import AgentBlock
from code_assistant.tui.transcript.blocks import NoticeBlock, ToolBlock, copied_text
from code_assistant.tui.transcript.transcript import Transcript
from tests.tui.agents.child import ChildEvents
from tests.tui.hostile import HOSTILE, is_safe

KEY = "sk-secret-key-0123456789"


class Watched:
    """A watcher with a clock that the test sets."""

    def __init__(self) -> None:
        self.now = 10.0
        self.watcher = Watcher(CleanText(Masker((KEY,))), lambda: self.now)

    def take(self, *events: Event) -> list[Change]:
        return [change for event in events if (change := self.watcher.take(event)) is not None]


class Bridged:
    def __init__(self) -> None:
        self.transcript = Transcript()
        self.state = ScreenState("shop", "m", "ask")
        self.bridge = AgentBridge(self.transcript, self.state, CleanText(Masker(())), lambda: 10.0)

    def take(self, *events: Event) -> None:
        """As the other bridge does it: it keeps the main agent's events, of which the first is a block."""
        for event in events:
            if event.origin.depth > 1:
                self.bridge.take(event)
            elif type(event).__name__ == "ToolStarted":
                self.transcript.add(ToolBlock(event.tool_call_id, "spawn_agent", "Spawning"))  # type: ignore[union-attr]

    def block(self, number: int = 0) -> AgentBlock:
        block = self.transcript.blocks[number]
        assert isinstance(block, AgentBlock)
        return block


@pytest.fixture
def w() -> Watched:
    return Watched()


def test_from_the_beginning_to_the_end(w: Watched) -> None:
    one = ChildEvents()
    w.take(*one.spawned("queued"))
    record = w.watcher.records[one.call_id]
    assert (record.name, record.label, record.status, record.colour) == ("explore-1", "Find the code", "queued", 0)
    w.now = 20
    assert record.elapsed(w.now) == 0
    w.take(*one.has("spawning"))
    w.now = 25
    assert record.elapsed(w.now) == 5
    w.take(*one.requested(), *one.has("running"), *one.call(1), *one.used(100), *one.used(50))
    assert (record.turn, record.usage, record.cost) == (1, Usage(150), 0.0246)
    assert [(line.title, line.state) for line in record.tools] == [("Reading a.py", "running")]
    w.take(*one.called(1), *one.wrote("It is "), *one.wrote("here."))
    assert [(line.title, line.state, line.summary) for line in record.tools] == [("Read a.py", "success", "3 lines")]
    assert record.tail == "It is here."
    w.take(*one.finished())
    assert (record.status, record.answer, record.tail) == ("completed", "It is in **a.py**.", "")
    assert record.elapsed(1000) == 6.2
    assert w.watcher.live == []


@pytest.mark.parametrize("status", get_args(LiveStatus))
def test_every_live_status_is_taken(w: Watched, status: LiveStatus) -> None:
    one = ChildEvents()
    w.take(*one.spawned(), *one.has(status))
    record = w.watcher.records[one.call_id]
    assert record.status == status
    assert record.is_live


@pytest.mark.parametrize(
    ("events", "news"),
    [
        (ChildEvents().has("idle"), ["facts"]),
        (ChildEvents().call(7), ["new line"]),
        (ChildEvents().called(1), ["line"]),
        (ChildEvents().called(99), []),
        ([ToolProgress(ChildEvents().origin, "spawn-1-1", "half")], ["line"]),
        (ChildEvents().wrote("x"), ["text"]),
        ([BlockAdded(ChildEvents().origin, Text("whole"))], ["text"]),
        ([ThinkingDelta(ChildEvents().origin, "hm")], []),
        (ChildEvents().asks(1)[:1], ["line"]),
        (ChildEvents().asks(99)[:1], ["facts"]),
        (ChildEvents().resolved(1)[:1], ["line"]),
        (ChildEvents().used(3), ["facts"]),
        ([AgentActivityChanged(ChildEvents().origin, "waiting for a rate limit")], ["facts"]),
        ([ReferenceRetry(ChildEvents().origin, 1, ("x",))], ["facts"]),
        ([MessageDelivered(ChildEvents().origin, "person", "look")], ["facts"]),
        ([PromptFinished(ChildEvents().origin, "p", "completed", "a", 1, 1.0)], []),
        ([Notice(ChildEvents().origin, "info", "mind")], []),
        (ChildEvents().finished()[:1], ["ended"]),
        (ChildEvents().spawned()[1:2], []),
        (ChildEvents(2).has("running"), []),
    ],
)
def test_what_each_event_changes(w: Watched, events: list[Event], news: list[str]) -> None:
    w.take(*ChildEvents().spawned(), *ChildEvents().call(1))
    assert [change.news for change in w.take(*events)] == news


def test_events_of_several_agents_do_not_mix(w: Watched) -> None:
    one, two = ChildEvents(1), ChildEvents(2)
    w.take(*one.spawned(), *two.spawned(), *two.call(1), *one.wrote("one"), *two.wrote("two"), *two.finished())
    first, second = w.watcher.records.values()
    assert (first.tail, first.tools, first.is_live) == ("one", [], True)
    assert (len(second.tools), second.is_live) == (1, False)
    assert w.watcher.live == [first]


def test_an_ended_agent_says_nothing_more(w: Watched) -> None:
    one = ChildEvents()
    w.take(*one.spawned(), *one.call(1), *one.finished("cancelled", ""))
    record = w.watcher.records[one.call_id]
    late = [*one.call(2), *one.called(1), *one.wrote("late"), *one.asks(1), *one.used(9), *one.has("running")]
    assert w.take(*late, *one.finished()) == []
    assert (record.status, len(record.tools), record.tail, record.prompts) == ("cancelled", 1, "", [])
    # What it was at when it was ended did not come to an end of its own.
    assert record.tools[0].state == "interrupted"


def test_what_is_kept_of_its_words_is_bounded_and_the_newest(w: Watched) -> None:
    one = ChildEvents()
    w.take(*one.spawned())
    record = w.watcher.records[one.call_id]
    for number in range(5_000):
        w.take(*one.wrote(f"word {number} "))
        assert len(record.tail) <= TAIL_CHARACTERS
    assert record.tail.endswith("word 4999 ")
    w.take(*one.wrote("x" * 100_000))
    assert len(record.tail) <= TAIL_CHARACTERS


def test_a_new_answer_begins_anew_but_the_old_one_stays_until_then(w: Watched) -> None:
    one = ChildEvents()
    w.take(*one.spawned(), *one.wrote("first"), *one.requested())
    record = w.watcher.records[one.call_id]
    assert record.tail == "first"
    w.take(*one.wrote("second"))
    assert record.tail == "second"


def test_unknown_prices_stay_unknown(w: Watched) -> None:
    one = ChildEvents()
    w.take(*one.spawned(), *one.used(5, None), *one.used(5, 0.1))
    assert w.watcher.records[one.call_id].cost is None


@pytest.mark.parametrize("hostile", HOSTILE)
def test_all_text_is_safe_and_bounded(w: Watched, hostile: str) -> None:
    one = ChildEvents(name=hostile, label=hostile)
    w.take(*one.spawned(instructions=f"{hostile} {KEY}"), *one.call(1, hostile), *one.called(1, hostile, hostile))
    w.take(*one.wrote(hostile), *one.finished("failed", hostile, warning=hostile, error=f"{hostile} {KEY}"))
    record = w.watcher.records[one.call_id]
    for text in (record.name, record.label, record.tools[0].title, record.tools[0].summary):
        assert is_safe(text)
    assert len(record.tools[0].title) <= LINE_CHARACTERS
    for text in (record.instructions, record.answer, record.warning, record.error):
        assert is_safe(text.replace("\n", "").replace("\t", ""))
        assert KEY not in text


def test_the_session_is_gone(w: Watched) -> None:
    one = ChildEvents()
    w.take(*one.spawned())
    w.now += 7
    assert [record.status for record in w.watcher.end_all()] == ["interrupted"]
    assert w.watcher.records[one.call_id].elapsed(1000) == 7
    assert w.watcher.end_all() == []


# The blocks


def test_a_block_stands_where_the_call_stood() -> None:
    b = Bridged()
    one, two = ChildEvents(1), ChildEvents(2)
    b.take(one.spawned()[0], two.spawned()[0])
    b.take(*two.spawned()[1:], *one.spawned()[1:])
    assert [block.id for block in b.transcript.blocks] == ["spawn-1", "spawn-2"]
    assert all(isinstance(block, AgentBlock) for block in b.transcript.blocks)
    assert b.state.running_agents == 2


def test_a_nested_one_stands_behind_and_names_its_parent() -> None:
    b = Bridged()
    one = ChildEvents(1)
    b.take(*one.spawned())
    two = ChildEvents(2, parent=one.origin)
    b.take(*two.spawned())
    assert [block.id for block in b.transcript.blocks] == ["spawn-1", "spawn-2"]
    assert b.block(1).parent_name == "explore-1"
    # In its parent it is a call like others.
    assert [line.id for line in b.block().record.tools] == ["spawn-2"]


def test_those_that_wait_for_a_place_are_counted_apart() -> None:
    b = Bridged()
    one, two = ChildEvents(1), ChildEvents(2)
    b.take(*one.spawned(), *two.spawned("queued"))
    assert (b.state.running_agents, b.state.queued_agents) == (1, 1)
    b.take(*two.has("running"))
    assert (b.state.running_agents, b.state.queued_agents) == (2, 0)
    b.take(*one.finished(), *two.finished())
    assert (b.state.running_agents, b.state.queued_agents) == (0, 0)


def test_prompts_are_counted_as_long_as_they_wait() -> None:
    b = Bridged()
    one, two = ChildEvents(1), ChildEvents(2)
    b.take(*one.spawned(), *two.spawned(), *one.call(1), *two.call(1), *one.asks(1), *two.asks(1))
    assert b.state.waiting_prompts == 2
    b.take(*one.resolved(1), *one.resolved(1))
    assert b.state.waiting_prompts == 1
    # One that ends takes its prompts along, and what comes late counts no more.
    b.take(*two.finished(), *two.resolved(1))
    assert b.state.waiting_prompts == 0


def test_what_they_use_counts_but_not_for_the_context() -> None:
    b = Bridged()
    one = ChildEvents()
    b.take(*one.spawned(), *one.used(100, 0.5))
    assert (b.state.usage.total, b.state.cost, b.state.context_tokens) == (100, 0.5, 0)
    b.take(*one.used(1, None))
    assert b.state.cost is None


def test_what_touches_neither_the_todo_list_nor_the_turn_of_the_person() -> None:
    b = Bridged()
    one = ChildEvents()
    b.take(*one.spawned(), PromptFinished(one.origin, "p", "completed", "a", 1, 1.0))
    assert (b.state.todo, b.state.working_since, b.block().record.is_live) == ((), None, True)


def test_a_compaction_is_a_line_but_no_tool_call(w: Watched) -> None:
    one = ChildEvents()
    w.take(*one.spawned(), *one.call(1), *one.called(1))
    record = w.watcher.records[one.call_id]
    (change,) = w.take(CompactionStarted(one.origin, "nearly_full", 9_000))
    assert (change.news, change.line) == ("new line", 1)
    assert (record.tools[1].state, record.tools[1].title) == ("running", "Compacting the conversation")
    (change,) = w.take(Compacted(one.origin, "nearly_full", 9_000, 1_200, ("a summary",), "So.", ()))
    assert (change.news, change.line) == ("line", 1)
    assert (record.tools[1].state, record.tools[1].summary) == ("success", "9.0k → 1.2k tok")
    w.take(CompactionStarted(one.origin, "too_long", 9_000), CompactionFailed(one.origin, f"No: {KEY}."))
    assert (record.tools[2].state, KEY in record.tools[2].summary) == ("error", False)
    w.take(CompactionStarted(one.origin, "too_long", 9_000), CompactionFailed(one.origin, None))
    assert (record.tools[3].state, record.tools[3].summary) == ("interrupted", "interrupted")
    assert (len(record.tools), record.tool_count) == (4, 1)


def test_a_notice_names_who_it_is_about() -> None:
    b = Bridged()
    one = ChildEvents()
    b.take(*one.spawned(), Notice(one.origin, "warning", "mind"))
    assert isinstance(b.transcript.blocks[-1], NoticeBlock)
    assert b.transcript.blocks[-1].text == "explore-1: mind"


def test_only_what_has_changed_is_drawn_again() -> None:
    b = Bridged()
    one = ChildEvents()
    b.take(*one.spawned(), *(event for number in range(20) for event in (*one.call(number), *one.called(number))))
    block = b.block()

    def stamps() -> list[int]:
        return [block.part_stamp(part) for part in range(block.part_count)]

    before = stamps()
    assert len(set(before)) == len(before)
    b.take(*one.wrote("word"))
    after = stamps()
    assert [block.part(part)[0] for part in range(block.part_count) if before[part] != after[part]] == ["tail"]
    before = stamps()
    b.take(*one.called(18, "Read again"))
    after = stamps()
    changed = [block.part(part) for part in range(block.part_count) if before[part] != after[part]]
    assert changed == [("header", 0), ("lines", 2)]


def test_parts_are_never_taken_for_each_other() -> None:
    """Their places shift as others come in before them."""
    b = Bridged()
    one = ChildEvents()
    seen: dict[int, tuple[str, int]] = {}
    events = [*one.spawned(), *one.wrote("a"), *(event for number in range(30) for event in one.call(number))]
    for event in [*events, *one.finished(answer="# A\n\nb\n\nc")]:
        b.take(event)
        if not isinstance(b.transcript.blocks[0], AgentBlock):
            continue
        block = b.block()
        block.is_expanded = True
        for part in range(block.part_count):
            stamp = block.part_stamp(part)
            if stamp >= 0:
                assert seen.setdefault(stamp, block.part(part)) == block.part(part)


def test_a_copy_is_what_it_found() -> None:
    b = Bridged()
    one = ChildEvents()
    b.take(*one.spawned(), *one.call(1))
    assert copied_text(b.block()) == "explore-1  Find the code\nReading a.py"
    b.take(*one.finished())
    assert copied_text(b.block()) == "It is in **a.py**."


def test_earlier_calls_are_counted_and_shown_when_wanted() -> None:
    b = Bridged()
    one = ChildEvents()
    b.take(*one.spawned(), *(event for number in range(20) for event in one.call(number)))
    block = b.block()
    shown = [line.id for chunk in range(3) for line in block.lines_of(chunk)]
    assert shown == [f"spawn-1-{number}" for number in range(12, 20)]
    assert block.targets == ["instructions", "earlier", *shown]
    block.toggle_target("earlier")
    assert len([line for chunk in range(3) for line in block.lines_of(chunk)]) == 20
    block.toggle_target("earlier")
    assert block.first_line == 12


def test_spawned_without_a_call_is_nobody(w: Watched) -> None:
    assert w.take(AgentSpawned(MAIN, "l", "i", "read_only", None, "m", 1)) == []
    assert w.watcher.name_of("nobody") == ""
