"""A session of format 1 is brought to format 2 when it is opened, and what it was is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from code_assistant.errors import WorkspaceError
from code_assistant.event_json import event_object
from code_assistant.events import AgentFinished, AgentSpawned
from code_assistant.json_forms import value_object
from code_assistant.session import repair
from code_assistant.session.folder import SessionFolder
from code_assistant.session.header import FORMAT, AgentHeader, Header, SessionHeader
from code_assistant.session.past import Past
from code_assistant.session.store import SessionStore
from tests.unit.session.runs import Turn, a_store, child_origin, run_events

SESSION = "11111111-2222-4333-8444-555555555555"
RUN = ((Turn(1, 1, 1), Turn(1)), (Turn(1),))
EVENTS = list(run_events(RUN))
OF_MAIN = [each for each in EVENTS if each.origin.depth == 1 or isinstance(each, AgentSpawned | AgentFinished)]


def old_file(path: Path, header: Header, lines: list[dict[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    written = [value_object(Header, header), *lines]
    path.write_text("".join(json.dumps(each, separators=(",", ":")) + "\n" for each in written))


def old_session(store: SessionStore) -> SessionFolder:
    """As format 1 had it: every line with its origin, none with its time."""
    folder = SessionFolder(store.folder / SESSION)
    old_file(
        folder.main_file, SessionHeader(1, SESSION, 77.5, "/work", "0.1"), [event_object(each) for each in OF_MAIN]
    )
    child = next(each.origin for each in EVENTS if each.origin.depth == 2)
    own = [event_object(each) for each in EVENTS if each.origin == child]
    old_file(folder.agent_file(child.tool_call_id or ""), AgentHeader(1, SESSION, 78.5, child), own)
    return folder


def check_today(store: SessionStore, session_id: str) -> Past:
    files, past = store.open(session_id)
    files.close()
    assert past.header.version == FORMAT
    kept = [entry.event for entry in past.entries(past.segments)]
    assert kept == OF_MAIN
    assert {entry.at for entry in past.entries(past.segments)} == {77.5} or session_id != SESSION
    (agent,) = past.folder.agent_files()
    entries = past.agent_entries(agent.stem, with_pieces=True)
    assert [entry.event for entry in entries] == [each for each in EVENTS if each.origin == child_origin(agent.stem)]
    assert past.prompts == ["p1", "p2"]
    assert past.repairs == ()
    return past


def test_an_old_session_opens_as_if_it_were_of_today(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    folder = old_session(store)
    before = folder.main_file.read_bytes()
    assert [each.id for each in store.list()] == [SESSION]
    check_today(store, SESSION)
    (kept,) = folder.path.glob("session.*.kept")
    assert kept.read_bytes() == before
    # The second time there is nothing to do.
    check_today(store, SESSION)
    assert len(list(folder.path.rglob("*.kept"))) == 2


def test_a_copy_of_an_old_session_is_brought_up_when_it_is_opened(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    old_session(store)
    check_today(store, store.fork(SESSION))


def test_a_migration_that_was_cut_off_is_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = a_store(tmp_path)
    old_session(store)
    really = repair._rewrite

    def full(path: Path, lines: list[bytes]) -> None:
        if path.parent.name == "agents":
            raise OSError(28, "No space left on device")
        really(path, lines)

    with monkeypatch.context() as patch:
        patch.setattr(repair, "_rewrite", full)
        with pytest.raises(WorkspaceError, match="cannot be brought to today's format: No space left"):
            store.open(SESSION)
    check_today(store, SESSION)
