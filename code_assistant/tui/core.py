"""The session behind the screen: opened after the first frame, closed and awaited before the end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING

from code_assistant.errors import AssistantError
from code_assistant.permissions.modes import PermissionMode
from code_assistant.tui.composer.draft import Draft
from code_assistant.tui.start import Backstage, HeldPast, OpenedSession

if TYPE_CHECKING:
    from code_assistant.agent.session import Session
    from code_assistant.events import Event
    from code_assistant.messages import Image

logger = logging.getLogger(__name__)

FAULT = "The session ended by a fault of the program, please report it: {error}. Begin a new one with /new."


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no session, in words for the person."""

    words: str


class Core:
    """What is sent while the session is still being opened goes out as soon as it is there.

    `last_id` is the session that was opened last, also when it is over.
    """

    def __init__(
        self,
        backstage: Backstage,
        take: Callable[[Event], None],
        opened: Callable[[OpenedSession | Failure], None],
    ) -> None:
        self._backstage = backstage
        self._take = take
        self._tell_opened = opened
        self._opened: OpenedSession | None = None
        self._failure: Failure | None = None
        self.last_id: str | None = None
        self._early: list[tuple[Draft, tuple[Image, ...]]] = []
        self._drafts: dict[str, Draft] = {}
        self._is_closing = False
        self._is_over = asyncio.Event()
        self._is_over.set()

    @property
    def session(self) -> Session | None:
        return self._opened.session if self._opened is not None else None

    @property
    def failure(self) -> Failure | None:
        return self._failure

    @property
    def is_running(self) -> bool:
        """Whether there is a session, or one is being opened."""
        return not self._is_over.is_set()

    def refuse(self, words: str) -> None:
        """There is no session, and will be none before another one is run."""
        self._failure = Failure(words)

    @property
    def early(self) -> tuple[Draft, ...]:
        """What waits for the session itself."""
        return tuple(draft for draft, _ in self._early)

    def run(self, mode: PermissionMode, model: str | None, held: HeldPast | None = None) -> Coroutine[None, None, None]:
        """One session from its opening to its end, to be run at once; `close` ends it, also while it is opened."""
        self._failure = None
        self._drafts.clear()
        # Before its task has taken a step: whoever closes now must wait for it.
        self._is_over.clear()
        return self._run(mode, model, held)

    async def _run(self, mode: PermissionMode, model: str | None, held: HeldPast | None) -> None:
        try:
            try:
                self._opened = await self._backstage.open_session(mode, model, held)
            except AssistantError as error:
                self._failure = Failure(error.person)
                self._tell_opened(self._failure)
                return
            self.last_id = self._opened.session.id
            async with self._opened.session:
                if self._is_closing:
                    return
                self._tell_opened(self._opened)
                while self._early:
                    # Not taken away before it is sent: whatever fails, it can be taken back.
                    self._send(self._opened.session, *self._early[0])
                    del self._early[0]
                async for event in self._opened.events:
                    self._take(event)
        except Exception as error:
            # Whatever it was, nobody may wait for a session that is gone.
            logger.exception("The session ended by a fault")
            self._failure = Failure(FAULT.format(error=repr(error)))
            self._tell_opened(self._failure)
        finally:
            self._opened = None
            self._is_over.set()

    def send(self, draft: Draft, images: tuple[Image, ...]) -> bool:
        """False when there is no session and there will be none. While one is being closed it waits for the next."""
        if self._failure is not None:
            return False
        session = self.session
        if session is None or self._is_closing:
            self._early.append((draft, images))
        else:
            self._send(session, draft, images)
        return True

    def _send(self, session: Session, draft: Draft, images: tuple[Image, ...]) -> None:
        if draft.kind == "shell":
            self._drafts[session.run_shell(draft.command)] = draft
        else:
            self._drafts[session.send(draft.text, images)] = draft

    def compact(self, focus: str) -> bool:
        """False when there is no session. Taken back, it is the command that it was."""
        session = self.session
        if session is None or self._is_closing:
            return False
        self._drafts[session.compact(focus)] = Draft(f"/compact {focus}".rstrip())
        return True

    def take_back(self) -> tuple[Draft, ...]:
        """All that waits, the oldest first; after a fault all that had not begun."""
        early, self._early = self.early, []
        if self._failure is not None:
            queued = tuple(self._drafts)
        else:
            queued = self.session.take_back() if self.session is not None else ()
        return (*(self._drafts.pop(each) for each in queued if each in self._drafts), *early)

    def forget(self, prompt_id: str) -> Draft | None:
        """A prompt no longer waits: it cannot be taken back. Gives what it was."""
        return self._drafts.pop(prompt_id, None)

    async def close(self) -> None:
        """End all work and wait until nothing of it is left."""
        self._is_closing = True
        try:
            if self._opened is not None:
                await self._opened.session.close()
            await self._is_over.wait()
        finally:
            self._is_closing = False
