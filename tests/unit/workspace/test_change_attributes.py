"""A changed file keeps what it has beside its content: mode, owner, extended attributes, other names."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from code_assistant.errors import WorkspaceError
from tests.unit.workspace.changing import replace, require_extended_attributes


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old\n")
    return path


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o777, 0o622, 0o4755, 0o2755, 0o6711, 0o1644])
@pytest.mark.parametrize("names", [1, 2])
def test_safe_e1_the_mode_stays(file: Path, mode: int, names: int) -> None:
    if names == 2:
        os.link(file, file.with_name("b.txt"))
    file.chmod(mode)
    replace(file, b"new\n")
    assert (stat.S_IMODE(file.stat().st_mode), file.read_bytes()) == (mode, b"new\n")


def test_safe_e1_rights_that_writing_takes_away_come_back(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.link(file, file.with_name("b.txt"))
    file.chmod(0o4755)
    write = os.write

    # For all but root, writing does this.
    def taking_rights(descriptor: int, data: bytes) -> int:
        os.fchmod(descriptor, 0o755)
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", taking_rights)
    replace(file, b"new\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o4755


def test_safe_e1_the_owner_stays(file: Path) -> None:
    if os.geteuid():
        pytest.skip("only root can have files of others to keep")
    os.chown(file, 12345, 23456)
    file.chmod(0o4750)
    replace(file, b"new\n")
    status = file.stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (12345, 23456, 0o4750)


def test_safe_e1_without_the_owner_its_rights_are_not_given(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid():
        pytest.skip("only root can have files of others")
    os.chown(file, 12345, 23456)
    file.chmod(0o6755)

    # Root may give files away, so the refusal is played.
    def refuse(*_: int) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "fchown", refuse)
    replace(file, b"new\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o755


def test_safe_e1_extended_attributes_stay(file: Path) -> None:
    require_extended_attributes(file.parent)
    os.setxattr(file, "user.origin", b"\0\1\xff")
    os.setxattr(file, "user.empty", b"")
    replace(file, b"new\n")
    assert {name: os.getxattr(file, name) for name in os.listxattr(file)} == {
        "user.origin": b"\0\1\xff",
        "user.empty": b"",
    }


def test_safe_e1_an_attribute_that_cannot_be_kept_is_a_reason_not_to_change(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_extended_attributes(file.parent)
    os.setxattr(file, "user.origin", b"x")

    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "setxattr", refuse)
    with pytest.raises(WorkspaceError, match=r"a\.txt cannot be changed: Operation not permitted"):
        replace(file, b"new\n")
    assert file.read_bytes() == b"old\n"


def test_labels_that_only_the_system_gives_are_left_to_it(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require_extended_attributes(file.parent)
    names: dict[int, dict[str, bytes]] = {}

    # Labels need a system that has them, so they are played.
    def listed(descriptor: int) -> list[str]:
        return list(names.setdefault(os.fstat(descriptor).st_ino, {}))

    def refuse(descriptor: int, name: str, value: bytes) -> None:
        raise PermissionError(errno.EPERM, f"{name} may not be {value!r} for {descriptor}")

    names[file.stat().st_ino] = {"security.label": b"here"}
    monkeypatch.setattr(os, "listxattr", listed)
    monkeypatch.setattr(os, "getxattr", lambda descriptor, name: names[os.fstat(descriptor).st_ino][name])
    monkeypatch.setattr(os, "setxattr", refuse)
    replace(file, b"new\n")
    assert file.read_bytes() == b"new\n"


@pytest.mark.parametrize("after", [b"", b"n", b"new content that is longer\n"])
def test_safe_e1_hard_links_stay_linked(file: Path, after: bytes) -> None:
    other = file.with_name("other.txt")
    os.link(file, other)
    replace(file, after)
    assert other.read_bytes() == after
    assert file.stat().st_ino == other.stat().st_ino
    assert sorted(os.listdir(file.parent)) == ["a.txt", "other.txt"]
