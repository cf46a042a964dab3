"""The session behind the screen: opened after the first frame, closed and awaited before the end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from code_assistant.errors import AssistantError
from code_assistant.events import Event
from code_assistant.permissions.modes import PermissionMode
from code_assistant.tui.composer.draft import Draft
from code_assistant.tui.start import Backstage, OpenedSession

if TYPE_CHECKING:
    from code_assistant.agent.session import Session
    from code_assistant.messages import Image


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no session, in words for the person."""

    words: str


class Core:
    """What is sent while the session is still being opened goes out as soon as it is there."""

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
        self._early: list[tuple[Draft, tuple[Image, ...]]] = []
        self._drafts: dict[str, Draft] = {}
        self._is_over = asyncio.Event()
        self._is_over.set()

    @property
    def session(self) -> Session | None:
        return self._opened.session if self._opened is not None else None

    @property
    def failure(self) -> Failure | None:
        return self._failure

    @property
    def early(self) -> tuple[Draft, ...]:
        """What waits for the session itself."""
        return tuple(draft for draft, _ in self._early)

    async def run(self, mode: PermissionMode, model: str | None) -> None:
        """One session from its opening to its end; whoever owns this task closes the session to end it."""
        self._failure = None
        self._is_over.clear()
        try:
            try:
                self._opened = await self._backstage.open_session(mode, model)
            except AssistantError as error:
                self._failure = Failure(error.person)
                self._tell_opened(self._failure)
                return
            async with self._opened.session:
                self._tell_opened(self._opened)
                early, self._early = self._early, []
                for draft, images in early:
                    self.send(draft, images)
                async for event in self._opened.events:
                    self._take(event)
        finally:
            self._opened = None
            self._is_over.set()

    def send(self, draft: Draft, images: tuple[Image, ...]) -> bool:
        """False when there is no session and there will be none."""
        if self._failure is not None:
            return False
        session = self.session
        if session is None:
            self._early.append((draft, images))
        elif draft.kind == "shell":
            self._drafts[session.run_shell(draft.command)] = draft
        else:
            self._drafts[session.send(draft.text, images)] = draft
        return True

    def take_back(self) -> tuple[Draft, ...]:
        """All that waits, the oldest first."""
        early, self._early = self.early, []
        queued = self.session.take_back() if self.session is not None else ()
        return (*early, *(self._drafts[each] for each in queued if each in self._drafts))

    def forget(self, prompt_id: str) -> None:
        """A prompt is being worked on: it can no longer be taken back."""
        self._drafts.pop(prompt_id, None)

    async def close(self) -> None:
        """End all work and wait until nothing of it is left."""
        if self._opened is not None:
            await self._opened.session.close()
        await self._is_over.wait()
