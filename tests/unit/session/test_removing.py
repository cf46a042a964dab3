"""Sessions that are removed: whole, never one that is open, and nothing of them is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_assistant.session.lock import SessionInUse
from code_assistant.session.store import DOOMED
from tests.unit.session.made import BEGUN, prompt, store_in, write_session

FAR_AWAY = BEGUN * 10


def test_one_that_is_held_stays(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    session_id = write_session(store, [prompt("go")])
    files, _ = store.open(session_id)
    with pytest.raises(SessionInUse):
        store.delete(session_id)
    assert store.prunable(FAR_AWAY) == []
    assert store.prune(FAR_AWAY) == []
    files.close()
    assert [each.id for each in store.prune(FAR_AWAY)] == [session_id]
    assert [path.name for path in store.folder.iterdir()] == ["index.json"]


def test_one_that_is_opened_in_the_last_moment_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the list and the deletion."""
    store = store_in(tmp_path)
    session_id = write_session(store, [prompt("go")])
    monkeypatch.setattr(store, "is_open", lambda _: False)
    files, _ = store.open(session_id)
    assert store.prune(FAR_AWAY) == []
    files.close()
    assert store.read(session_id).prompts == ["p1"]


def test_what_a_broken_deletion_left_goes_with_the_next(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    session_id = write_session(store, [prompt("go")])
    (store.folder / session_id).rename(store.folder / f"{DOOMED}{session_id}")
    assert store.list() == []
    assert store.prune(0) == []
    assert list(store.folder.glob(f"{DOOMED}*")) == []
