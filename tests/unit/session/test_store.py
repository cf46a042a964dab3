"""All sessions of a person: made, found, opened by one, copied, removed."""

from __future__ import annotations

import os
import shutil
import stat
from itertools import pairwise
from pathlib import Path

import pytest

from code_assistant.checkpoints.checkpoints import Checkpoints
from code_assistant.errors import WorkspaceError
from code_assistant.events import MAIN, GuidanceAdded, PromptStarted, Rewound
from code_assistant.messages import Message, Text
from code_assistant.secrets import Masker
from code_assistant.session.files import UNKEPT_WORDS, SessionFiles
from code_assistant.session.header import ForkPoint, SessionFormatError
from code_assistant.session.lock import SessionInUse, is_locked
from code_assistant.session.search import search
from code_assistant.session.store import SessionNotFound, SessionStore
from code_assistant.session.summary import DAMAGED, UNTITLED
from code_assistant.session.view_state import SessionRenamed
from tests.unit.checkpoints.support import anywhere, write
from tests.unit.session.runs import Turn, Writer, a_store, child_origin, run_events

WORK = Path("/work")
NOBODY = "00000000-0000-4000-8000-000000000000"


def asked(prompt_id: str, text: str = "hi") -> PromptStarted:
    return PromptStarted(MAIN, prompt_id, Message("user", (Text(text),)))


def said(store: SessionStore, text: str = "hi", folder: Path = WORK) -> str:
    files = store.new(folder, "main")
    files.main.write(asked("p1", text))
    files.close()
    return files.header.id


async def ran(store: SessionStore) -> SessionFiles:
    writer = Writer(store.new(WORK, None))
    for event in run_events([[Turn(1, 1, 1), Turn(1)], [Turn(1)]]):
        writer.write(event)
    writer.close()
    return writer.files


