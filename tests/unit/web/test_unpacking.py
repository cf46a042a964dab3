"""Packed data in any pieces, and never more of it than there is room for."""

from __future__ import annotations

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as some

from code_assistant.errors import ToolError
from code_assistant.web.unpacking import unpacker_for
from tests.rows import each_row


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


PACKERS = {"gzip": ("gzip", gzip.compress), "zlib": ("deflate", zlib.compress), "raw": ("deflate", raw_deflate)}


@given(some.binary(max_size=3000), some.sampled_from(sorted(PACKERS)), some.integers(1, 50))
def test_data_comes_out_as_it_went_in_whatever_the_pieces(data: bytes, name: str, step: int) -> None:
    coding, pack = PACKERS[name]
    packed = pack(data)
    unpacker = unpacker_for(coding)
    pieces = (packed[at : at + step] for at in range(0, len(packed), step))
    assert b"".join(unpacker.unpack(piece, 1_000_000) for piece in pieces) == data
    unpacker.finish()


@given(some.binary(max_size=500), some.sampled_from(["gzip", "deflate", "identity"]), some.integers(0, 100))
def test_any_bytes_are_unpacked_within_the_room_or_refused(data: bytes, coding: str, room: int) -> None:
    unpacker = unpacker_for(coding)
    try:
        assert len(unpacker.unpack(data, room)) <= room
        unpacker.finish()
    except ToolError:
        pass


@each_row("name", PACKERS)
@each_row("room", [0, 1, 1000, 65_537])
def test_safe_w3_no_more_than_there_is_room_for(name: str, room: int) -> None:
    coding, pack = PACKERS[name]
    assert unpacker_for(coding).unpack(pack(b"0" * 10_000_000), room) == b"0" * room


def test_gzip_files_one_after_the_other_and_what_is_behind_them() -> None:
    unpacker = unpacker_for("gzip")
    packed = gzip.compress(b"one ") + gzip.compress(b"two") + b"\x00\x00 padding"
    assert unpacker.unpack(packed, 1000) == b"one two"
    unpacker.finish()


def test_safe_w3_a_flood_of_empty_files_is_not_followed_to_its_end() -> None:
    unpacker = unpacker_for("gzip")
    assert unpacker.unpack(gzip.compress(b"") * 1000 + gzip.compress(b"end"), 1000) == b""
    unpacker.finish()


@each_row("coding", ["gzip", "deflate", "identity", ""])
def test_nothing_is_nothing(coding: str) -> None:
    unpacker = unpacker_for(coding)
    assert unpacker.unpack(b"", 10) == b""
    unpacker.finish()


@pytest.mark.parametrize(("coding", "data"), [("gzip", b"\x1f"), ("deflate", b"\x78"), ("deflate", b"\x78\x9c\x01")])
def test_what_is_cut_off_is_damaged(coding: str, data: bytes) -> None:
    unpacker = unpacker_for(coding)
    unpacker.unpack(data, 10)
    with pytest.raises(ToolError, match="cannot be unpacked"):
        unpacker.finish()
