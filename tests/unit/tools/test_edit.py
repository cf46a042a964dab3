"""edit: every untouched byte stays, unique or all, all or nothing, and only what the person has seen is written."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import pytest

from code_assistant.errors import PermissionDenied, ToolError, WorkspaceError
from code_assistant.permissions.access import EditAccess
from code_assistant.permissions.approver import Decision, PermissionRequest
from code_assistant.tools.edit import Edit
from code_assistant.tools.read_files import ReadFiles
from code_assistant.tools.write_file import WriteFile
from code_assistant.workspace.ledger import FileVersion
from tests.hang_guard import HANG_GUARD
from tests.unit.tools.edit_cases import EVERYWHERE, KEPT_BYTES, REFUSED, change
from tests.unit.tools.support import Bench, RecordingPerson
from tests.unit.workspace.changing import marks


async def edit(bench: Bench, path: str, *edits: dict[str, Any]) -> str:
    async with asyncio.timeout(HANG_GUARD):
        return await bench.text(Edit(), path=path, edits=list(edits))


@pytest.mark.parametrize(("before", "old", "new", "after"), KEPT_BYTES.values(), ids=KEPT_BYTES.keys())
async def test_safe_e1_every_other_byte_stays(bench: Bench, before: bytes, old: str, new: str, after: bytes) -> None:
    file = bench.write("a.txt", before)
    await edit(bench, "a.txt", change(old, new))
    assert file.read_bytes() == after


@pytest.mark.parametrize(("before", "old", "new", "after"), EVERYWHERE.values(), ids=EVERYWHERE.keys())
async def test_safe_e1_replacing_all(bench: Bench, before: bytes, old: str, new: str, after: bytes) -> None:
    file = bench.write("a.txt", before)
    await edit(bench, "a.txt", change(old, new, everywhere=True))
    assert file.read_bytes() == after


@pytest.mark.parametrize(
    ("edits", "after"),
    [
        ([change("one", "1"), change("three", "3")], b"1\ntwo\n3\n"),
        ([change("three", "3"), change("one", "1")], b"1\ntwo\n3\n"),
        # Each refers to the file as it was: what another edit has written is not there for it.
        ([change("one", "two"), change("two", "three")], b"two\nthree\nthree\n"),
        ([change("one\n", ""), change("two\n", "one\n")], b"one\nthree\n"),
        ([change("one", ""), change("\ntwo", "two")], b"two\nthree\n"),
        ([change("o", "0", True), change("three", "3")], b"0ne\ntw0\n3\n"),
    ],
)
async def test_safe_e3_several_edits_refer_to_the_file_before_the_call(
    bench: Bench, edits: list[dict[str, Any]], after: bytes
) -> None:
    file = bench.write("a.txt", b"one\ntwo\nthree\n")
    await edit(bench, "a.txt", *edits)
    assert file.read_bytes() == after


@pytest.mark.parametrize(("before", "edits", "words"), REFUSED.values(), ids=REFUSED.keys())
async def test_safe_e3_what_is_not_clear_changes_nothing(
    bench: Bench, before: bytes, edits: list[dict[str, Any]], words: str
) -> None:
    file = bench.write("a.txt", before)
    untouched = marks(file)
    with pytest.raises((ToolError, WorkspaceError), match=words):
        await edit(bench, "a.txt", *edits)
    assert file.read_bytes() == before
    assert marks(file) == untouched
    assert bench.approver.requests == []


@pytest.mark.parametrize("count", [0, 51])
def test_there_are_one_to_fifty_edits(count: int) -> None:
    with pytest.raises(ValueError, match="edits"):
        Edit().Input.model_validate({"path": "a", "edits": [change("a", "b")] * count})
    assert len(Edit().Input.model_validate({"path": "a", "edits": [change("a", "b")] * 50}).edits) == 50


async def test_a_missing_file_names_similar_ones(bench: Bench) -> None:
    bench.write("src/pricing.py", "x\n")
    with pytest.raises(ToolError, match=r"src/pricing\.pi does not exist\. Similar: src/pricing\.py\."):
        await edit(bench, "src/pricing.pi", change("x", "y"))
    with pytest.raises(ToolError, match=r"nothing\.here does not exist\. Use write_file to create it\."):
        await edit(bench, "nothing.here", change("x", "y"))
    with pytest.raises(WorkspaceError, match="a part of the path is not a folder"):
        await edit(bench, "src/pricing.py/x", change("x", "y"))


async def test_a_hidden_file_is_not_suggested(bench: Bench) -> None:
    bench.deny = ("Read(pricing.py)",)
    bench.write("src/pricing.py", "x\n")
    for tool, arguments in (
        (Edit(), {"path": "src/pricing.pi", "edits": [change("x", "y")]}),
        (ReadFiles(), {"paths": ["src/pricing.pi"]}),
    ):
        with pytest.raises(ToolError) as caught:
            await bench.run(tool, **arguments)
        assert "pricing.py" not in str(caught.value)


async def test_it_works_without_a_read_but_then_nothing_more_is_known(bench: Bench) -> None:
    file = bench.write("a.txt", "one\n")
    await edit(bench, "a.txt", change("one", "two"))
    assert bench.services.ledger.seen(file) is None


async def test_safe_e3_a_file_that_changed_since_it_was_read_is_refused(bench: Bench) -> None:
    file = bench.write("a.txt", "one\ntwo\n")
    await bench.run(ReadFiles(), paths=["a.txt:1"])
    file.write_text("one\nTWO\n")
    with pytest.raises(WorkspaceError, match=r"a\.txt has changed since it was read; read it again\."):
        await edit(bench, "a.txt", change("one", "1"))
    assert file.read_text() == "one\nTWO\n"
    await bench.run(ReadFiles(), paths=["a.txt"])
    await edit(bench, "a.txt", change("one", "1"))
    assert file.read_text() == "1\nTWO\n"


async def test_safe_e3_a_file_that_was_only_touched_is_the_same(bench: Bench) -> None:
    file = bench.write("a.txt", "one\n")
    await bench.run(ReadFiles(), paths=["a.txt"])
    os.utime(file, ns=(1, 1))
    await edit(bench, "a.txt", change("one", "1"))
    assert file.read_text() == "1\n"


async def test_safe_e3_its_own_edits_do_not_make_a_file_stale(bench: Bench) -> None:
    file = bench.write("a.txt", "one\n")
    await bench.run(ReadFiles(), paths=["a.txt"])
    await edit(bench, "a.txt", change("one", "two"))
    assert bench.services.ledger.seen(file) == FileVersion.of(b"two\n")
    await edit(bench, "a.txt", change("two", "three"))
    assert file.read_text() == "three\n"


async def test_safe_e3_another_agent_knows_nothing_of_what_one_has_read(bench: Bench) -> None:
    file = bench.write("a.txt", "one\ntwo\n")
    other = Bench(bench.root)
    for each in (bench, other):
        await each.run(ReadFiles(), paths=["a.txt"])
    await edit(bench, "a.txt", change("one", "1"))
    with pytest.raises(WorkspaceError, match="has changed since it was read"):
        await edit(other, "a.txt", change("two", "2"))
    assert file.read_text() == "1\ntwo\n"


class ThinkingPerson(RecordingPerson):
    """Says yes, but only after something has happened."""

    meanwhile: Any = None

    async def decide(self, request: PermissionRequest) -> Decision:
        self.meanwhile()
        return await super().decide(request)


@pytest.fixture
def thinking(bench: Bench) -> Bench:
    return Bench(bench.root, ThinkingPerson())


async def test_safe_e3_what_changes_while_the_person_thinks_is_not_lost(thinking: Bench) -> None:
    file = thinking.write("a.txt", "one\ntwo\n")
    assert isinstance(thinking.approver, ThinkingPerson)
    thinking.approver.meanwhile = lambda: file.write_text("one\nTWO\n")
    with pytest.raises(WorkspaceError, match="has changed since it was read"):
        await edit(thinking, "a.txt", change("one", "1"))
    assert file.read_text() == "one\nTWO\n"
    assert os.listdir(thinking.root) == ["a.txt"]


async def test_safe_e3_a_file_deleted_while_the_person_thinks_stays_deleted(thinking: Bench) -> None:
    file = thinking.write("a.txt", "one\n")
    assert isinstance(thinking.approver, ThinkingPerson)
    thinking.approver.meanwhile = file.unlink
    with pytest.raises(WorkspaceError, match=r"a\.txt does not exist"):
        await edit(thinking, "a.txt", change("one", "1"))
    assert os.listdir(thinking.root) == []


async def test_safe_p2_a_file_swapped_for_another_name_of_one_outside_is_not_written_to(thinking: Bench) -> None:
    """A file with one name was asked for; one with two is written in place, and with it the one outside."""
    file = thinking.write("a.txt", "the secret\n")
    secret = thinking.root.parent / "outside" / "secret.txt"
    assert isinstance(thinking.approver, ThinkingPerson)

    def swap() -> None:
        file.unlink()
        os.link(secret, file)

    thinking.approver.meanwhile = swap
    with pytest.raises(WorkspaceError, match=r"a\.txt has got another name in the meantime"):
        await edit(thinking, "a.txt", change("the", "no"))
    assert secret.read_text() == "the secret\n"


async def test_safe_p2_a_file_swapped_for_a_link_while_the_person_thinks_is_not_followed(thinking: Bench) -> None:
    file = thinking.write("a.txt", "the secret\n")
    secret = thinking.root.parent / "outside" / "secret.txt"
    assert isinstance(thinking.approver, ThinkingPerson)

    def swap() -> None:
        file.unlink()
        file.symlink_to(secret)

    thinking.approver.meanwhile = swap
    with pytest.raises(WorkspaceError, match="symbolic link"):
        await edit(thinking, "a.txt", change("secret", "x"))
    assert secret.read_text() == "the secret\n"


async def test_the_person_sees_the_whole_diff_and_that_is_what_happens(bench: Bench) -> None:
    lines = [f"line {number}\n" for number in range(1, 5001)]
    bench.write("src/a.py", "".join(lines))
    output = await bench.run(Edit(), path="src/a.py", edits=[change("line ", "row ", True)])
    (request,) = bench.approver.requests
    assert (request.tool_name, request.action, request.form) == ("edit", "edit src/a.py", "diff")
    removed, added = "".join(f"-{line}" for line in lines), "".join(f"+{line.replace('line', 'row')}" for line in lines)
    assert request.detail == f"--- src/a.py\n+++ src/a.py\n@@ -1,5000 +1,5000 @@\n{removed}{added}"
    assert isinstance(request.access, EditAccess)
    assert [place.path for place in request.access.places] == [bench.root / "src/a.py"]
    assert not request.access.deletes
    display = output.display
    assert (display.title, display.summary, display.form) == ("Edited src/a.py", "+5000 \N{MINUS SIGN}5000", "diff")
    assert len(display.detail) < 25_000
    assert display.detail.startswith("--- src/a.py\n+++ src/a.py\n@@ -1,5000 +1,5000 @@\n-line 1\n")
    assert display.detail.endswith("more lines of this diff not shown\n")


async def test_the_model_is_told_briefly(bench: Bench) -> None:
    bench.write("a.txt", "a\nb\nc\n")
    assert await edit(bench, "a.txt", change("a", "x\ny"), change("c\n", "")) == (
        "Edited a.txt: 2 replacements, +2 \N{MINUS SIGN}2 lines."
    )
    assert Edit().title(Edit().Input.model_validate({"path": "a.txt", "edits": [change("a", "b")]})) == "Editing a.txt"


async def test_a_no_changes_nothing(bench: Bench) -> None:
    file = bench.write("a.txt", "one\n")
    untouched = marks(file)
    bench.approver.allowed = False
    with pytest.raises(PermissionDenied, match=r"edit may not edit a\.txt: the person said no"):
        await edit(bench, "a.txt", change("one", "1"))
    assert marks(file) == untouched


async def test_safe_p4_an_edit_through_a_link_changes_its_target_and_keeps_the_link(bench: Bench) -> None:
    target = bench.write("real/a.txt", "one\n")
    link = bench.root / "link.txt"
    link.symlink_to("real/a.txt")
    await edit(bench, "link.txt", change("one", "1"))
    assert target.read_text() == "1\n"
    assert os.readlink(link) == "real/a.txt"
    assert bench.approver.actions == ["edit real/a.txt"]


async def test_safe_p4_a_link_that_leads_outside_asks_before_it_looks(bench: Bench) -> None:
    secret = bench.root.parent / "outside" / "secret.txt"
    (bench.root / "link.txt").symlink_to(secret)
    bench.mode = "accept-edits"
    bench.approver.allowed = False
    for old in ("secret", "not in it"):
        with pytest.raises(PermissionDenied) as caught:
            await edit(bench, "link.txt", change(old, "x"))
        assert "link.txt" in caught.value.model
        assert str(secret) not in caught.value.model
    assert bench.approver.actions == [f"look at {secret} outside the workspace"] * 2
    bench.approver.allowed = True
    bench.approver.requests.clear()
    await edit(bench, "link.txt", change("secret", "x"))
    assert bench.approver.actions == [
        f"look at {secret} outside the workspace",
        f"edit {secret} outside the workspace",
    ]
    assert secret.read_text() == "the x\n"


async def test_safe_p1_a_rule_for_a_place_outside_needs_no_question(bench: Bench) -> None:
    secret = bench.root.parent / "outside" / "secret.txt"
    bench.allow = (f"Edit(/{secret})",)
    await edit(bench, str(secret), change("secret", "x"))
    assert secret.read_text() == "the x\n"
    assert bench.approver.requests == []


@pytest.mark.parametrize("rule", ["Read(.env)", "Edit(.env)", "Edit"])
@pytest.mark.parametrize("path", [".env", "link", "./folder/../.env"])
async def test_safe_p4_a_denied_path_is_denied_before_it_is_looked_at(bench: Bench, rule: str, path: str) -> None:
    bench.write(".env", "TOKEN=sesame\n")
    (bench.root / "folder").mkdir()
    (bench.root / "link").symlink_to(".env")
    bench.deny, bench.mode = (rule,), "yolo"
    answers: set[str] = set()
    for old in ("sesame", "not in it"):
        with pytest.raises(PermissionDenied) as caught:
            await edit(bench, path, change(old, "x"))
        answers.add(caught.value.model)
    assert len(answers) == 1
    assert f"the rule {rule} denies it" in answers.pop()


async def test_accepted_edits_ask_nobody_but_for_protected_places(bench: Bench) -> None:
    bench.mode = "accept-edits"
    bench.write("a.txt", "one\n")
    await edit(bench, "a.txt", change("one", "1"))
    assert bench.approver.requests == []
    bench.write(".git/config", "one\n")
    await edit(bench, ".git/config", change("one", "1"))
    assert bench.approver.actions == ["edit .git/config"]


async def test_safe_e4_what_is_no_text_file_is_an_error_at_once(bench: Bench) -> None:
    os.mkfifo(bench.root / "fifo")
    (bench.root / "folder").mkdir()
    os.truncate(bench.write("sparse"), 2 << 30)
    bench.mode = "yolo"
    for path, words in {
        "fifo": "fifo is a named pipe",
        "folder": "folder is a folder",
        ".": "is a folder",
        "/": "/ is a folder",
        "sparse": "sparse is larger than 33.6 MB",
        "/dev/zero": "/dev/zero is a device",
        "/dev/tty": "/dev/tty is a device",
        "a\0b": "That is not a path",
        "a\ud800": "cannot be resolved",
    }.items():
        with pytest.raises(WorkspaceError, match=words):
            await edit(bench, path, change("a", "b"))


async def test_a_name_that_is_no_unicode_gives_text_that_can_be_sent(bench: Bench) -> None:
    file = bench.write(os.fsdecode(b"caf\xe9.txt"), "x\n")
    output = await bench.run(Edit(), path=os.fsdecode(b"caf\xe9.txt"), edits=[change("x", "y")])
    assert file.read_text() == "y\n"
    assert output.display.title == "Edited caf\ufffd.txt"
    for text in (output.display.detail, bench.approver.requests[0].detail, bench.approver.actions[0]):
        text.encode()


async def test_a_file_literally_named_like_a_range_is_meant(bench: Bench) -> None:
    file = bench.write("a.txt:3", "one\n")
    await edit(bench, "a.txt:3", change("one", "1"))
    assert file.read_text() == "1\n"


async def test_an_edit_has_bounds_and_says_so(bench: Bench) -> None:
    """What a file and a model could make endless together: too many places, too large a result, too long a diff."""
    bench.write("many.txt", "ab" * 30_000)
    with pytest.raises(ToolError, match="more than 20,000 times"):
        await bench.run(Edit(), path="many.txt", edits=[{"old_text": "a", "new_text": "", "replace_all": True}])
    bench.write("lines.txt", "a\n" * 10_000)
    for size, words in ((4_000, "larger than"), (1_300, "too large to be looked through")):
        with pytest.raises(ToolError, match=words):
            edits = [{"old_text": "a", "new_text": "b" * size, "replace_all": True}]
            await bench.run(Edit(), path="lines.txt", edits=edits)
    assert bench.approver.requests == []


async def test_many_places_in_one_long_line_are_found_in_one_pass(bench: Bench) -> None:
    bench.write("long.txt", "ab" * 15_000)
    await bench.run(Edit(), path="long.txt", edits=[{"old_text": "a", "new_text": "c", "replace_all": True}])
    assert (bench.root / "long.txt").read_text() == "cb" * 15_000


async def test_safe_b6_the_prompt_tells_line_ends_apart(bench: Bench) -> None:
    bench.write("run.sh", b"#!/bin/sh\r\necho one\r\necho two\n")
    await bench.run(Edit(), path="run.sh", edits=[{"old_text": "echo two\n", "new_text": "echo two\r\n"}])
    detail = bench.approver.requests[-1].detail
    assert "-echo two\n" in detail
    assert "+echo two␍\n" in detail


async def test_a_file_with_other_names_is_asked_about_even_where_edits_are_accepted(bench: Bench) -> None:
    bench.mode = "accept-edits"
    file = bench.write("a.txt", "old\n")
    os.link(file, bench.root.parent / "outside" / "other.txt")
    await bench.run(Edit(), path="a.txt", edits=[{"old_text": "old", "new_text": "new"}])
    assert bench.approver.actions == ["edit a.txt (which has other names, too)"]


async def test_edits_follow_each_other_in_a_file_of_which_a_part_was_read(bench: Bench) -> None:
    bench.write("a.txt", "one\ntwo\nthree\n")
    await bench.run(ReadFiles(), paths=["a.txt:1-1"])
    for old, new in (("one", "1"), ("two", "2"), ("three", "3")):
        await bench.run(Edit(), path="a.txt", edits=[{"old_text": old, "new_text": new}])
    assert (bench.root / "a.txt").read_text() == "1\n2\n3\n"
    with pytest.raises(WorkspaceError, match="only a part"):
        await bench.run(WriteFile(), path="a.txt", content="new")
