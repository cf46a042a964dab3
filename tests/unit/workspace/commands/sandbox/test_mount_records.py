"""What is undone after a command, and what of it is left to the person."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from code_assistant.workspace.commands.sandbox.held_records import (
    HeldRecords,
    drop_after_death,
    drop_unused,
    only_one,
    recorded,
)
from code_assistant.workspace.commands.sandbox.mount_records import KeptLink, NoRepository, Record, StandIn, unpacked

NOBODY = 65534
CLOSED_FOLDER = """
import os, sys
from code_assistant.workspace.commands.sandbox.mount_records import KeptLink, NoRepository
folder = os.fsencode(sys.argv[1])
if os.getuid() == 0:
    os.setgid(int(sys.argv[2]))
    os.setuid(int(sys.argv[2]))
print(KeptLink(folder + b"/link", b"there").was_undone(), NoRepository(folder).was_undone())
"""


CLOSED_STAND_INS = """
import hashlib, os, sys
from code_assistant.workspace.commands.sandbox.held_records import HeldRecords, drop_unused, only_one
from code_assistant.workspace.commands.sandbox.mount_records import StandIn
outer, records = os.fsencode(sys.argv[1]) + b"/outer", os.fsencode(sys.argv[1]) + b"/records"
if os.getuid() == 0:
    os.setgid(int(sys.argv[2]))
    os.setuid(int(sys.argv[2]))
os.makedirs(outer + b"/inner")
os.mkdir(records)
held = HeldRecords(records)
with only_one(records):
    held.take(StandIn(outer + b"/near"))
    held.take(StandIn(outer + b"/inner/far", b""))
os.chmod(outer, 0)
held.release()
print(sum(name != b"lock" for name in os.listdir(records)))
os.chmod(outer, 0o755)
print(*os.listdir(outer))
with only_one(records):
    drop_unused(records)
