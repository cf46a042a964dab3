"""Bytes become text, a bounded part stays in memory, and all of it is in a file when there is too much."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from code_assistant.workspace import spill as spilling
from code_assistant.workspace.commands import head_tail, output
from code_assistant.workspace.commands.output import NUL_PICTURE, KeptOutput
from code_assistant.workspace.spill import SpillFolder


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (head_tail, output):
        monkeypatch.setattr(module, "HEAD_CHARACTERS", 30)
        monkeypatch.setattr(module, "TAIL_CHARACTERS", 40)


def kept(spill: SpillFolder, *pieces: bytes) -> tuple[KeptOutput, list[str]]:
    heard: list[str] = []
    result = KeptOutput(spill, heard.append)
    for piece in pieces:
        result.add(piece)
    result.finish()
    return result, heard


def spilled(spill: SpillFolder) -> list[bytes]:
    return [each.read_bytes() for each in sorted(spill.path.glob("*"))]


BYTES = st.lists(
    st.one_of(st.binary(max_size=30), st.text(max_size=30).map(lambda text: text.encode("utf-8", "surrogatepass"))),
    max_size=12,
)


@pytest.mark.usefixtures("small")
@settings(
    max_examples=200,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(BYTES, st.integers(1, 20))
def test_safe_o3_however_it_is_cut_the_text_is_the_same(spill: SpillFolder, pieces: list[bytes], size: int) -> None:
    data = b"".join(pieces)
    text = data.decode("utf-8", "replace").replace("\0", NUL_PICTURE)
    spill.remove()
    result, heard = kept(spill, *(data[at : at + size] for at in range(0, len(data), size)))
    assert "".join(heard) == text
    assert all(heard)
    assert result.parts.characters == len(text)
    assert text.startswith(result.parts.head)
    assert text.endswith(result.parts.tail)
    assert spilled(spill) == ([text.encode()] if len(text) > 70 else [])


def test_characters_split_between_reads_are_whole(spill: SpillFolder) -> None:
    _, heard = kept(spill, *(bytes([byte]) for byte in "aé€😀z".encode()))
    assert heard == ["a", "é", "€", "😀", "z"]


def test_bytes_that_are_no_text_have_stand_ins(spill: SpillFolder) -> None:
    result, _ = kept(spill, b"a\xff\xfeb\0c", b"\xe2\x82")
    assert result.parts.head == "a\ufffd\ufffdb\u2400c\ufffd"


def test_a_short_output_makes_no_file_until_somebody_wants_it(spill: SpillFolder) -> None:
    result, _ = kept(spill, b"short")
    assert not spill.path.exists()
    words = result.whereabouts()
    assert spilled(spill) == [b"short"]
    assert words == f"the whole output is in {spill.path / 'command-1.txt'}, which read_files can page"


@pytest.mark.usefixtures("small")
def test_a_file_is_complete_also_when_it_is_asked_for_in_the_middle(spill: SpillFolder) -> None:
    result = KeptOutput(spill, lambda _: None)
    for number in range(20):
        result.add(b"%02d " % number)
        if number in (3, 15):
            result.whereabouts()
    result.finish()
    assert spilled(spill) == [b"".join(b"%02d " % number for number in range(20))]


@pytest.mark.usefixtures("small")
def test_safe_o3_a_full_file_ends_at_a_character_and_says_so(
    spill: SpillFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spilling, "MAXIMUM_BYTES", 100)
    # 100 is in the middle of the 34th character; the letter after it would fit, and must not be written.
    result, _ = kept(spill, "€".encode() * 34, b"x", b"y" * 200)
    assert spilled(spill) == ["€".encode() * 33]
    assert result.whereabouts() == f"the first 99 B are in {spill.path / 'command-1.txt'}, which read_files can page"
    assert result.parts.characters == 34 + 201


def _unwritable(folder: Path) -> None:
    folder.parent.mkdir(parents=True)
    folder.write_text("in the way")


def _linked(folder: Path) -> None:
    folder.parent.mkdir(parents=True)
    folder.symlink_to("/tmp")


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("spoil", [_unwritable, _linked])
def test_without_a_place_for_the_file_the_output_is_bounded_all_the_same(
    spill: SpillFolder, spoil: Callable[[Path], None]
) -> None:
    spoil(spill.path)
    result, heard = kept(spill, *[b"0123456789"] * 20)
    assert len("".join(heard)) == 200
    assert (len(result.parts.head), len(result.parts.tail), result.parts.left_out) == (30, 40, 130)
    assert result.whereabouts().startswith("the whole output could not be kept: ")


@pytest.mark.usefixtures("small")
def test_a_full_disk_ends_the_file_not_the_output(spill: SpillFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int] = []

    def write(descriptor: int, data: bytes) -> int:
        written.append(len(data))
        if len(written) > 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return len(data)

    monkeypatch.setattr(spilling.os, "write", write)
    result, heard = kept(spill, *[b"0123456789"] * 20)
    assert len("".join(heard)) == 200
    assert len(written) == 4
    assert "only up to where it could be written: No space left on device" in result.whereabouts()
