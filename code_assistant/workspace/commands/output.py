"""The output of a command while it comes: decoded, a bounded part in memory, all of it in a file if it is long."""

from __future__ import annotations

import codecs
from collections.abc import Callable

from code_assistant.errors import WorkspaceError
from code_assistant.secrets import StreamMasker
from code_assistant.workspace.commands.head_tail import HEAD_CHARACTERS, TAIL_CHARACTERS, HeadTail
from code_assistant.workspace.names import plain_size
from code_assistant.workspace.spill import SpillFile, SpillFolder

# As the sanitiser shows it. No reader of text files takes a NUL for text.
NUL_PICTURE = "\u2400"
# For a model.
HOW_TO_PAGE = ", which read_files can page"


class KeptOutput:
    """What the listener is given is text, cut at character borders; bytes that are no UTF-8 become U+FFFD."""

    def __init__(self, spill: SpillFolder, listener: Callable[[str], None]) -> None:
        self.parts = HeadTail()
        self._spill = spill
        self._listener = listener
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._masker = StreamMasker(spill.masker)
        self._file: SpillFile | None = None
        self._problem = ""
        self._is_finished = False

    def add(self, data: bytes) -> None:
        self._add_text(self._masker.feed(self._decoder.decode(data)))

    def finish(self) -> None:
        """Nothing more comes."""
        self._add_text(self._masker.feed(self._decoder.decode(b"", final=True)) + self._masker.flush())
        self._is_finished = True
        self._close()

    def whereabouts(self) -> str:
        """Where the whole output can be read, or why it cannot; makes sure that it is there."""
        self._keep_all()
        if self._file is None:
            return f"the whole output could not be kept: {self._problem}"
        if self._problem:
            return f"the output is in {self._file.path} only up to where it could be written: {self._problem}"
        if self._file.dropped:
            return f"the first {plain_size(self._file.written)} are in {self._file.path}{HOW_TO_PAGE}"
        return f"the whole output is in {self._file.path}{HOW_TO_PAGE}"

    def _add_text(self, text: str) -> None:
        if not text:
            return
        if "\0" in text:
            text = text.replace("\0", NUL_PICTURE)
        if self.parts.characters + len(text) > HEAD_CHARACTERS + TAIL_CHARACTERS:
            self._keep_all()
        self.parts.add(text)
        self._write(text)
        self._listener(text)

    def _keep_all(self) -> None:
        """From now on the file has everything. Begun at the latest while everything is still in memory."""
        if self._file is not None or self._problem:
            return
        try:
            self._file = self._spill.create("command")
        except (WorkspaceError, OSError) as error:
            self._problem = str(error)
            return
        self._write(self.parts.head + self.parts.tail)
        if self._is_finished:
            self._close()

    def _write(self, text: str) -> None:
        if self._file is None or self._problem:
            return
        try:
            self._file.write(text.encode("utf-8"))
        except OSError as error:
            self._problem = error.strerror or str(error)
            self._close()

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