print(*os.listdir(outer + b"/inner"), *(name for name in os.listdir(records) if name != b"lock"))
"""


def make_repository(folder: Path) -> None:
    for name in ("objects", "refs"):
        (folder / name).mkdir()
    (folder / "HEAD").write_text("ref: refs/heads/m")


def hold(records: Path, *wanted: Record) -> HeldRecords:
    records.mkdir(exist_ok=True)
    held = HeldRecords(os.fsencode(records))
    with only_one(os.fsencode(records)):
        for each in wanted:
            held.take(each)
    return held


def die(held: HeldRecords) -> None:
    """As its program would, which closes what it has open."""
    for descriptor in held._descriptors.values():  # pyright: ignore[reportPrivateUsage] - nobody else can
        os.close(descriptor)


def promises(folder: Path) -> tuple[KeptLink, NoRepository]:
    return KeptLink(os.fsencode(folder / "link"), b"there"), NoRepository(os.fsencode(folder))


@pytest.mark.parametrize(
    "record",
    [StandIn(b"/a\n b"), StandIn(b"/a", b""), StandIn(b"/a", b".\n"), KeptLink(b"/a", b"b c"), NoRepository(b"/a")],
    ids=repr,
)
def test_a_record_says_what_was_written(record: Record) -> None:
    assert unpacked(record.kind + b"\0" + record.path) == record


def test_safe_s3_nothing_is_undone_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "way").symlink_to("other")
    link = KeptLink(os.fsencode(tmp_path / "way/link"), b"there")
    with pytest.raises(OSError, match=r"(?i)on the way was replaced|not a directory"):
        link.was_undone()
    for stand_in in (StandIn(os.fsencode(tmp_path / "way/x")), StandIn(os.fsencode(tmp_path / "way/x"), b"")):
        with pytest.raises(OSError, match=r"(?i)on the way was replaced|not a directory"):
            stand_in.make()
    assert list((tmp_path / "other").iterdir()) == []


def test_safe_s3_a_folder_further_up_that_was_replaced_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "other/inner").mkdir(parents=True)
    (tmp_path / "way").symlink_to("other")
    with pytest.raises(OSError, match="A folder on the way was replaced"):
        KeptLink(os.fsencode(tmp_path / "way/inner/link"), b"there").was_undone()


def test_safe_s3_a_folder_that_a_command_has_closed_is_opened_for_it() -> None:
    """As somebody who cannot write everywhere anyway."""
    folder = Path(subprocess.check_output(["mktemp", "-d", "-p", "/var/tmp"], text=True).strip())
    try:
        make_repository(folder)
        (folder / "link").mkdir()
        if os.getuid() == 0:
            for path in (folder, *folder.iterdir()):
                os.chown(path, NOBODY, NOBODY)
        folder.chmod(0o555)
        printed = subprocess.check_output(
            [sys.executable, "-c", CLOSED_FOLDER, folder, str(NOBODY)], text=True, cwd=Path(__file__).parents[5]
        )
        assert printed == "True True\n"
        assert (os.readlink(folder / "link"), (folder / "HEAD").exists()) == ("there", False)
        assert folder.stat().st_mode & 0o777 == 0o555
    finally:
        folder.chmod(0o755)
        subprocess.run(["rm", "-rf", folder], check=True)


def test_nothing_that_stood_in_is_left_in_a_folder_that_a_command_has_closed() -> None:
    """What lies further down is removed when it can be reached again; of what is gone already no record says that it is
    ours, for by then it could be the person's.
    """
    folder = Path(tempfile.mkdtemp(prefix="closed-", dir="/var/tmp"))
    try:
        if os.getuid() == 0:
            os.chown(folder, NOBODY, NOBODY)
        printed = subprocess.check_output(
            [sys.executable, "-c", CLOSED_STAND_INS, folder, str(NOBODY)], text=True, cwd=Path(__file__).parents[5]
        )
        assert printed == "1\nb'inner'\n\n"
    finally:
        shutil.rmtree(folder)


def test_safe_s3_a_name_of_any_length_is_moved_aside(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    path.mkdir()
    assert KeptLink(os.fsencode(path), b"there").was_undone()
    assert os.readlink(path) == "there"


def test_what_cannot_be_undone_keeps_nothing_else_from_being(tmp_path: Path) -> None:
    make_repository(tmp_path)
    gone = KeptLink(os.fsencode(tmp_path / "gone/link"), b"there")
    held = hold(tmp_path / "records", gone, NoRepository(os.fsencode(tmp_path)))
    undone, failed = held.undo()
    assert ([type(each) for each in undone], failed) == ([NoRepository], [gone])
    held.release()


def test_safe_s3_for_a_program_that_was_killed_its_keeper_undoes_it(tmp_path: Path) -> None:
    records = tmp_path / "records"
    held = hold(records, *promises(tmp_path))
    make_repository(tmp_path)
    drop_after_death(os.fsencode(records))
    # As long as the program lives it is not the keeper's to do.
    assert (tmp_path / "HEAD").exists()
    die(held)
    drop_after_death(os.fsencode(records))
    assert (os.readlink(tmp_path / "link"), (tmp_path / "HEAD").exists()) == ("there", False)
    assert [path.name for path in records.iterdir()] == ["lock"]


def test_what_nobody_needs_any_more_is_the_persons_own(tmp_path: Path) -> None:
    records = tmp_path / "records"
    hold(records, StandIn(os.fsencode(tmp_path / ".vscode")), *promises(tmp_path)).release()
    die(hold(records, *promises(tmp_path)))
    (tmp_path / "link").mkdir()
    make_repository(tmp_path)
    drop_unused(os.fsencode(records))
    assert (tmp_path / "link").is_dir()
    assert (tmp_path / "HEAD").exists()
    assert not (tmp_path / ".vscode").exists()


def test_safe_s1_a_record_says_no_more_than_it_should(tmp_path: Path) -> None:
    records, path = tmp_path / "records", os.fsencode(tmp_path / "link")
    die(hold(records, KeptLink(path, b"x" * 100)))
    die(hold(records, KeptLink(path, b"y")))
    assert list(recorded(os.fsencode(records))) == [KeptLink(path, b"y")]


def test_safe_s3_what_another_program_found_of_a_link_counts(tmp_path: Path) -> None:
    records = tmp_path / "records"
    (tmp_path / "link").symlink_to("there")
    first = hold(records, *promises(tmp_path))
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("elsewhere")
    second = hold(records, KeptLink(os.fsencode(tmp_path / "link"), b"elsewhere"))
    first.undo()
    assert os.readlink(tmp_path / "link") == "there"
    (tmp_path / "link").unlink()
    second.undo()
    assert os.readlink(tmp_path / "link") == "there"
    first.release()
    second.release()


def test_a_file_that_stands_in_is_never_there_without_its_content(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The person's git takes an empty `commondir` for an error."""
    place = tmp_path / "commondir"
    written: list[bool] = []
    really_write = os.write

    def write(descriptor: int, content: bytes) -> int:
        written.append(place.exists())
        return really_write(descriptor, content)

    monkeypatch.setattr(os, "write", write)
    stand_in = StandIn(os.fsencode(place), b".\n")
    stand_in.make()
    assert written == [False]
    assert place.read_bytes() == b".\n" and place.stat().st_mode & 0o111 == 0
    with pytest.raises(FileExistsError):
        stand_in.make()
    stand_in.remove()
    assert list(tmp_path.iterdir()) == []


def test_without_files_that_have_no_name_it_is_made_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really_open = os.open

    def opened(path: bytes, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if flags & os.O_TMPFILE == os.O_TMPFILE:
            raise OSError(errno.EOPNOTSUPP, "not here")
        return really_open(path, flags, mode, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", opened)
    StandIn(os.fsencode(tmp_path / "commondir"), b".\n").make()
    assert (tmp_path / "commondir").read_bytes() == b".\n"
