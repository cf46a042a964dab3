"""All sessions of the person on this machine: make one, find one, open one, copy one, remove some."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from code_assistant import __version__
from code_assistant.errors import WorkspaceError
from code_assistant.private_files import make_private_folder, private_descriptor
from code_assistant.secrets import Masker
from code_assistant.session.files import SessionFiles
from code_assistant.session.folder import SESSION_ID, SessionFolder
from code_assistant.session.header import FORMAT, ForkPoint, SessionHeader, header_line
from code_assistant.session.lock import SessionInUse, SessionLock, is_locked
from code_assistant.session.not_found import SessionNotFound

if TYPE_CHECKING:
    from code_assistant.session.past import Past
    from code_assistant.session.summary import SessionSummary

# What a session is called from the moment that it is deleted: no name that a session could have.
DOOMED = ".deleted-"


class SessionStore:
    """`folder` is where sessions are, one folder each. Everything here blocks."""

    def __init__(self, folder: Path, masker: Masker, clock: Callable[[], float] = time.time) -> None:
        self.folder = folder
        self.masker = masker
        self._clock = clock

    def new(self, working_folder: Path, branch: str | None) -> SessionFiles:
        """A new session; nothing of it is on disk before something is said in it."""
        header = SessionHeader(FORMAT, str(uuid4()), self._clock(), str(working_folder), __version__, branch)
        return SessionFiles(SessionFolder(self.folder / header.id), header, self.masker, self._clock)

    def list(self) -> list[SessionSummary]:
        """All of them, the one that was changed last first."""
        # Like all that reads: who only begins a session need not wait for it.
        from code_assistant.session.index import list_sessions

        return list_sessions(self.folder)

    def latest(self, working_folder: Path) -> str:
        """The session that was last used in a folder; raises SessionNotFound."""
        for summary in self.list():
            if summary.folder == str(working_folder):
                return summary.id
        raise SessionNotFound(f"No conversation was held in {working_folder} yet, so there is none to go on with.")

    def find(self, text: str) -> str:
        """The one session whose id begins with a text; raises SessionNotFound."""
        found = [summary.id for summary in self.list() if summary.id.startswith(text.lower())] if text else []
        if len(found) == 1:
            return found[0]
        if not found:
            raise _not_found(text)
        raise SessionNotFound(f"{len(found)} sessions begin with {text!r}. Write more of the id.")

    def read(self, session_id: str) -> Past:
        """What stands in a session, which may be open elsewhere. Only an earlier format is changed: to today's."""
        from code_assistant.session.past import Past

        folder = self._existing(session_id)
        past = Past(folder)
        if past.header.version == FORMAT:
            return past
        lock = SessionLock(folder.lock_file, session_id)
        lock.take()
        try:
            return Past.mended(folder)
        finally:
            lock.release()

    def open(self, session_id: str) -> tuple[SessionFiles, Past]:
        """Go on with a session: it is locked, and mended where that is needed.

        Raises SessionInUse where another program has it open, SessionNotFound, or a WorkspaceError.
        """
        from code_assistant.session.past import Past

        folder = self._existing(session_id)
        lock = SessionLock(folder.lock_file, session_id)
        lock.take()
        try:
            # Of a session that somebody has brought here by hand a folder may be missing.
            folder.make()
            past = Past.mended(folder)
        except BaseException:
            lock.release()
            raise
        return SessionFiles(folder, past.header, self.masker, self._clock, lock), past

    def fork(self, session_id: str, before: str | None = None) -> str:
        """A copy of a session, up to a prompt or whole; gives its id. The original may be open elsewhere."""
        from code_assistant.checkpoints.copying import copy_checkpoints

        past = self.read(session_id)
        copy_id = str(uuid4())
        header = replace(past.header, id=copy_id, created=self._clock(), forked_from=ForkPoint(session_id, before))
        source, target = past.folder, SessionFolder(self.folder / copy_id)
        target.make()
        try:
            _write_new(target.main_file, (header_line(header), *past.lines_before(before)))
            for path in (*source.agent_files(), source.view_file):
                if path.is_file():
                    _write_new(target.path / path.relative_to(source.path), (path.read_bytes(),))
            copy_checkpoints(source.checkpoints, target.checkpoints, past.all_prompts(), before)
        except BaseException as error:
            shutil.rmtree(target.path, ignore_errors=True)
            if isinstance(error, OSError):
                raise WorkspaceError(f"{source.path} cannot be copied: {error.strerror or error}.") from error
            raise
        return copy_id

    def delete(self, session_id: str) -> None:
        """Raises SessionInUse for one that is open."""
        folder = self._existing(session_id)
        lock = SessionLock(folder.lock_file, session_id)
        lock.take()
        try:
            # Out of sight first: nobody can open what is half gone.
            doomed = folder.path.rename(self.folder / f"{DOOMED}{session_id}")
            # Somebody else may be clearing away, too.
            with suppress(FileNotFoundError):
                shutil.rmtree(doomed)
        except OSError as error:
            raise WorkspaceError(f"{folder.path} could not be removed: {error.strerror or error}.") from error
        finally:
            lock.release()

    def prunable(self, before: float) -> list[SessionSummary]:
        """What was not changed since a time, and is not open."""
        return [summary for summary in self.list() if summary.changed < before and not self.is_open(summary.id)]

    def prune(self, before: float) -> list[SessionSummary]:
        """Remove what was not changed since a time; what is open stays. Gives what was removed.

        Raises WorkspaceError for one that cannot be removed, after all others are.
        """
        removed: list[SessionSummary] = []
        trouble: WorkspaceError | None = None
        for summary in self.prunable(before):
            try:
                self.delete(summary.id)
            except (SessionInUse, SessionNotFound):
                # Opened, or removed by somebody else, in this very moment.
                continue
            except WorkspaceError as error:
                if (self.folder / summary.id).exists():
                    trouble = trouble or error
                continue
            removed.append(summary)
        # What a deletion left that did not come to its end.
        for rest in self.folder.glob(f"{DOOMED}*"):
            shutil.rmtree(rest, ignore_errors=True)
        if trouble is not None:
            raise trouble
        return removed

    def is_open(self, session_id: str) -> bool:
        """Whether some program has it open for writing."""
        return is_locked(SessionFolder(self.folder / session_id).lock_file)

    def _existing(self, session_id: str) -> SessionFolder:
        folder = SessionFolder(self.folder / session_id)
        if not SESSION_ID.fullmatch(session_id) or not folder.main_file.is_file():
            raise _not_found(session_id)
        make_private_folder(self.folder)
        make_private_folder(folder.path)
        folder.require_own_files()
        return folder


def _not_found(wanted: str) -> SessionNotFound:
    return SessionNotFound(f"There is no session {wanted!r}. code-assistant sessions list --all shows them all.")


def _write_new(path: Path, parts: Iterable[bytes]) -> None:
    descriptor = private_descriptor(path, must_be_new=True)
    with os.fdopen(descriptor, "wb") as file:
        file.writelines(parts)
