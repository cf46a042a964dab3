"""The files of one session that is open for writing, and the lock that says so."""

from __future__ import annotations

import time
from collections.abc import Callable

from code_assistant.events import Origin
from code_assistant.json_forms import TwoFilters
from code_assistant.secrets import Masker
from code_assistant.session.event_file import EventFile
from code_assistant.session.folder import SessionFolder
from code_assistant.session.header import FORMAT, AgentHeader, SessionHeader
from code_assistant.session.lock import SessionLock
from code_assistant.session.view_state import ViewFile

UNKEPT_WORDS = (
    "This conversation is not being kept whole any more: {0}. "
    "It goes on, but of what is said from now on parts may be missing when it is resumed."
)


class SessionFiles:
    """Nothing is there before the first event is written. `tell` hears once when something cannot be kept."""

    def __init__(
        self,
        folder: SessionFolder,
        header: SessionHeader,
        masker: Masker,
        clock: Callable[[], float] = time.time,
        lock: SessionLock | None = None,
    ) -> None:
        """`lock` is one that is held already."""
        self.folder = folder
        self.header = header
        self.masker = masker
        self._clock = clock
        self.tell: Callable[[str], None] = lambda _: None
        # What could not be kept, in the words that were told.
        self.trouble: str | None = None
        self._lock = lock or SessionLock(folder.lock_file, header.id)
        self._is_held = lock is not None
        self.main = EventFile(folder.main_file, header, masker, self.hold, self.tell_problem, clock)
        storing = TwoFilters(masker.mask_for_storage, exact=masker.mask)
        self.view = ViewFile(folder.view_file, folder.main_file.exists, self.hold, self.tell_problem, storing)

    def hold(self) -> None:
        """Make the folder, and take the lock; raises SessionInUse or WorkspaceError. Once is enough."""
        if not self._is_held:
            self.folder.make()
            self._lock.take()
            self._is_held = True

    def agent_file(self, origin: Origin) -> EventFile:
        """A new file for a sub-agent."""
        header = AgentHeader(FORMAT, self.header.id, self._clock(), origin)
        path = self.folder.agent_file(origin.tool_call_id or origin.agent_id)
        return EventFile(path, header, self.masker, self.hold, self.tell_problem, self._clock)

    def close(self) -> None:
        self.main.close()
        self.view.close()
        self._lock.release()
        self._is_held = False

    def tell_problem(self, reason: str) -> None:
        if self.trouble is None:
            self.trouble = UNKEPT_WORDS.format(reason)
            self.tell(self.trouble)
