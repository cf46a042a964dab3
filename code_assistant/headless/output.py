"""Where a headless run writes: standard output for the answer, standard error for everything around it."""

from __future__ import annotations

import json
from typing import Any, TextIO

from code_assistant.errors import AssistantError
from code_assistant.sanitize import sanitize, sanitize_line
from code_assistant.secrets import Masker, StreamMasker


class ReaderGone(AssistantError):
    """Whoever read the output has left, as `head` does when it has enough. Nothing more can be said to them."""


class OutputFailed(AssistantError):
    """The output cannot be written."""


class Output:
    """Masks the keys in all that is written. What reaches a terminal is sanitised; files and pipes get exact text."""

    def __init__(self, stdout: TextIO, stderr: TextIO, masker: Masker, *, colour: bool) -> None:
        self._stdout = stdout
        self._stderr = stderr
        self.masker = masker
        self._stream_masker = StreamMasker(masker)
        self._at_line_start = True
        self.live = stdout.isatty()
        self._shows_progress = stderr.isatty()
        self._dim, self._plain = ("\x1b[2m", "\x1b[0m") if colour and self._shows_progress else ("", "")

    def answer(self, text: str) -> None:
        """A whole answer, with a line end behind it."""
        self.answer_piece(text)
        self.end_answer()

    def answer_piece(self, text: str) -> None:
        self._write(self._stream_masker.feed(text))

    def end_answer(self) -> None:
        """Nothing more belongs to the answer being written: bring out what was held back, and end the line."""
        self._write(self._stream_masker.flush())
        if not self._at_line_start:
            self._write("\n")

    def json_line(self, fields: dict[str, Any]) -> None:
        # ASCII only, DEL included: the data is exact and no terminal can be harmed by it.
        line = json.dumps(fields, ensure_ascii=True, separators=(",", ":")).replace("\x7f", "\\u007f")
        _emit(self._stdout, self.masker.mask(line) + "\n")

    def progress(self, text: str) -> None:
        """A line about what is being done, for a person who watches."""
        if self._shows_progress:
            _emit(self._stderr, f"{self._dim}{sanitize_line(self.masker.mask(text))}{self._plain}\n")

    def message(self, text: str) -> None:
        """A line that the person must see: a notice or an error."""
        _emit(self._stderr, f"code-assistant: {sanitize(self.masker.mask(text))}\n")

    def _write(self, text: str) -> None:
        if not text:
            return
        self._at_line_start = text.endswith("\n")
        _emit(self._stdout, sanitize(text) if self.live else text)


def _emit(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError as error:
        raise ReaderGone("The reader of the output has gone.") from error
    except OSError as error:
        raise OutputFailed(f"The output cannot be written: {error.strerror or error}.") from error
