"""What a screen reads of a past: its last part first, with what sub-agents did in its place."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from code_assistant.events import MAIN, AgentFinished, AgentSpawned, Notice, PromptStarted, TextDelta
from code_assistant.session.past import Past
from tests.unit.session.runs import Turn, Writer, a_store, run_events

RUN = ((Turn(2, 1, 2), Turn(1)), (Turn(1), Turn(2)), (Turn(1),))
EVENTS = list(run_events(RUN))


async def a_past(tmp_path: Path) -> Past:
    store = a_store(tmp_path)
    writer = Writer(store.new(tmp_path, None))
    for event in EVENTS:
        writer.write(event)
    writer.close()
    return store.read(writer.files.header.id)


async def test_parts_from_the_end_to_the_beginning_are_the_whole(tmp_path: Path) -> None:
    past = await a_past(tmp_path)
    for count in (1, 2, 3, 100):
        end, parts = len(past.segments), list[list[object]]()
        while end:
            part = past.part(end, count)
            assert end - part.first <= count
            parts.insert(0, [entry.event for entry in part.entries])
            end = part.first
        found = [event for part in parts for event in part]
        of_main = [event for event in EVENTS if event.origin == MAIN or isinstance(event, AgentSpawned | AgentFinished)]
        # A piece of text is where its text is; of children none is shown.
        assert [each for each in found if each in of_main] == joined(of_main)
        inner = [each for each in EVENTS if each.origin != MAIN and not isinstance(each, TextDelta)]
        assert sorted(map(repr, inner)) == sorted(repr(each) for each in found if getattr(each, "origin", MAIN) != MAIN)


def joined(events: Sequence[object]) -> list[object]:
    """Pieces that came together are one line, and so none of these events."""
    pieces = [each for each in events if isinstance(each, TextDelta)]
    alone = [each for each in pieces if _neighbours(events, each) == 0]
    return [each for each in events if not isinstance(each, TextDelta) or each in alone]


def _neighbours(events: Sequence[object], piece: object) -> int:
    at = events.index(piece)
    return sum(isinstance(each, TextDelta) for each in events[max(at - 1, 0) : at + 2]) - 1


async def test_what_a_child_did_stands_right_behind_its_beginning(tmp_path: Path) -> None:
    past = await a_past(tmp_path)
    entries = [entry.event for entry in past.part(len(past.segments), 100).entries]
    for at, event in enumerate(entries):
        if isinstance(event, AgentSpawned):
            assert entries[at + 1].origin == event.origin
    assert sum(isinstance(event, AgentFinished) for event in entries) == 2


async def test_what_a_child_tells_the_person_is_told_once(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    writer = Writer(store.new(tmp_path, None))
    for event in EVENTS:
        if isinstance(event, AgentFinished):
            writer.write(Notice(event.origin, "warning", "Nearly full."))
        writer.write(event)
    writer.close()
    past = store.read(writer.files.header.id)
    entries = [entry.event for entry in past.part(len(past.segments), 100).entries]
    assert sum(isinstance(event, Notice) for event in entries) == 2
    # In the agent's own file it stays.
    for event in entries:
        if isinstance(event, AgentFinished):
            own = past.agent_entries(event.origin.tool_call_id or "")
            assert sum(isinstance(entry.event, Notice) for entry in own) == 1


async def test_the_last_prompt_and_all_prompts(tmp_path: Path) -> None:
    past = await a_past(tmp_path)
    assert past.prompts == ["p1", "p2", "p3"]
    first = past.last_prompt()[0].event
    assert isinstance(first, PromptStarted)
    assert first.prompt_id == "p3"


async def test_of_an_agent_without_a_file_there_is_nothing(tmp_path: Path) -> None:
    past = await a_past(tmp_path)
    assert past.agent_entries("unheard") == []
    past.folder.agent_file("torn").write_bytes(b'{"type":"AgentHe')
    assert past.agent_entries("torn") == []


async def test_safe_k2_a_link_in_the_place_of_an_agents_file_is_not_followed(tmp_path: Path) -> None:
    past = await a_past(tmp_path)
    path = past.folder.agent_files()[0]
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert past.agent_entries(path.stem) == []
    assert path not in past.folder.agent_files()
