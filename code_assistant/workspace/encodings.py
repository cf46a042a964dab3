"""How bytes become text: byte order marks, UTF-8, and what is left when it is neither."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

SNIFFED_BYTES = 8192
# The bytes of UTF-8 that begin a character of several bytes, and those that go on with one.
LEAD_BYTES = bytes(range(0xC0, 0x100))
CONTINUATION_BYTES = bytes(range(0x80, 0xC0))

MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF8, "utf-8"),
)
MARK_BEGINNINGS = frozenset(mark[:1] for mark, _ in MARKS)


@dataclass(frozen=True, slots=True)
class ByteOrderMark:
    codec: str
    length: int


def byte_order_mark(head: bytes) -> ByteOrderMark | None:
    """The mark at the beginning of a file; the longer marks are tried first since the shorter begin them."""
    # Nearly every file ends here, and a search comes by with thousands of them.
    if head[:1] not in MARK_BEGINNINGS:
        return None
    for mark, codec in MARKS:
        if head.startswith(mark):
            return ByteOrderMark(codec, len(mark))
    return None


def without_mark(data: bytes, mark: ByteOrderMark) -> bytes:
    """A whole file as UTF-8, without its mark."""
    data = data[mark.length :]
    return data if mark.codec == "utf-8" else data.decode(mark.codec, "replace").encode("utf-8", "replace")


def is_binary(head: bytes) -> bool:
    """Whether a file that begins so is not text. UTF-16 and UTF-32 hold NUL bytes, but have their mark."""
    mark = byte_order_mark(head)
    return (mark is None or mark.codec == "utf-8") and b"\0" in head[:SNIFFED_BYTES]


@dataclass(frozen=True, slots=True)
class Decoding:
    """How to decode a text that has no wide encoding, and what to say about it."""

    codec: str
    remark: str


UTF_8 = Decoding("utf-8", "")
DAMAGED_UTF_8 = Decoding("utf-8", "some bytes are not valid UTF-8 and are shown as \ufffd")
CP1252 = Decoding("cp1252", "not UTF-8; shown as Windows-1252")
LATIN_1 = Decoding("latin-1", "not UTF-8; shown as Latin-1")


def decoding_of(sample: bytes) -> Decoding:
    """UTF-8 where it is; a text with no UTF-8 sequence at all is an older one-byte encoding."""
    if sample.isascii():
        return UTF_8
    try:
        sample.decode()
    except UnicodeDecodeError:
        pass
    else:
        return UTF_8
    if not sample.decode("utf-8", "ignore").isascii():
        return DAMAGED_UTF_8
    try:
        sample.decode("cp1252")
    except UnicodeDecodeError:
        return LATIN_1
    return CP1252


def decoding_of_file(data: bytes) -> Decoding:
    """The same for the bytes of a whole file, its mark included."""
    mark = byte_order_mark(data[:4])
    if mark is None:
        return decoding_of(data)
    return decoding_of(data[mark.length :]) if mark.codec == "utf-8" else UTF_8
