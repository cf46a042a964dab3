"""Sessions that are removed: whole, never one that is open, and nothing of them is left."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from code_assistant.errors import WorkspaceError
from code_assistant.session.folder import SessionFolder
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


def test_one_that_somebody_else_removes_in_the_last_moment_keeps_none_of_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = store_in(tmp_path)
    ids = [write_session(store, [prompt("go")]) for _ in range(3)]
    listed = store.prunable(FAR_AWAY)
    monkeypatch.setattr(store, "prunable", lambda _: listed)
    existing = store._existing

    def found_and_gone(session_id: str) -> SessionFolder:
        folder = existing(session_id)
        if session_id == listed[1].id:
            shutil.rmtree(folder.path)
        return folder

    monkeypatch.setattr(store, "_existing", found_and_gone)
    shutil.rmtree(store.folder / listed[0].id)
    assert [each.id for each in store.prune(FAR_AWAY)] == [listed[2].id]
    assert not any((store.folder / each).exists() for each in ids)


def test_one_that_cannot_be_removed_is_told_after_all_others_are_gone(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    ids = [write_session(store, [prompt("go")]) for _ in range(3)]
    stays = store.list()[0].id
    (store.folder / stays / "checkpoints").symlink_to(tmp_path)
    with pytest.raises(WorkspaceError, match="checkpoints is a symlink"):
        store.prune(FAR_AWAY)
    assert [each for each in ids if (store.folder / each).exists()] == [stays]


def test_what_a_broken_deletion_left_goes_with_the_next(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    session_id = write_session(store, [prompt("go")])
    (store.folder / session_id).rename(store.folder / f"{DOOMED}{session_id}")
    assert store.list() == []
    assert store.prune(0) == []
    assert list(store.folder.glob(f"{DOOMED}*")) == []
