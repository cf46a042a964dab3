"""A file's text as bytes that can be searched and changed in place, and the way back to the file's own bytes."""

from __future__ import annotations

from dataclasses import dataclass

from code_assistant.errors import ToolError, WorkspaceError
from code_assistant.workspace.encodings import (
    CP1252,
    DAMAGED_UTF_8,
    LATIN_1,
    UTF_8,
    Decoding,
    byte_order_mark,
    decoding_of,
)

ENCODING_NAMES = {CP1252.codec: "Windows-1252", LATIN_1.codec: "Latin-1"}
STAND_IN = "\ufffd"


@dataclass(frozen=True, slots=True)
class FileText:
    """`body` is the text without its mark: the file's own bytes, but UTF-8 for UTF-16 and UTF-32.

    In every one of these encodings the ASCII characters are single bytes that stand for nothing else, so that lines
    can be told apart without decoding. `tail` are bytes at the end that are not even a whole unit of a wide encoding.
    """

    mark: bytes
    body: bytes
    tail: bytes
    wide: str | None
    decoding: Decoding

    def data(self, body: bytes) -> bytes:
        """The bytes of a file with another body."""
        if self.wide is not None:
            body = body.decode("utf-8", "surrogatepass").encode(self.wide, "surrogatepass")
        # Large texts are copied only where something belongs around them.
        return b"".join((self.mark, body, self.tail)) if self.mark or self.tail else body

    def encoded(self, text: str, what: str) -> bytes:
        """The bytes that a text has in this file; raises ToolError for a character that the encoding has not."""
        if self.decoding is DAMAGED_UTF_8 and STAND_IN in text:
            raise ToolError(
                f"{what} holds {STAND_IN} (U+FFFD), which only stands for bytes of the file that are no text. "
                "Leave those bytes alone: edit the text around them."
            )
        try:
            return text.encode(self.decoding.codec)
        except UnicodeEncodeError as error:
            character = text[error.start]
            name = ENCODING_NAMES.get(self.decoding.codec, self.decoding.codec)
            raise ToolError(
                f"The file is {name}, which does not have the character {character!r} (U+{ord(character):04X}) of "
                f"{what}. Write it in another way."
            ) from error

    def shown(self, part: bytes) -> str:
        """A part of the body as read_files shows it."""
        if self.wide is not None and self.decoding is DAMAGED_UTF_8:
            return part.decode("utf-8", "surrogatepass").encode(self.wide, "surrogatepass").decode(self.wide, "replace")
        return part.decode(self.decoding.codec, "replace")


NEW_FILE = FileText(b"", b"", b"", None, UTF_8)


def file_text(data: bytes, shown: str) -> FileText:
    """Raises WorkspaceError for a file that is not text."""
    mark = byte_order_mark(data[:4])
    if mark is not None and mark.codec != "utf-8":
        return _wide_text(data, mark.codec, mark.length, shown)
    if b"\0" in data:
        raise WorkspaceError(f"{shown} is a binary file; only text can be changed.")
    begin = mark.length if mark is not None else 0
    body = data[begin:]
    return FileText(data[:begin], body, b"", None, decoding_of(body))


def _wide_text(data: bytes, codec: str, begin: int, shown: str) -> FileText:
    unit = 4 if codec.startswith("utf-32") else 2
    end = len(data) - (len(data) - begin) % unit
    try:
        # Halves of pairs pass through, so that damaged text comes back as it was.
        body = data[begin:end].decode(codec, "surrogatepass").encode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise WorkspaceError(f"{shown} begins like {codec[:6].upper()} but is not; it cannot be changed.") from error
    is_whole = decoding_of(body) is UTF_8
    return FileText(data[:begin], body, data[end:], codec, UTF_8 if is_whole else DAMAGED_UTF_8)
