"""The private log of --debug: every event and what the libraries log, a JSON object a line, secrets masked."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import AsyncIterable, Callable, Coroutine, Generator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO, TypeAlias

from code_assistant.config.paths import state_folder
from code_assistant.events import Event, OutputAdded, TextDelta, ThinkingDelta
from code_assistant.json_forms import filtered_json
from code_assistant.private_files import make_private_folder, open_private_file
from code_assistant.secret_formats import mask_formats
from code_assistant.secrets import Masker

Recorder: TypeAlias = Callable[[AsyncIterable[Event]], Coroutine[object, object, None]]


def quieten_libraries() -> None:
    """What is logged or warned of goes to the debug log or nowhere: the terminal gets only what was made safe."""
    logging.getLogger().addHandler(logging.NullHandler())
    logging.captureWarnings(True)


@contextmanager
def opened_log(
    is_wanted: bool, environ: Mapping[str, str], masker: Masker, tell: Callable[[str], None]
) -> Generator[tuple[Recorder, ...]]:
    """The log as a recorder for sessions, none where it is not wanted; it is closed after they are."""
    if not is_wanted:
        yield ()
        return
    log = DebugLog(environ, masker, tell)
    tell(f"debug log: {log.path}")
    log.start()
    try:
        yield (log.record,)
    finally:
        log.close()


class DebugLog(logging.Handler):
    """One file per run, readable by its owner only."""

    def __init__(self, environ: Mapping[str, str], masker: Masker, warn: Callable[[str], None]) -> None:
        folder = state_folder(environ)
        make_private_folder(folder)
        make_private_folder(folder / "logs")
        stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
        self.path: Path = folder / "logs" / f"debug-{stamp}-{os.getpid()}.jsonl"
        self._file: TextIO = open_private_file(self.path)
        self._masker = masker
        self._warn = warn
        self._broken = False
        super().__init__(logging.DEBUG)

    def start(self) -> None:
        """Take what the libraries log as well."""
        logging.getLogger().addHandler(self)
        logging.getLogger().setLevel(logging.DEBUG)

    async def record(self, events: AsyncIterable[Event]) -> None:
        async for event in events:
            try:
                fields = asdict(event)
            except RecursionError:
                # A model may nest the input of a tool as deep as it likes.
                fields = {"problem": "nested too deeply to be written down"}
            if isinstance(event, TextDelta | ThinkingDelta | OutputAdded):
                # The whole text follows when it is complete; in pieces, a key could not be told from other text.
                fields["text"] = f"({len(event.text)} characters)"
            self._write({"event": type(event).__name__, **fields})

    def emit(self, record: logging.LogRecord) -> None:
        text = self.format(record) if record.exc_info else record.getMessage()
        self._write({"log": record.name, "level": record.levelname, "text": text})

    def close(self) -> None:
        logging.getLogger().removeHandler(self)
        with suppress(OSError):
            # What could not be written was said when it happened.
            self._file.close()
        super().close()

    def _write(self, fields: dict[str, Any]) -> None:
        fields = {"at": datetime.now().isoformat(timespec="milliseconds"), **fields}
        masked = filtered_json(fields, self._masker.mask)
        # Forms are looked for in the whole line: what a value is may be told by its name.
        line = mask_formats(json.dumps(masked, default=lambda found: self._masker.mask(str(found)))) + "\n"
        try:
            with self.lock or nullcontext():
                if not self._broken:
                    self._file.write(line)
        except OSError as error:
            # The log is a help, not the work: the run goes on without it.
            self._broken = True
            self._warn(f"The debug log cannot be written any more: {error.strerror or error}.")
