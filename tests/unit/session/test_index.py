"""The index says what a look at all sessions would say, whatever happened to them or to it."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from code_assistant.events import MAIN, PromptStarted
from code_assistant.messages import Message, Text
from code_assistant.session import index
from code_assistant.session.index import FILE_NAME
from code_assistant.session.store import SessionStore
from code_assistant.session.summary import SessionSummary
from code_assistant.session.view_state import SessionRenamed
from tests.unit.session.runs import a_store

SPOILT = [b"", b"[]", b"{", b"\xff", b'{"known":[{}]}', b'{"known":0}']
CHANGES = st.lists(
    st.tuples(
        st.sampled_from(["new", "write", "rename", "delete", "fork", "tear", "list", "spoil index", "remove index"]),
        st.integers(0, 5),
    ),
    max_size=15,
)


def change(store: SessionStore, kind: str, number: int) -> None:
    sessions = sorted(path.name for path in store.folder.glob("*-*")) if store.folder.is_dir() else []
    if kind == "new" or not sessions:
        files = store.new(Path(f"/code/{number}"), None)
        files.main.write(PromptStarted(MAIN, "p", Message("user", (Text(f"prompt {number}"),))))
        files.close()
        return
    chosen = sessions[number % len(sessions)]
    match kind:
        case "write" | "rename":
            files, _ = store.open(chosen)
            if kind == "write":
                files.main.write(PromptStarted(MAIN, f"q{number}", Message("user", (Text("more"),))))
            else:
                files.view.write(SessionRenamed(f"title {number} \ud800"))
            files.close()
        case "delete":
            shutil.rmtree(store.folder / chosen)
        case "fork":
            store.fork(chosen)
        case "tear":
            path = store.folder / chosen / "session.jsonl"
            os.truncate(path, path.stat().st_size - number)
        case "spoil index":
            (store.folder / FILE_NAME).write_bytes(
                [b"", b"[]", b"{", b"\xff", b'{"known":[{}]}', b'{"known":0}'][number]
            )
        case "remove index":
            (store.folder / FILE_NAME).unlink(missing_ok=True)
        case _:
            store.list()


def fresh(store: SessionStore) -> set[SessionSummary]:
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / "sessions"
        shutil.copytree(store.folder, copy, ignore=shutil.ignore_patterns(FILE_NAME))
        return set(index.list_sessions(copy))


@settings(max_examples=60, deadline=None)
@given(CHANGES)
def test_the_index_equals_a_fresh_look_after_any_changes(changes: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as place:
        store = a_store(Path(place))
        for kind, number in [("new", 0), *changes]:
            change(store, kind, number)
        assert set(store.list()) == fresh(store)
        assert store.list() == store.list()


def test_only_what_changed_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = a_store(tmp_path)
    for number in range(5):
        change(store, "new", number)
    read: list[str] = []
    really = index.summarise

    def counted(folder: index.SessionFolder) -> SessionSummary | None:
        read.append(folder.path.name)
        return really(folder)

    monkeypatch.setattr(index, "summarise", counted)
    store.list()
    assert len(read) == 5
    store.list()
    assert len(read) == 5
    change(store, "write", 2)
    store.list()
    assert len(read) == 6


def test_a_disk_that_takes_no_index_gives_a_list_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = a_store(tmp_path)
    change(store, "new", 0)

    def refused(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refused)
    assert len(store.list()) == 1
    assert [path.name for path in store.folder.iterdir() if path.is_file()] == []


def test_an_index_of_an_earlier_version_is_made_anew(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    change(store, "new", 0)
    change(store, "fork", 0)
    listed = set(store.list())
    path = store.folder / FILE_NAME
    old = json.loads(path.read_bytes())
    for each in old["known"]:
        del each["summary"]["is_copy"]
    path.write_text(json.dumps(old))
    assert set(store.list()) == listed
    assert json.loads(path.read_bytes()) != old


@pytest.mark.parametrize("kind", ["pipe", "link"])
def test_what_is_no_file_in_the_place_of_the_index_is_replaced(tmp_path: Path, kind: str) -> None:
    store = a_store(tmp_path)
    change(store, "new", 0)
    listed, path, other = store.list(), store.folder / FILE_NAME, tmp_path / "other"
    path.rename(other)
    known = json.loads(other.read_bytes())
    known["known"][0]["summary"]["title"] = "of somebody else"
    other.write_text(json.dumps(known))
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(other)
    assert store.list() == listed
    assert path.is_file()
    assert not path.is_symlink()
    assert "of somebody else" in other.read_text()
