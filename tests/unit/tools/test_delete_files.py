"""delete_files: files and links, all checked before the first one goes, and what stays is said."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path

import pytest

from code_assistant.errors import PermissionDenied, ToolError, WorkspaceError
from code_assistant.messages import Text
from code_assistant.permissions.access import EditAccess
from code_assistant.permissions.approver import Decision, PermissionRequest
from code_assistant.tools.delete_files import DeleteFiles
from code_assistant.tools.read_files import ReadFiles
from tests.hang_guard import HANG_GUARD
from tests.unit.tools.support import Bench, RecordingPerson


async def delete(bench: Bench, *paths: str) -> str:
    async with asyncio.timeout(HANG_GUARD):
        return await bench.text(DeleteFiles(), paths=list(paths))


async def test_files_are_deleted_and_forgotten(bench: Bench) -> None:
    file = bench.write("a.txt", "one\n")
    bench.write("src/b.bin", b"\0\1")
    kept = bench.write("c.txt")
    await bench.run(ReadFiles(), paths=["a.txt"])
    output = await bench.run(DeleteFiles(), paths=["a.txt", "src/b.bin", "./a.txt"])
    assert output.content == (Text("Deleted a.txt, src/b.bin."),)
    assert (output.display.title, output.display.summary) == ("Deleted a.txt, src/b.bin", "2 files")
    assert not output.failed
    assert sorted(each for each in bench.root.rglob("*") if each.is_file()) == [kept]
    assert bench.services.ledger.seen(file) is None


async def test_the_person_sees_every_path(bench: Bench) -> None:
    for name in "abcd":
        bench.write(name)
    (bench.root / "link").symlink_to("a")
    await delete(bench, "a", "b", "c", "d", "link")
    (request,) = bench.approver.requests
    assert (request.tool_name, request.action) == ("delete_files", "delete a, b and 3 more")
    assert request.detail == "a\nb\nc\nd\nlink -> a (only the link)"
    assert isinstance(request.access, EditAccess)
    assert request.access.deletes
    assert [place.path.name for place in request.access.places] == ["a", "b", "c", "d", "link"]


async def test_a_no_deletes_nothing(bench: Bench) -> None:
    bench.write("a.txt")
    bench.approver.allowed = False
    with pytest.raises(PermissionDenied, match=r"^delete_files may not delete a\.txt: the person said no$"):
        await delete(bench, "a.txt")
    assert os.listdir(bench.root) == ["a.txt"]


async def test_it_is_asked_even_where_edits_are_accepted(bench: Bench) -> None:
    bench.mode = "accept-edits"
    bench.write("a.txt")
    await delete(bench, "a.txt")
    assert bench.approver.actions == ["delete a.txt"]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("missing", "missing does not exist."),
        ("folder", "folder is a folder; name the files in it, or remove it with execute_command."),
        ("fifo", "fifo is a named pipe; only files and links are deleted."),
        ("kept/x", "kept/x does not exist: a part of the path is not a folder."),
        ("to_folder/inner", "folder/inner does not exist."),
    ],
)
async def test_all_are_checked_before_the_first_is_deleted(bench: Bench, path: str, words: str) -> None:
    bench.write("kept", "x")
    (bench.root / "folder").mkdir()
    (bench.root / "to_folder").symlink_to("folder")
    os.mkfifo(bench.root / "fifo")
    with pytest.raises(ToolError) as caught:
        await delete(bench, "kept", path)
    assert str(caught.value) == f"{words}\nNothing was deleted."
    assert (bench.root / "kept").exists()
    assert bench.approver.requests == []


@pytest.mark.parametrize("path", ["folder/", "link/", ".", "..", "folder/.", "link/.", "folder/..", "/", "a\0b", ""])
async def test_what_names_no_entry_is_refused(bench: Bench, path: str) -> None:
    file = bench.write("a.txt")
    (bench.root / "folder").mkdir()
    (bench.root / "link").symlink_to("a.txt")
    with pytest.raises((ToolError, WorkspaceError)):
        await delete(bench, path)
    assert file.exists()
    assert (bench.root / "link").is_symlink()


@pytest.mark.parametrize("target", ["a.txt", "folder", "nowhere", "../outside/secret.txt", "/etc", "link"])
async def test_safe_p4_a_link_is_deleted_itself_and_never_its_target(bench: Bench, target: str) -> None:
    bench.write("a.txt", "one\n")
    bench.write("folder/b.txt", "two\n")
    (bench.root / "link").symlink_to(target)
    await delete(bench, "link")
    assert sorted(os.listdir(bench.root)) == ["a.txt", "folder"]
    assert os.listdir(bench.root / "folder") == ["b.txt"]
    assert (bench.root.parent / "outside" / "secret.txt").read_text() == "the secret\n"
    assert bench.approver.actions == ["delete link"]


async def test_safe_p1_a_file_behind_a_link_to_the_outside_is_outside(bench: Bench) -> None:
    outside = bench.root.parent / "outside"
    (bench.root / "to").symlink_to(outside)
    bench.approver.allowed = False
    answers: set[str] = set()
    for name in ("secret.txt", "missing.txt"):
        with pytest.raises(PermissionDenied) as caught:
            await delete(bench, f"to/{name}")
        answers.add(caught.value.model.replace(name, "NAME"))
    assert len(answers) == 1
    assert str(outside) not in answers.pop()
    bench.approver.allowed = True
    bench.approver.requests.clear()
    await delete(bench, "to/secret.txt")
    assert bench.approver.actions == [
        f"look at {outside}/secret.txt outside the workspace",
        f"delete {outside}/secret.txt outside the workspace",
    ]
    assert os.listdir(outside) == []


@pytest.mark.parametrize("rule", ["Read(.env)", "Edit(.env)", "delete_files(.env)"])
async def test_safe_p4_a_denied_path_is_denied_with_all_beside_it(bench: Bench, rule: str) -> None:
    bench.deny, bench.mode = (rule,), "yolo"
    bench.write(".env")
    bench.write("a.txt")
    with pytest.raises(PermissionDenied, match="denies it"):
        await delete(bench, "a.txt", ".env")
    assert sorted(os.listdir(bench.root)) == [".env", "a.txt"]


class Replacing(RecordingPerson):
    """Says yes, after some of the files have changed."""

    paths: tuple[Path, ...] = ()

    async def decide(self, request: PermissionRequest) -> Decision:
        for path in self.paths:
            path.unlink()
            path.write_text("somebody else's\n")
        return await super().decide(request)


@pytest.fixture
def replacing(bench: Bench) -> Bench:
    bench.write("a.txt", "one\n")
    bench.write("b.txt", "two\n")
    person = Replacing()
    person.paths = (bench.root / "a.txt",)
    return Bench(bench.root, person)


async def test_safe_e3_what_changed_while_the_person_thinks_stays_and_is_said(replacing: Bench) -> None:
    output = await replacing.run(DeleteFiles(), paths=["a.txt", "b.txt"])
    assert output.content == (
        Text("Deleted b.txt.\nNot deleted: a.txt has changed in the meantime; look at it again."),
    )
    assert output.failed
    assert output.display.summary == "1 file, 1 not deleted"
    assert os.listdir(replacing.root) == ["a.txt"]
    assert (replacing.root / "a.txt").read_text() == "somebody else's\n"


async def test_when_none_could_be_deleted_it_is_an_error(replacing: Bench) -> None:
    with pytest.raises(ToolError, match=r"a\.txt has changed in the meantime"):
        await replacing.run(DeleteFiles(), paths=["a.txt"])


async def test_a_cancel_stops_before_the_next_file_and_waits_for_the_one(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["a", "b", "c"]
    for name in names:
        bench.write(name)
    begun, go_on = threading.Event(), threading.Event()
    unlink = os.unlink

    def slow(path: str, *, dir_fd: int | None = None) -> None:
        begun.set()
        assert go_on.wait(HANG_GUARD)
        unlink(path, dir_fd=dir_fd)

    monkeypatch.setattr(os, "unlink", slow)
    task = asyncio.create_task(bench.run(DeleteFiles(), paths=names))
    assert await asyncio.to_thread(begun.wait, HANG_GUARD)
    task.cancel()
    # More rounds of the loop than giving up would take.
    for _ in range(100):
        await asyncio.sleep(0)
    assert not task.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sorted(os.listdir(bench.root)) == ["b", "c"]


@pytest.mark.parametrize("count", [0, 101])
def test_there_are_one_to_a_hundred_paths(count: int) -> None:
    with pytest.raises(ValueError, match="paths"):
        DeleteFiles().Input.model_validate({"paths": ["a"] * count})
    tool = DeleteFiles()
    assert tool.title(tool.Input.model_validate({"paths": ["a"] * 100})) == "Deleting a, a and 98 more"
