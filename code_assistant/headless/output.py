"""Where a headless run writes: standard output for the answer, standard error for everything around it."""

from __future__ import annotations

import json
import os
import unicodedata
from collections.abc import Mapping
from typing import Any, TextIO

from code_assistant.errors import AssistantError
from code_assistant.json_forms import filtered_json
from code_assistant.sanitize import StreamSanitizer, sanitize, sanitize_line
from code_assistant.secrets import Masker, StreamMasker

DIM, PLAIN = "\x1b[2m", "\x1b[0m"
ERASE_LINE = "\r\x1b[K"
DEFAULT_COLUMNS = 80
MAX_MESSAGE_CHARACTERS = 1500


class ReaderGone(AssistantError):
    """Whoever read the output has left, as `head` does when it has enough. Nothing more can be said to them."""


class OutputFailed(AssistantError):
    """The output cannot be written."""


class Output:
    """Masks the keys in all that is written. What reaches a terminal is sanitised; files and pipes get exact text."""

    def __init__(self, stdout: TextIO, stderr: TextIO, masker: Masker, environ: Mapping[str, str]) -> None:
        self._stdout = stdout
        self._stderr = stderr
        self.masker = masker
        self.live = stdout.isatty()
        self._stream_masker = StreamMasker(masker)
        self._sanitizer = StreamSanitizer()
        self._at_line_start = True
        self._shows_progress = stderr.isatty()
        moves_cursor = self._shows_progress and environ.get("TERM", "dumb") != "dumb"
        self._shows_status = moves_cursor and self.live
        self._status = ""
        self._dim, self._plain = (DIM, PLAIN) if moves_cursor and not environ.get("NO_COLOR") else ("", "")

    def answer(self, text: str) -> None:
        """A whole answer, with a line end behind it."""
        self.answer_piece(text)
        self.end_answer()

    def answer_piece(self, text: str) -> None:
        text = self._stream_masker.feed(text)
        self._write(self._sanitizer.feed(text) if self.live else text)

    def end_answer(self) -> None:
        """Nothing more belongs to the answer being written: bring out what was held back, and end the line."""
        text = self._stream_masker.flush()
        self._write(self._sanitizer.feed(text) + self._sanitizer.flush() if self.live else text)
        if not self._at_line_start:
            self._write("\n")

    def json_line(self, fields: dict[str, Any]) -> None:
        masked = filtered_json(fields, self.masker.mask)
        # ASCII only, DEL included: the data is exact and no terminal can be harmed by it.
        line = json.dumps(masked, ensure_ascii=True, separators=(",", ":")).replace("\x7f", "\\u007f")
        _emit(self._stdout, line + "\n")

    def status(self, text: str) -> None:
        """What goes on right now, for a person who watches: one line that whatever comes next wipes out."""
        if self._shows_status and self._at_line_start and text != self._status:
            self._status = text
            _emit(self._stderr, f"{ERASE_LINE}{self._line(text)}")

    def progress(self, text: str) -> None:
        """A line about what was done, for a person who watches."""
        if self._shows_progress:
            self._wipe_status()
            _emit(self._stderr, self._line(text) + "\n")

    def message(self, text: str) -> None:
        """A line that the person must see: a notice or an error."""
        self._wipe_status()
        # Masked before it is cut, so that no piece of a key is left; indented, so that no line can pass for another.
        words = sanitize(self.masker.mask(text)).replace("\n", "\n  ")
        cut = f"{words[:MAX_MESSAGE_CHARACTERS]}…" if len(words) > MAX_MESSAGE_CHARACTERS else words
        _emit(self._stderr, f"code-assistant: {cut}\n")

    def _line(self, text: str) -> str:
        fitted = cut_to_columns(sanitize_line(self.masker.mask(text)), _columns(self._stderr) - 1)
        return f"{self._dim}{fitted}{self._plain}"

    def _write(self, text: str) -> None:
        if not text:
            return
        self._wipe_status()
        self._at_line_start = text.endswith("\n")
        _emit(self._stdout, text)

    def _wipe_status(self) -> None:
        if self._status:
            self._status = ""
            _emit(self._stderr, ERASE_LINE)


def cut_to_columns(text: str, columns: int) -> str:
    """The text as far as it fits into so many columns, an ellipsis at its end where it does not."""
    used = 0
    fits = 0
    for position, character in enumerate(text):
        wide = unicodedata.east_asian_width(character) in "WF"
        used += 0 if unicodedata.combining(character) else 2 if wide else 1
        if used > columns:
            return f"{text[:fits]}…"
        if used < columns:
            fits = position + 1
    return text


def _columns(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or DEFAULT_COLUMNS
    except OSError:
        return DEFAULT_COLUMNS


def _emit(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError as error:
        raise ReaderGone("The reader of the output has gone.") from error
    except OSError as error:
        raise OutputFailed(f"The output cannot be written: {error.strerror or error}.") from error
