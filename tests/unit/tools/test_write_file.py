"""write_file: new files with their folders, and another content only for what the agent has read."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from code_assistant.errors import PermissionDenied, ToolError, WorkspaceError
from code_assistant.permissions.access import EditAccess
from code_assistant.permissions.approver import Decision, PermissionRequest
from code_assistant.tools.edit import Edit
from code_assistant.tools.read_files import ReadFiles
from code_assistant.tools.write_file import WriteFile
from code_assistant.workspace.ledger import FileVersion
from tests.hang_guard import HANG_GUARD
from tests.unit.tools.support import Bench, RecordingPerson
from tests.unit.workspace.changing import marks


def marked(text: str, codec: str) -> bytes:
    return f"\ufeff{text}".encode(codec)


async def write(bench: Bench, path: str, content: str) -> str:
    async with asyncio.timeout(HANG_GUARD):
        return await bench.text(WriteFile(), path=path, content=content)


async def rewrite(bench: Bench, path: str, content: str) -> str:
    await bench.run(ReadFiles(), paths=[path])
    return await write(bench, path, content)


@pytest.mark.parametrize("content", ["", "x", "one\ntwo\n", "a\r\nb\r", "\ufeffmarked\n", "grün\U0001f600\u2028\n"])
async def test_a_new_file_has_exactly_this_content(bench: Bench, content: str) -> None:
    await write(bench, "a.txt", content)
    assert (bench.root / "a.txt").read_bytes() == content.encode()
    assert os.listdir(bench.root) == ["a.txt"]


async def test_missing_folders_are_made_and_the_mode_is_that_of_the_mask(bench: Bench) -> None:
    previous = os.umask(0o027)
    try:
        text = await write(bench, "new/deep/er/a.txt", "one\ntwo\n")
    finally:
        os.umask(previous)
    file = bench.root / "new/deep/er/a.txt"
    assert text == "Created new/deep/er/a.txt (2 lines)."
    assert file.read_text() == "one\ntwo\n"
    assert file.stat().st_mode & 0o7777 == 0o640
    assert file.parent.stat().st_mode & 0o7777 == 0o750
    assert file.stat().st_nlink == 1


async def test_the_person_sees_what_a_new_file_holds(bench: Bench) -> None:
    output = await bench.run(WriteFile(), path="notes.md", content="# Notes\n\nmore")
    (request,) = bench.approver.requests
    assert (request.tool_name, request.action, request.form) == ("write_file", "create notes.md", "diff")
    assert request.detail == (
        "--- /dev/null\n+++ notes.md\n@@ -0,0 +1,3 @@\n+# Notes\n+\n+more\n\\ No newline at end of file\n"
    )
    assert isinstance(request.access, EditAccess)
    assert [place.path for place in request.access.places] == [bench.root / "notes.md"]
    assert output.display.title == "Created notes.md"
    assert output.display.summary == "+3 \N{MINUS SIGN}0"
    assert (output.display.detail, output.display.form) == (request.detail, "diff")


# What is in the file, what is written, what is in the file then.
REWRITTEN: dict[str, tuple[bytes, str, bytes]] = {
    "plain": (b"one\ntwo\n", "1\n2\n", b"1\n2\n"),
    "the final newline is the model's": (b"one\n", "one\ntwo", b"one\ntwo"),
    "emptied": (b"one\n", "", b""),
    "a mark stays": (b"\xef\xbb\xbfone\n", "two\n", b"\xef\xbb\xbftwo\n"),
    "a mark is not doubled": (b"\xef\xbb\xbfone\n", "\ufefftwo\n", b"\xef\xbb\xbftwo\n"),
    "crlf": (b"a\r\nb\r\n", "a\nx\nb\n", b"a\r\nx\r\nb\r\n"),
    "crlf, named": (b"a\r\nb\r\n", "x\r\ny\n", b"x\r\ny\r\n"),
    "lf, crlf named": (b"a\nb\n", "a\r\nb\r\n", b"a\r\nb\r\n"),
    "lone cr": (b"a\rb\r", "a\nx\nb\n", b"a\rx\rb\r"),
    "one line without an end": (b"a", "b\nc\n", b"b\nc\n"),
    "mixed, lines keep their ends": (b"a\r\nb\nc\r\nd\n", "a\nb\nx\nc\nd\n", b"a\r\nb\nx\nc\r\nd\n"),
    "mixed, mostly crlf": (b"a\r\nb\r\nc\n", "a\nx\nb\nc\n", b"a\r\nx\r\nb\r\nc\n"),
    "mixed, moved to the end": (b"a\r\nb\nc\n", "b\nc\na\n", b"b\nc\na\n"),
    "mixed, end without newline": (b"a\r\nb\nc", "a\nb\nc\nd", b"a\r\nb\nc\nd"),
    "utf-16 le": (marked("a\n", "utf-16-le"), "ü\U0001f600\n", marked("ü\U0001f600\n", "utf-16-le")),
    "utf-16 be, crlf": (marked("a\r\n", "utf-16-be"), "a\nb\n", marked("a\r\nb\r\n", "utf-16-be")),
    "utf-32 le": (marked("a\n", "utf-32-le"), "b\n", marked("b\n", "utf-32-le")),
    "windows-1252": (b"gr\xfcn \x80\n", "röter \u20ac\n", b"r\xf6ter \x80\n"),
    "latin-1": (b"gr\xfcn \x81\n", "rö\x8d\n", b"r\xf6\x8d\n"),
    "damaged, the damaged line stays": (b"\xc3\xbc\xff\nb\n", "ü\ufffd\nc\n", b"\xc3\xbc\xff\nc\n"),
    "damaged, the damaged line goes": (b"\xc3\xbc\xff\nb\n", "x\nb\n", b"x\nb\n"),
    "damaged, mixed": (b"\xc3\xbc\xff\r\nb\n", "ü\ufffd\nc\nb\n", b"\xc3\xbc\xff\r\nc\nb\n"),
    "half a pair in utf-16": (
        b"\xff\xfe\x3d\xd8\n\0b\0\n\0",
        "\ufffd\nc\n",
        b"\xff\xfe\x3d\xd8\n\0c\0\n\0",
    ),
}


@pytest.mark.parametrize(("before", "content", "after"), REWRITTEN.values(), ids=REWRITTEN.keys())
async def test_safe_e1_a_file_keeps_its_encoding_mark_and_line_ends(
    bench: Bench, before: bytes, content: str, after: bytes
) -> None:
    file = bench.write("a.txt", before)
    await rewrite(bench, "a.txt", content)
    assert file.read_bytes() == after


@pytest.mark.parametrize(
    ("before", "content", "words"),
    [
        (b"gr\xfcn \x80\n", "\U0001f600", r"Windows-1252, which does not have the character"),
        (b"\xc3\xbc\xff\nb\n", "new \ufffd\n", r"line 1 holds � \(U\+FFFD\)"),
        (b"a\n", "a\0b", r"content holds a NUL character"),
        (b"a\n", "a\ud800", r"content holds half a character \(U\+D800\)"),
    ],
)
async def test_what_the_file_cannot_hold_is_refused(bench: Bench, before: bytes, content: str, words: str) -> None:
    file = bench.write("a.txt", before)
    with pytest.raises(ToolError, match=words):
        await rewrite(bench, "a.txt", content)
    assert file.read_bytes() == before
    assert bench.approver.requests == []


async def test_safe_e3_a_file_that_was_not_read_is_not_replaced(bench: Bench) -> None:
    file = bench.write("a.txt", "one\n")
    with pytest.raises(WorkspaceError, match=r"a\.txt exists and you have not read it\. Read it first, or use edit"):
        await write(bench, "a.txt", "two\n")
    assert file.read_text() == "one\n"
    assert bench.approver.requests == []


async def test_safe_e3_an_edit_without_a_read_is_no_reading(bench: Bench) -> None:
    file = bench.write("a.txt", "one\nunseen\n")
    await bench.run(Edit(), path="a.txt", edits=[{"old_text": "one", "new_text": "1"}])
    with pytest.raises(WorkspaceError, match="you have not read it"):
        await write(bench, "a.txt", "two\n")
    assert file.read_text() == "1\nunseen\n"


async def test_safe_e3_a_file_that_changed_since_it_was_read_is_not_replaced(bench: Bench) -> None:
    file = bench.write("a.txt", "one\n")
    await bench.run(ReadFiles(), paths=["a.txt"])
    file.write_text("ONE\n")
    with pytest.raises(WorkspaceError, match=r"a\.txt has changed since it was read; read it again\."):
        await write(bench, "a.txt", "two\n")
    assert file.read_text() == "ONE\n"


async def test_safe_e3_what_the_agent_has_written_it_knows(bench: Bench) -> None:
    file = bench.root / "a.txt"
    await write(bench, "a.txt", "one\n")
    assert await write(bench, "a.txt", "two\n") == "Wrote a.txt: +1 \N{MINUS SIGN}1 lines."
    await bench.run(Edit(), path="a.txt", edits=[{"old_text": "two", "new_text": "three"}])
    await write(bench, "a.txt", "four\n")
    assert file.read_text() == "four\n"
    assert bench.services.ledger.seen(file) == FileVersion.of(b"four\n")


async def test_safe_e3_another_agent_must_read_it_by_itself(bench: Bench) -> None:
    file = bench.write("a.txt", "one\n")
    await bench.run(ReadFiles(), paths=["a.txt"])
    with pytest.raises(WorkspaceError, match="you have not read it"):
        await write(Bench(bench.root), "a.txt", "two\n")
    assert file.read_text() == "one\n"


async def test_an_empty_file_has_nothing_to_lose(bench: Bench) -> None:
    file = bench.write("a.txt", "")
    await write(bench, "a.txt", "one\n")
    assert file.read_text() == "one\n"


@pytest.mark.parametrize("before", [b"one\ntwo\n", b"one\r\ntwo\r\n", b"\xef\xbb\xbfone\ntwo\n"])
async def test_the_same_content_is_said_to_be_unchanged_and_not_written(bench: Bench, before: bytes) -> None:
    file = bench.write("a.txt", before)
    untouched = marks(file)
    output = await bench.run(WriteFile(), path="a.txt", content="one\ntwo\n")
    assert (output.display.title, output.display.summary) == ("Wrote a.txt", "unchanged")
    assert marks(file) == untouched
    assert bench.approver.requests == []
    assert bench.services.ledger.seen(file) == FileVersion.of(before)


async def test_the_person_sees_what_differs(bench: Bench) -> None:
    bench.write("a.txt", "".join(f"{number}\n" for number in range(1, 21)))
    await bench.run(ReadFiles(), paths=["a.txt"])
    content = "".join(f"{number}\n" for number in (*range(1, 10), "ten", *range(11, 21)))
    output = await bench.run(WriteFile(), path="a.txt", content=content)
    (request,) = bench.approver.requests
    assert request.action == "overwrite a.txt"
    assert request.detail == ("--- a.txt\n+++ a.txt\n@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n")
    assert (output.display.title, output.display.summary) == ("Wrote a.txt", "+1 \N{MINUS SIGN}1")


class Writer(RecordingPerson):
    """Says yes, after somebody has written the file."""

    path: Path

    async def decide(self, request: PermissionRequest) -> Decision:
        self.path.write_text("somebody else's\n")
        return await super().decide(request)


@pytest.mark.parametrize(
    ("exists", "words"), [(False, "has appeared in the meantime"), (True, "has changed since it was read")]
)
async def test_safe_e3_what_appears_while_the_person_thinks_is_not_lost(bench: Bench, exists: bool, words: str) -> None:
    writer = Writer()
    other = Bench(bench.root, writer)
    writer.path = other.root / "a.txt"
    if exists:
        writer.path.write_text("old\n")
        await other.run(ReadFiles(), paths=["a.txt"])
    with pytest.raises(WorkspaceError, match=words):
        await write(other, "a.txt", "ours\n")
    assert writer.path.read_text() == "somebody else's\n"
    assert os.listdir(other.root) == ["a.txt"]


async def test_a_no_creates_nothing(bench: Bench) -> None:
    bench.approver.allowed = False
    with pytest.raises(PermissionDenied, match=r"write_file may not create new/a\.txt: the person said no"):
        await write(bench, "new/a.txt", "x")
    assert os.listdir(bench.root) == []


async def test_safe_p1_whether_a_file_exists_outside_cannot_be_told_without_permission(bench: Bench) -> None:
    bench.approver.allowed = False
    answers: set[str] = set()
    for name in ("secret.txt", "missing.txt"):
        with pytest.raises(PermissionDenied) as caught:
            await write(bench, f"../outside/{name}", "x")
        answers.add(caught.value.model.replace(name, "NAME"))
    assert len(answers) == 1
    assert (bench.root.parent / "outside" / "secret.txt").read_text() == "the secret\n"


async def test_safe_p4_a_link_that_leads_nowhere_is_filled_where_it_leads(bench: Bench) -> None:
    outside = bench.root.parent / "outside"
    (bench.root / "inside").symlink_to("there/a.txt")
    (bench.root / "outside").symlink_to(outside / "new.txt")
    await write(bench, "inside", "x")
    assert (bench.root / "there/a.txt").read_text() == "x"
    assert bench.approver.actions == ["create there/a.txt"]
    await write(bench, "outside", "y")
    assert bench.approver.actions[1:] == [
        f"look at {outside}/new.txt outside the workspace",
        f"create {outside}/new.txt outside the workspace",
    ]
    assert (bench.root / "outside").is_symlink()


async def test_safe_e4_what_is_no_text_file_is_an_error_at_once(bench: Bench) -> None:
    os.mkfifo(bench.root / "fifo")
    (bench.root / "folder").mkdir()
    bench.write("program", b"\x7fELF\0\0")
    bench.write("file", "x\n")
    os.truncate(bench.write("sparse"), 2 << 30)
    bench.mode = "yolo"
    for path, words in {
        "fifo": "fifo is a named pipe",
        "folder": "folder is a folder",
        "/": "/ is a folder",
        "program": "program is a binary file; only text can be changed",
        "sparse": "sparse is larger than 33.6 MB",
        "/dev/zero": "/dev/zero is a device",
        "file/below": "a part of the path is not a folder",
        "x" * 300: "File name too long",
    }.items():
        with pytest.raises(WorkspaceError, match=words):
            await write(bench, path, "x")
    assert sorted(os.listdir(bench.root)) == ["fifo", "file", "folder", "program", "sparse"]


async def test_folders_made_for_a_file_that_cannot_be_made_are_removed(bench: Bench) -> None:
    (bench.root / "kept").mkdir()
    with pytest.raises(WorkspaceError, match="File name too long"):
        await write(bench, f"kept/new/deep/{'x' * 300}", "x")
    assert list(bench.root.rglob("*")) == [bench.root / "kept"]


async def test_safe_e3_a_file_of_which_only_a_part_was_read_is_not_overwritten(bench: Bench) -> None:
    bench.write("long.txt", "line\n" * 300)
    await bench.run(ReadFiles(), paths=["long.txt:1-1"])
    with pytest.raises(WorkspaceError, match=r"only a part of long\.txt"):
        await bench.run(WriteFile(), path="long.txt", content="new\n")
    await bench.run(ReadFiles(), paths=["long.txt"])
    await bench.run(ReadFiles(), paths=["long.txt:7-8"])
    await bench.run(WriteFile(), path="long.txt", content="new\n")
    assert (bench.root / "long.txt").read_text() == "new\n"
