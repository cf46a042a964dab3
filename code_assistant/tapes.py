"""--record and --replay: the file of a run, opened once for all of its sessions."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from code_assistant.config.text_files import READ_FLAGS, unreadable
from code_assistant.errors import UsageError
from code_assistant.llm.catalogue import Catalogue
from code_assistant.llm.provider import ClientFactory
from code_assistant.secrets import Masker

if TYPE_CHECKING:
    from code_assistant.llm.recorded_run import RecordedRun


class Tape(Protocol):
    """What stands between agents and providers; `model` is the one to start with, None for the usual one."""

    @property
    def model(self) -> str | None: ...

    @property
    def notices(self) -> tuple[str, ...]: ...

    def around(self, clients: ClientFactory, catalogue: Catalogue, tell: Callable[[str], None]) -> ClientFactory: ...


@contextmanager
def opened_tape(record: Path | None, replay: Path | None, masker: Masker) -> Generator[Tape | None]:
    """Raises an AssistantError for a file that cannot be used."""
    # Only who wants a tape waits for its modules.
    if record is not None:
        from code_assistant.llm.recording import Recording
        from code_assistant.llm.recording_file import RecordingFile

        file = RecordingFile(record, masker)
        try:
            yield Recording(file, masker)
        finally:
            file.close()
    elif replay is not None:
        from code_assistant.llm.replaying import Replay

        yield Replay(_read(replay), masker)
    else:
        yield None


def _read(path: Path) -> RecordedRun:
    from code_assistant.llm.recorded_run import read_run

    try:
        descriptor = os.open(path, READ_FLAGS)
    except FileNotFoundError as error:
        raise UsageError(f"There is no recording {path}. Make one with --record.") from error
    except OSError as error:
        raise unreadable(path, error) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UsageError(f"{path} is not a regular file, so it is no recording.")
    with os.fdopen(descriptor, "rb") as file:
        return read_run(file, str(path))