def test_safe_k2_everything_is_private_from_the_state_folder_down(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    before = os.umask(0)
    try:
        files = store.new(WORK, None)
        files.main.write(asked("p1"))
        agent = files.agent_file(child_origin("c1"))
        agent.write(GuidanceAdded(child_origin("c1"), "x"))
        agent.close()
        files.view.write(SessionRenamed("title"))
        files.close()
        store.list()
        store.fork(files.header.id)
    finally:
        os.umask(before)
    found = list((tmp_path / "state").rglob("*"))
    assert {path.name for path in found} >= {"session.jsonl", "view.jsonl", "lock", "agents", "c1.jsonl", "index.json"}
    for path in (tmp_path / "state", *found):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_a_session_in_which_nothing_was_said_leaves_nothing_behind(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    store.new(WORK, None).close()
    assert not (tmp_path / "state").exists()
    assert store.list() == []


def test_the_list_has_the_newest_first_with_their_first_words(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    first, second = said(store, "  Where is\nthe tax? "), said(store, "x" * 200, Path("/other"))
    for number, session_id in enumerate((first, second)):
        os.utime(store.folder / session_id / "session.jsonl", (1000 + number, 1000 + number))
    one, two = store.list()
    assert (one.id, one.title, one.folder, one.branch) == (second, "x" * 79 + "…", "/other", "main")
    assert (two.id, two.title, two.changed) == (first, "Where is the tax?", 1000)
    assert store.latest(WORK) == first
    assert store.latest(Path("/other")) == second
    with pytest.raises(SessionNotFound, match="No conversation was held in /none yet"):
        store.latest(Path("/none"))


def test_a_session_is_found_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    ids = sorted(said(store) for _ in range(20))
    for session_id in ids:
        assert store.find(session_id) == session_id
        assert store.find(session_id.upper()) == session_id
    for refused in (store.find, store.read):
        with pytest.raises(
            SessionNotFound, match=f"There is no session {NOBODY!r}. .* sessions list --all shows them all"
        ):
            refused(NOBODY)
    with pytest.raises(SessionNotFound, match="There is no session ''"):
        store.find("")
    # Among twenty there are two that begin alike.
    start = next(one[0] for one, two in pairwise(ids) if one[0] == two[0])
    with pytest.raises(SessionNotFound, match=f"sessions begin with {start!r}. Write more of the id."):
        store.find(start)


def test_safe_r11_a_session_is_open_once(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    session_id = said(store)
    files, past = store.open(session_id)
    for refused in (store.open, store.delete):
        with pytest.raises(SessionInUse, match=f"process {os.getpid()}"):
            refused(session_id)
    assert past.prompts == ["p1"]
    # Reading, listing and copying go on beside it.
    assert store.read(session_id).prompts == ["p1"]
    assert store.open(store.fork(session_id))[1].prompts == ["p1"]
    files.main.write(asked("p2"))
    files.close()
    assert not is_locked(files.folder.lock_file)
    files, past = store.open(session_id)
    assert past.prompts == ["p1", "p2"]
    files.close()


def test_where_mending_fails_the_lock_is_given_back(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    session_id = said(store)
    path = store.folder / session_id / "session.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"version":2', b'"version":7'))
    with pytest.raises(SessionFormatError, match="later version"):
        store.open(session_id)
    assert not is_locked(path.with_name("lock"))
    assert store.list() == []
    path.write_bytes(whole)
    store.open(session_id)[0].close()


@pytest.mark.parametrize("wrong", [NOBODY, "..", "../..", "x", "", "a/b"])
def test_what_is_no_session_cannot_be_opened(tmp_path: Path, wrong: str) -> None:
    store = a_store(tmp_path)
    said(store)
    for refused in (store.open, store.read, store.fork, store.delete):
        with pytest.raises(SessionNotFound):
            refused(wrong)


def test_a_session_that_was_never_begun_is_no_session(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    session_id = said(store)
    (store.folder / session_id / "session.jsonl").write_bytes(b"")
    assert store.list() == []
    with pytest.raises(SessionFormatError):
        store.open(session_id)


def test_a_session_that_lost_its_header_is_listed_and_mended(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    session_id = said(store)
    path = store.folder / session_id / "session.jsonl"
    path.write_bytes(b"\xff" + path.read_bytes())
    (listed,) = store.list()
    assert (listed.id, listed.title) == (session_id, DAMAGED)
    files, past = store.open(store.find(session_id[:8]))
    assert past.prompts == ["p1"]
    files.close()
    assert store.list()[0].title == "hi"


async def test_a_copy_has_all_and_the_original_stays(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    files = await ran(store)
    original = {path: path.read_bytes() for path in files.folder.path.rglob("*") if path.is_file()}
    copy_id = store.fork(files.header.id)
    copied, past = store.open(copy_id)
    source = store.read(files.header.id)
    assert list(past.conversation()) == list(source.conversation())
    assert past.header.forked_from == ForkPoint(files.header.id, None)
    (agent,) = source.folder.agent_files()
    assert past.agent_entries(agent.stem) == source.agent_entries(agent.stem) != []
    copied.main.write(asked("p3"))
    copied.close()
    assert {path: path.read_bytes() for path in original} == original


async def test_a_copy_up_to_a_prompt(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    files = await ran(store)
    past = store.read(store.fork(files.header.id, "p2"))
    assert past.prompts == ["p1"]
    assert past.header.forked_from == ForkPoint(files.header.id, "p2")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return tmp_path.resolve()


async def test_what_a_session_changed_can_be_taken_back_in_its_copy(tmp_path: Path, work: Path) -> None:
    store = a_store(tmp_path)
    files = await ran(store)
    checkpoints = Checkpoints(files.folder.checkpoints, is_inside=anywhere)
    for prompt in ("p1", "p2"):
        checkpoints.begin(prompt)
        write(checkpoints, work / prompt, b"new")
    whole, cut = (store.read(store.fork(files.header.id, before)) for before in (None, "p2"))
    assert Checkpoints(cut.folder.checkpoints, is_inside=anywhere).undo().changed == (work / "p1",)
    assert Checkpoints(whole.folder.checkpoints, is_inside=anywhere).undo().changed == (work / "p2",)


def test_a_copy_that_cannot_be_made_is_said_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = a_store(tmp_path)
    session_id = said(store)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("code_assistant.session.store._write_new", full)
    with pytest.raises(WorkspaceError, match="cannot be copied: No space left on device"):
        store.fork(session_id)
    assert [each.id for each in store.list()] == [session_id]


def test_old_sessions_are_removed_but_not_one_that_is_open(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    ids = [said(store) for _ in range(3)]
    for number, session_id in enumerate(ids):
        os.utime(store.folder / session_id / "session.jsonl", (1000 + number, 1000 + number))
    files, _ = store.open(ids[0])
    assert [each.id for each in store.prune(1002)] == [ids[1]]
    files.close()
    assert {each.id for each in store.list()} == {ids[0], ids[2]}


def copied_by_hand(store: SessionStore, session_id: str) -> None:
    shutil.copytree(store.folder / session_id, store.folder / NOBODY)


def test_a_folder_that_was_copied_by_hand_is_a_session_of_its_own(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    session_id = said(store)
    copied_by_hand(store, session_id)
    for _ in range(2):
        assert {each.id for each in store.list()} == {session_id, NOBODY}
    assert {store.find(session_id), store.find(NOBODY)} == {session_id, NOBODY}
    files, past = store.open(NOBODY)
    assert files.header.id == past.header.id == NOBODY
    # The other one is open to whoever likes.
    store.open(session_id)[0].close()
    files.close()
    os.utime(store.folder / NOBODY / "session.jsonl", (1000, 1000))
    assert [each.id for each in store.prune(1001)] == [NOBODY]
    assert [each.id for each in store.list()] == [session_id]


def test_an_id_in_a_header_is_not_believed(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    session_id = said(store)
    path = store.folder / session_id / "session.jsonl"
    path.write_bytes(path.read_bytes().replace(session_id.encode(), b"../../../x"))
    assert [each.id for each in store.list()] == [session_id]
    assert store.read(session_id).header.id == session_id


def test_a_list_tells_copies_from_originals(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    session_id = said(store)
    copy_id = store.fork(session_id)
    assert {each.id: each.is_copy for each in store.list()} == {session_id: False, copy_id: True}


def test_the_title_is_not_that_of_a_message_that_was_rewound(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    files = store.new(WORK, None)
    for event in (asked("p1", "wrong"), Rewound(MAIN, "p1")):
        files.main.write(event)
    assert store.list()[0].title == UNTITLED
    for event in (asked("p2", " "), asked("p3", "right"), asked("p4", "more")):
        files.main.write(event)
    files.close()
    assert store.list()[0].title == "right"


# Links


def test_safe_k2_a_sessions_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    session_id = said(store)
    elsewhere = tmp_path / "elsewhere"
    store.folder.rename(elsewhere)
    store.folder.symlink_to(elsewhere)
    before = sorted(elsewhere.rglob("*"))
    for refused in (store.list, lambda: store.open(session_id), lambda: store.find(session_id)):
        with pytest.raises(WorkspaceError, match="symlink"):
            refused()
    told: list[str] = []
    files = store.new(WORK, None)
    files.tell = told.append
    files.main.write(asked("p1"))
    files.close()
    assert len(told) == 1
    assert "symlink" in told[0]
    assert sorted(elsewhere.rglob("*")) == before


def test_safe_k2_a_session_that_is_a_link_is_not_listed_and_refused(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    session_id = said(store)
    shutil.move(store.folder / session_id, tmp_path / "elsewhere")
    (store.folder / session_id).symlink_to(tmp_path / "elsewhere")
    assert store.list() == []
    for refused in (store.open, store.read, store.delete, store.fork):
        with pytest.raises(WorkspaceError, match="symlink"):
            refused(session_id)
    assert (tmp_path / "elsewhere" / "session.jsonl").exists()


@pytest.mark.parametrize("name", ["session.jsonl", "view.jsonl", "lock"])
def test_safe_k2_a_file_of_a_session_that_is_a_link_is_refused(tmp_path: Path, name: str) -> None:
    store = a_store(tmp_path)
    session_id = said(store)
    target = tmp_path / "target"
    path = store.folder / session_id / name
    target.write_bytes(path.read_bytes() if path.exists() else b"")
    path.unlink(missing_ok=True)
    path.symlink_to(target)
    before = target.read_bytes()
    with pytest.raises(WorkspaceError, match="symlink"):
        store.open(session_id)
    assert target.read_bytes() == before


@pytest.mark.parametrize("name", ["agents", "checkpoints"])
async def test_safe_k2_a_folder_of_a_session_that_is_a_link_is_refused(tmp_path: Path, name: str) -> None:
    """Mending would write over whatever files are there."""
    store = a_store(tmp_path)
    files = await ran(store)
    session_id, path = files.folder.path.name, files.folder.path / name
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine.jsonl").write_text("mine\n")
    (elsewhere / "call_2.jsonl").write_text("mine, too\n")
    if path.exists():
        shutil.rmtree(path)
    path.symlink_to(elsewhere)
    before = {each: (each.read_bytes(), each.stat().st_mode) for each in elsewhere.iterdir()}
    for refused in (store.open, store.read, store.fork, store.delete):
        with pytest.raises(WorkspaceError, match=f"{name} is a symlink"):
            refused(session_id)
    assert {each: (each.read_bytes(), each.stat().st_mode) for each in elsewhere.iterdir()} == before
    assert [each.id for each in store.list()] == [session_id]


async def test_safe_k2_behind_a_link_in_the_place_of_the_agents_nothing_is_read(tmp_path: Path) -> None:
    """Also by whoever had the session before that."""
    store = a_store(tmp_path)
    past = store.read((await ran(store)).folder.path.name)
    (agent,) = past.folder.agent_files()
    assert past.agent_entries(agent.stem) != []
    past.folder.agents.rename(tmp_path / "elsewhere")
    past.folder.agents.symlink_to(tmp_path / "elsewhere")
    assert past.folder.agent_files() == []
    assert past.agent_entries(agent.stem) == []
    assert list(search(store.folder, f"found {agent.stem}", str))[1:] == []


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
async def test_safe_k2_an_agents_file_that_is_none_is_refused(tmp_path: Path, kind: str) -> None:
    store = a_store(tmp_path)
    files = await ran(store)
    (path,) = files.folder.agent_files()
    target = tmp_path / "target"
    path.rename(target)
    before = target.read_bytes()
    if kind == "link":
        path.symlink_to(target)
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    for refused in (store.open, store.read, store.fork, store.delete):
        with pytest.raises(WorkspaceError, match="is a symlink" if kind == "link" else "is not a regular file"):
            refused(files.folder.path.name)
    assert target.read_bytes() == before


@pytest.mark.parametrize("name", ["lock", "view.jsonl"])
def test_a_pipe_in_the_place_of_a_file_of_a_session_keeps_nobody_waiting(tmp_path: Path, name: str) -> None:
    store = a_store(tmp_path)
    session_id = said(store)
    path = store.folder / session_id / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    assert [each.title for each in store.list()] == ["hi"]
    assert not store.is_open(session_id)
    for refused in (store.open, store.read, store.fork, store.delete):
        with pytest.raises(WorkspaceError, match=f"{name} is not a regular file"):
            refused(session_id)


def test_a_pipe_in_the_place_of_a_session_keeps_nobody_waiting(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    session_id = said(store)
    path = store.folder / session_id / "session.jsonl"
    path.unlink()
    os.mkfifo(path)
    assert store.list() == []
    with pytest.raises(SessionNotFound):
        store.open(session_id)


# Trouble


async def test_safe_r12_main_and_children_give_one_warning_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    store = SessionStore(tmp_path / "state" / "sessions", Masker(()))
    files = store.new(WORK, None)
    files.tell = told.append
    writer = Writer(files)
    events = list(run_events([[Turn(1, 1, 2), Turn(1)]]))
    for event in events[:12]:
        writer.write(event)

    def full(_descriptor: int, _data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        for event in events[12:]:
            writer.write(event)
        files.view.write(SessionRenamed("x"))
        writer.close()
    assert told == [UNKEPT_WORDS.format("No space left on device")]
    assert store.read(files.header.id).prompts == ["p1"]


def test_safe_r12_where_no_folder_can_be_made_it_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    told: list[str] = []
    files = a_store(tmp_path).new(WORK, None)
    files.tell = told.append
    for number in range(3):
        files.main.write(asked(f"p{number}"))
        files.agent_file(child_origin(f"c{number}")).write(GuidanceAdded(child_origin(f"c{number}"), "x"))
    files.close()
    assert len(told) == 1
    assert files.trouble == told[0]
    assert "is not being kept whole any more" in told[0]


def test_a_session_without_a_folder_for_its_agents_gets_one(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    session_id = said(store)
    folder = store.folder / session_id
    shutil.rmtree(folder / "agents")
    files, _ = store.open(session_id)
    files.close()
    assert (folder / "agents").stat().st_mode & 0o777 == 0o700
