"""Going on with a session that was cut off anywhere: it opens, its history is valid, and what was finished is in it."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from code_assistant.agent.history import validate
from code_assistant.events import (
    MAIN,
    AgentFinished,
    AgentSpawned,
    Compacted,
    Event,
    ModelChanged,
    Notice,
    PromptFinished,
    Rewound,
    TextDelta,
    TodoChanged,
    TodoItem,
    ToolFinished,
    ToolStarted,
)
from code_assistant.messages import Block, Message, Text, ToolResult
from code_assistant.resuming.conversation import messages_of
from code_assistant.resuming.interrupted_agents import DIED_ERROR, MOST_CHARACTERS, spawn_result
from code_assistant.resuming.reopening import DAMAGED_WORDS, TORN_WORDS, Reopened, reopen
from code_assistant.session.files import UNKEPT_WORDS
from code_assistant.session.folder import SessionFolder
from code_assistant.session.lock import SessionInUse
from code_assistant.session.store import SessionStore
from tests.unit.session.runs import MODEL, RUNS, USED, Turn, Writer, a_store, child_origin, run_events

SPAWNING = ((Turn(2, 1, 2), Turn(1)), (Turn(1),))
QUICK = settings(
    max_examples=40,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@dataclass(frozen=True)
class Moment:
    """How long each file was when some of the events were written."""

    events: int
    sizes: dict[Path, int]


def written(store: SessionStore, events: Sequence[Event]) -> tuple[SessionFolder, list[Moment]]:
    """A session with all these events, and every moment of its writing."""

    async def write() -> tuple[SessionFolder, list[Moment]]:
        # A loop must run: pieces of text wait for a moment there.
        writer = Writer(store.new(Path("/work"), None))
        moments = [Moment(0, {})]
        for number, event in enumerate(events, 1):
            writer.write(event)
            moments.append(Moment(number, writer.sizes()))
        writer.close()
        return writer.files.folder, [*moments, Moment(len(events), writer.sizes())]

    return asyncio.run(write())


def cut_back(folder: SessionFolder, sizes: dict[Path, int]) -> None:
    for path in (folder.main_file, *folder.agent_files()):
        if path in sizes:
            os.truncate(path, sizes[path])
        else:
            path.unlink()


def blocks(messages: Iterable[Message]) -> list[Block]:
    return [block for message in messages for block in message.content]


def results(reopened: Reopened) -> dict[str, ToolResult]:
    return {block.tool_call_id: block for block in blocks(reopened.messages()) if isinstance(block, ToolResult)}


def check_reopened(store: SessionStore, folder: SessionFolder, before: Sequence[Event]) -> Reopened:
    """What holds wherever the files were cut: `before` is what had been written by then."""
    reopened = reopen(store, folder.path.name)
    messages = reopened.messages()
    if messages:
        validate(messages)
    finished = blocks(messages_of(event for event in before if event.origin == MAIN))
    assert blocks(messages)[: len(finished)] == finished
    given = results(reopened)
    last_calls = {event.tool_call_id for event in before if isinstance(event, ToolStarted)}
    for event in before:
        if isinstance(event, AgentFinished) and event.origin.tool_call_id in last_calls:
            assert given[event.origin.tool_call_id or ""].content == (Text(event.answer),)
        if isinstance(event, ToolFinished) and event.origin == MAIN and event.result is not None:
            assert given[event.tool_call_id] == event.result
    ends = {
        entry.event.origin.tool_call_id: entry.event.status
        for entry in reopened.past.entries(reopened.past.segments)
        if isinstance(entry.event, AgentFinished)
    }
    spawned = {event.origin.tool_call_id for event in before if isinstance(event, AgentSpawned)}
    ended = {event.origin.tool_call_id for event in before if isinstance(event, AgentFinished)}
    assert ends == {call_id: "completed" if call_id in ended else "interrupted" for call_id in spawned}
    reopened.files.close()
    return reopened


def _part_of(length: int, part: float) -> int:
    """Never all of a line, nor all but its end, which would be put back."""
    return min(int(part * length), max(length - 2, 0))


def check_cut(store: SessionStore, events: Sequence[Event], number: float, part: float) -> None:
    """Cut between two moments, in the middle of whatever was being written then."""
    folder, moments = written(store, events)
    place = int(number * (len(moments) - 2))
    moment, following = moments[place], moments[place + 1]
    sizes = {
        path: begun + _part_of(size - begun, part)
        for path, size in following.sizes.items()
        for begun in (moment.sizes.get(path, 0),)
    }
    if folder.main_file not in sizes:
        return
    cut_back(folder, sizes)
    if not sizes[folder.main_file]:
        return
    check_reopened(store, folder, events[: moment.events])
    after = [path.read_bytes() for path in (folder.main_file, *folder.agent_files())]
    # A second time there is nothing left to be ended.
    reopen(store, folder.path.name).files.close()
    assert [path.read_bytes() for path in (folder.main_file, *folder.agent_files())] == after


@QUICK
@given(RUNS, st.floats(0, 1), st.floats(0, 1))
def test_safe_r2_whatever_the_moment_of_the_kill_what_was_finished_is_there(
    run: list[list[Turn]], number: float, part: float
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        check_cut(a_store(Path(folder)), list(run_events(run)), number, part)


@pytest.mark.soak
@pytest.mark.timeout(1800)
@settings(max_examples=3000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(RUNS, st.floats(0, 1), st.floats(0, 1))
def test_soak_cuts_anywhere(run: list[list[Turn]], number: float, part: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        check_cut(a_store(Path(folder)), list(run_events(run)), number, part)


def test_safe_r2_a_kill_after_every_single_event(tmp_path: Path) -> None:
    events = list(run_events(SPAWNING))
    for number in range(len(events)):
        store = a_store(tmp_path / str(number))
        folder, moments = written(store, events)
        sizes = moments[number + 1].sizes
        if folder.main_file in sizes:
            cut_back(folder, sizes)
            # What is being gathered of a text is all that may be lost.
            kept = [event for event in events[: number + 1] if not isinstance(event, TextDelta)]
            check_reopened(store, folder, kept)


@QUICK
@given(st.data())
def test_files_that_are_cut_anywhere_each_for_itself_open_with_a_valid_history(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as place:
        store = a_store(Path(place))
        folder, moments = written(store, list(run_events(SPAWNING)))
        sizes = {path: data.draw(st.integers(0, size)) for path, size in moments[-1].sizes.items()}
        sizes[folder.main_file] = max(sizes[folder.main_file], 1)
        cut_back(folder, sizes)
        reopened = reopen(store, folder.path.name)
        if messages := reopened.messages():
            validate(messages)
        reopened.files.close()


@QUICK
@given(st.data())
def test_files_with_any_bytes_in_them_open_with_a_valid_history(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as place:
        store = a_store(Path(place))
        folder, _ = written(store, list(run_events(SPAWNING)))
        for path in (folder.main_file, *folder.agent_files()):
            whole = bytearray(path.read_bytes())
            at = data.draw(st.integers(0, len(whole)))
            whole[at : at + data.draw(st.integers(0, 200))] = data.draw(st.binary(max_size=50))
            path.write_bytes(whole)
        if not folder.main_file.stat().st_size:
            return
        reopened = reopen(store, folder.path.name)
        if messages := reopened.messages():
            validate(messages)
        assert all(isinstance(notice, str) for notice in reopened.notices)
        reopened.files.close()


def test_sub_b4_after_reload_the_file_of_a_child_says_all_of_it(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    folder, _ = written(store, list(run_events(SPAWNING)))
    reopened = reopen(store, folder.path.name)
    spawned = [e.event for e in reopened.past.entries(reopened.past.segments) if isinstance(e.event, AgentSpawned)]
    assert len(spawned) == 2
    for each in spawned:
        call_id = each.origin.tool_call_id or ""
        events = [entry.event for entry in reopened.past.agent_entries(call_id)]
        assert [event.title for event in events if isinstance(event, ToolStarted)] == [
            event.display.title + f" {event.tool_call_id}" for event in events if isinstance(event, ToolFinished)
        ]
        (finished,) = [event for event in events if isinstance(event, AgentFinished)]
        assert (finished.status, finished.answer) == ("completed", f"found {call_id}")
    own = folder.main_file.read_bytes()
    for each in spawned:
        # Of the transcript of a child nothing stands in its parent's file, of its task and end all.
        assert f"{each.origin.tool_call_id}-0".encode() not in own
    assert own.count(b'"type":"AgentSpawned"') == own.count(b'"type":"AgentFinished"') == 2
    reopened.files.close()


def cut_after(events: Sequence[Event], moments: Sequence[Moment], last: Event) -> dict[Path, int]:
    return moments[events.index(last) + 1].sizes


def test_sub_b4_children_stay_what_they_were_and_are_not_started_again(tmp_path: Path) -> None:
    """One was cancelled, one failed, one was at work: after a reload the first two are so still."""
    cancelled = AgentFinished(child_origin("c1"), "cancelled", "", 0, 0, USED, None, 1.0, None, "Cancelled by user.")
    failed = AgentFinished(child_origin("c2"), "failed", "half", 1, 0, USED, None, 1.0, None, "It broke.")
    begin = list(run_events([[Turn(1)]]))[:1]
    spawns = [AgentSpawned(child_origin(each), each, "look", "default", None, MODEL, 3) for each in ("c1", "c2", "c3")]
    events: list[Event] = [
        *begin,
        *spawns,
        cancelled,
        failed,
        TextDelta(child_origin("c3"), "So far "),
        ModelChanged(child_origin("c3"), "m", 1),
    ]
    store = a_store(tmp_path)
    folder, _ = written(store, events)
    for _ in range(2):
        reopened = reopen(store, folder.path.name)
        ends = {
            entry.event.origin.tool_call_id: (entry.event.status, entry.event.answer, entry.event.error)
            for entry in reopened.past.entries(reopened.past.segments)
            if isinstance(entry.event, AgentFinished)
        }
        assert ends == {
            "c1": ("cancelled", "", "Cancelled by user."),
            "c2": ("failed", "half", "It broke."),
            "c3": ("interrupted", "", DIED_ERROR),
        }
        reopened.files.close()


def test_an_interrupted_child_keeps_what_it_had_found_and_its_tools_have_ended(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    events = list(run_events(SPAWNING))
    folder, moments = written(store, events)
    child = next(event.origin for event in events if isinstance(event, AgentSpawned))
    running = next(event for event in events if isinstance(event, ToolStarted) and event.origin == child)
    cut_back(folder, cut_after(events, moments, running))
    reopened = reopen(store, folder.path.name)
    own = [entry.event for entry in reopened.past.agent_entries(child.tool_call_id or "")]
    assert [event.status for event in own if isinstance(event, ToolFinished)] == ["interrupted"]
    assert [event.outcome for event in own if isinstance(event, PromptFinished)] == ["interrupted"]
    finished = own[-1]
    assert isinstance(finished, AgentFinished)
    found = f"{child.tool_call_id}-0.1.0 {child.tool_call_id}-0.1.1 "
    assert (finished.status, finished.answer, finished.tool_calls) == ("interrupted", found, 1)
    result = results(reopened)[child.tool_call_id or ""]
    assert found.strip() in "".join(part.text for part in result.content if isinstance(part, Text))
    assert result.is_error
    reopened.files.close()


def test_a_child_that_ended_before_the_session_heard_of_it_has_ended_so(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    events = list(run_events(SPAWNING))
    folder, moments = written(store, events)
    finished = next(event for event in events if isinstance(event, AgentFinished))
    sizes = dict(cut_after(events, moments, finished))
    sizes[folder.main_file] = moments[events.index(finished)].sizes[folder.main_file]
    cut_back(folder, sizes)
    reopened = check_reopened(store, folder, events[: events.index(finished) + 1])
    own = reopened.past.agent_entries(finished.origin.tool_call_id or "")
    assert [entry.event for entry in own if isinstance(entry.event, AgentFinished)] == [finished]


def test_a_huge_answer_of_a_child_is_cut_for_its_parent() -> None:
    finished = next(event for event in run_events(SPAWNING) if isinstance(event, AgentFinished))
    result = spawn_result(replace(finished, status="completed", answer="x" * (MOST_CHARACTERS + 5)))
    (part,) = result.content
    assert isinstance(part, Text)
    assert part.text.startswith("x" * MOST_CHARACTERS + "\n\n[Cut here: 80,005 characters in all.")


@pytest.mark.parametrize("length", [0, 1, 40])
def test_a_child_whose_file_was_only_just_begun(tmp_path: Path, length: int) -> None:
    store = a_store(tmp_path)
    events = list(run_events(SPAWNING))
    folder, moments = written(store, events)
    spawned = next(event for event in events if isinstance(event, AgentSpawned))
    sizes = dict(cut_after(events, moments, spawned))
    path = folder.agent_file(spawned.origin.tool_call_id or "")
    sizes[path] = length
    cut_back(folder, sizes)
    reopened = check_reopened(store, folder, events[: events.index(spawned) + 1])
    last = reopened.past.agent_entries(spawned.origin.tool_call_id or "")[-1].event
    assert isinstance(last, AgentFinished)
    assert last.origin == spawned.origin


def test_a_child_whose_header_is_lost_gets_it_from_the_session(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    folder, _ = written(store, list(run_events(SPAWNING)))
    path = folder.agent_files()[0]
    before = store.read(folder.path.name).agent_entries(path.stem)
    path.write_bytes(b"\xff\xfe broken\n" + path.read_bytes().split(b"\n", 1)[1])
    reopened = reopen(store, folder.path.name)
    assert reopened.past.agent_entries(path.stem) == before
    (repair,) = reopened.past.repairs
    assert reopened.notices == (DAMAGED_WORDS.format("1 damaged line was", repair.kept_at),)
    reopened.files.close()


def test_what_was_torn_or_cannot_be_read_is_said(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    folder, _ = written(store, list(run_events(SPAWNING)))
    whole = folder.main_file.read_bytes()
    folder.main_file.write_bytes(whole[:-5])
    torn = reopen(store, folder.path.name)
    assert torn.notices == (TORN_WORDS,)
    torn.files.close()
    folder.main_file.write_bytes(whole.replace(b'"role":"assistant"', b'"role":"assistent"', 1))
    spoilt = reopen(store, folder.path.name)
    validate(spoilt.messages())
    (words,) = spoilt.notices
    assert words.startswith("1 damaged line is passed over")
    spoilt.files.close()


def test_lines_that_stay_unreadable_are_told_until_the_session_says_so(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    folder, _ = written(store, list(run_events(SPAWNING)))
    whole = folder.main_file.read_bytes()
    folder.main_file.write_bytes(whole.replace(b'"role":"assistant"', b'"role":"assistent"', 1))
    told: list[str] = []
    for _ in range(3):
        reopened = reopen(store, folder.path.name)
        reopened.messages()
        for words in reopened.notices:
            told.append(words)
            # As a front end without a screen does.
            reopened.files.main.write(Notice(MAIN, "warning", words))
        reopened.files.close()
    assert len(told) == 1
    # One more is news.
    folder.main_file.write_bytes(folder.main_file.read_bytes().replace(b'"role":"assistant"', b'"role":"assistent"', 1))
    reopened = reopen(store, folder.path.name)
    reopened.messages()
    assert [words[:16] for words in reopened.notices] == ["2 damaged lines "]
    reopened.files.close()


def test_a_whole_session_is_reopened_as_it_was_and_nothing_is_written(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    events = list(run_events(SPAWNING))
    folder, _ = written(store, events)
    before = folder.main_file.read_bytes()
    reopened = reopen(store, folder.path.name)
    assert reopened.messages() == messages_of(event for event in events if event.origin == MAIN)
    assert reopened.notices == ()
    with pytest.raises(SessionInUse):
        reopen(store, folder.path.name)
    reopened.files.close()
    assert folder.main_file.read_bytes() == before


def test_model_list_totals_and_ids_are_those_of_the_session(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    items = (TodoItem("a", "completed"), TodoItem("b", "pending"))
    compacted = Compacted(MAIN, "asked", 9, 1, (), "s", (Message("user", (Text("All so far."),)),))
    events = [
        *run_events(SPAWNING),
        TodoChanged(MAIN, items),
        TodoChanged(child_origin("elsewhere"), ()),
        ModelChanged(MAIN, "model-2", 1),
        compacted,
    ]
    folder, _ = written(store, events)
    reopened = reopen(store, folder.path.name)
    assert reopened.messages() == compacted.messages
    assert (reopened.model(), reopened.todo()) == ("model-2", items)
    agents = [event for event in events if isinstance(event, AgentFinished)]
    responses = [event for event in events if type(event).__name__ == "UsageAdded" and event.origin == MAIN]
    assert reopened.totals().usage.input == 10 * (len(agents) + len(responses))
    # Also what the conversation does not speak of any more.
    own = {event.tool_call_id for event in events if isinstance(event, ToolStarted) and event.origin == MAIN}
    assert own <= reopened.used_ids()
    reopened.files.close()


def test_an_id_too_long_for_a_file_name_is_a_used_one_all_the_same(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    call_id = "c" * 200
    begin = list(run_events([[Turn(1)]]))
    spawned = AgentSpawned(child_origin(call_id), "l", "look", "default", None, MODEL, 3)
    folder, _ = written(store, [*begin, spawned])
    reopened = reopen(store, folder.path.name)
    assert call_id in reopened.used_ids()
    reopened.files.close()


def test_a_prompt_that_was_rewound_is_not_in_the_conversation(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    events = list(run_events(SPAWNING))
    folder, _ = written(store, [*events, Rewound(MAIN, "p2")])
    reopened = reopen(store, folder.path.name)
    assert reopened.past.prompts == ["p1"]
    kept = events[: next(at for at, event in enumerate(events) if getattr(event, "prompt_id", "") == "p2")]
    assert reopened.messages() == messages_of(event for event in kept if event.origin == MAIN)
    reopened.files.close()


def test_where_no_end_can_be_written_the_conversation_is_there_and_the_person_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = a_store(tmp_path)
    events = list(run_events(SPAWNING))
    folder, moments = written(store, events)
    cut_back(folder, moments[len(events) // 2].sizes)

    def full(_descriptor: int, _data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        reopened = reopen(store, folder.path.name)
    validate(reopened.messages())
    assert reopened.notices[-1] == UNKEPT_WORDS.format("No space left on device")
    reopened.files.close()


def test_order_of_moments_is_that_of_writing(tmp_path: Path) -> None:
    """The tests above rely on it: files only grow, and a line for each event that is kept."""
    _, moments = written(a_store(tmp_path), list(run_events(SPAWNING)))
    for one, two in pairwise(moments):
        assert all(two.sizes[path] >= size for path, size in one.sizes.items())
