"""A session is written by one program at a time. The system keeps the lock, and ends it with whoever holds it."""

from __future__ import annotations

import fcntl
import logging
import os
import time
from pathlib import Path

from code_assistant.errors import UsageError, WorkspaceError
from code_assistant.private_files import private_descriptor
from code_assistant.session.regular_files import open_regular

logger = logging.getLogger(__name__)

LOOKS = 4
SECONDS_OF_A_LOOK = 0.01
# More than the number of any process has.
MAX_OWNER_BYTES = 20


class SessionInUse(UsageError):
    """Another program has the session open."""

    kind = "session_in_use"

    def __init__(self, session_id: str, process: int | None) -> None:
        who = f"another program (process {process})" if process is not None else "another program"
        super().__init__(
            f"This session is open in {who}. Leave it there, or go on in a copy of it: "
            f"code-assistant --resume {session_id} --fork"
        )
        self.session_id = session_id
        self.process = process


class SessionLock:
    """Held from `take` to `release`, at the latest to the end of this process, however that ends."""

    def __init__(self, path: Path, session_id: str) -> None:
        self._path = path
        self._session_id = session_id
        self._descriptor: int | None = None

    def take(self) -> None:
        """Raises SessionInUse where somebody else has it, WorkspaceError where no lock can be made."""
        descriptor = private_descriptor(self._path)
        try:
            _locked(descriptor)
        except BlockingIOError as error:
            os.close(descriptor)
            raise SessionInUse(self._session_id, _owner(self._path)) from error
        self._descriptor = descriptor
        try:
            # What a dead process left is written over: the lock itself ended with it.
            os.ftruncate(descriptor, 0)
            os.write(descriptor, f"{os.getpid()}\n".encode("ascii"))
        except OSError as error:
            # A full disk: the lock counts, only who has it cannot be told.
            logger.debug("%s does not say who holds it: %s", self._path, error)

    def release(self) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)


def _locked(descriptor: int) -> None:
    """Whoever only looks has it for an instant; that must not be taken for somebody who works with it."""
    for _ in range(LOOKS):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(SECONDS_OF_A_LOOK)
        else:
            return
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_locked(path: Path) -> bool:
    """Whether some program has the session open."""
    try:
        with open_regular(path) as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except WorkspaceError:
        # Nobody has a lock on what is no file of ours.
        return False
    except BlockingIOError:
        return True
    return False


def _owner(path: Path) -> int | None:
    try:
        with open_regular(path) as file:
            text = file.read(MAX_OWNER_BYTES).strip()
    except (OSError, WorkspaceError):
        return None
    return int(text) if text.isdigit() else None
