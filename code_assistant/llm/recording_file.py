"""The file of a recording: lines that are written as they happen, private, bounded, secrets masked."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from code_assistant import __version__
from code_assistant.errors import WorkspaceError
from code_assistant.json_forms import TwoFilters
from code_assistant.llm.recording_lines import MAX_LINE_BYTES, VERSION, Line, RecordingBegun, RequestSent, line_text
from code_assistant.private_files import open_private_file
from code_assistant.secrets import Masker

logger = logging.getLogger(__name__)


class RecordingFile:
    """A new file, readable by its owner only. What cannot be written ends the recording, not the run, and is told."""

    def __init__(self, path: Path, masker: Masker, clock: Callable[[], float] = time.monotonic) -> None:
        self.path = path
        self.tell: Callable[[str], None] = logger.warning
        self._masker = masker
        self._clock = clock
        self._started = clock()
        self._file: TextIO = open_private_file(path, must_be_new=True)
        self._is_broken = False
        try:
            self._put(RecordingBegun(VERSION, __version__))
        except OSError as error:
            self.close()
            raise WorkspaceError(f"{path} cannot be written: {error.strerror or error}.") from error

    def now(self) -> float:
        """Seconds since the recording began."""
        return round(self._clock() - self._started, 3)

    def write(self, line: Line) -> None:
        if self._is_broken:
            return
        try:
            self._put(line)
        except (OSError, ValueError) as error:
            self._is_broken = True
            reason = error.strerror if isinstance(error, OSError) else str(error)
            self.tell(f"The recording {self.path} ends here: {reason}.")

    def close(self) -> None:
        with suppress(OSError):
            # What could not be written was told when it happened.
            self._file.close()

    def _put(self, line: Line) -> None:
        self._file.write(f"{self._bounded(line)}\n")

    def _bounded(self, line: Line) -> str:
        """Of a request only its digest is needed to answer it again, so that the rest may be left out."""
        text = self._text(line)
        if len(text) >= MAX_LINE_BYTES and isinstance(line, RequestSent):
            bare = replace(line, system=None, tools=None, kept=0, messages=(), left_out=len(text))
            text = self._text(bare)
        if len(text) >= MAX_LINE_BYTES:
            raise ValueError(f"a line would be larger than {MAX_LINE_BYTES:,} bytes")
        return text

    def _text(self, line: Line) -> str:
        return line_text(line, TwoFilters(self._masker.mask_for_storage, exact=self._masker.mask))
