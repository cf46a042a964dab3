"""What the person sends: prompts with the images that they mention, shell lines, commands; and taking it back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TYPE_CHECKING, Protocol

from code_assistant.tui import commands
from code_assistant.tui.composer.composer import Composer
from code_assistant.tui.composer.draft import Draft
from code_assistant.tui.core import Core
from code_assistant.tui.painter import Painter
from code_assistant.tui.start import Backstage
from code_assistant.tui.state import ScreenState
from code_assistant.tui.widgets.transcript_view import TranscriptView

if TYPE_CHECKING:
    from code_assistant.events import NoticeLevel

NO_SESSION = "There is no session to send this to."
NOTHING_TO_COMPACT = "There is no session yet, and so nothing to compact."


class SendingHost(commands.Host, Protocol):
    """What sending asks of the app."""

    core: Core
    composer: Composer
    view: TranscriptView
    painter: Painter
    state: ScreenState

    def tell(self, text: str, level: NoticeLevel = "info") -> None: ...
    def run_worker(self, work: Awaitable[None], *, group: str, exit_on_error: bool) -> object: ...


class Sender:
    """`can_retry` is whether the last prompt failed, so that sending nothing tries it again."""

    def __init__(self, host: SendingHost, backstage: Backstage) -> None:
        self._host = host
        self._backstage = backstage
        self._in_turn = asyncio.Lock()
        self.can_retry = False

    def send(self, draft: Draft) -> None:
        if draft.kind == "command":
            self._find_command(draft)
        elif self._host.state.is_undecided:
            self._host.composer.put(draft)
            self._host.dialogues.trusting.say_first()
        else:
            # Now, and not when it begins: by then the person may be reading further up.
            self._host.view.follow()
            self._host.run_worker(self._send_with_images(draft), group="sending", exit_on_error=False)

    def compact(self, focus: str) -> None:
        if self._host.core.compact(focus):
            self._host.view.follow()
            self._host.painter.request()
        else:
            self._host.tell(NOTHING_TO_COMPACT, "warning")

    def send_nothing(self) -> None:
        session = self._host.core.session
        if self.can_retry and session is not None:
            self._host.view.follow()
            session.retry()

    def take_back(self) -> None:
        if waiting := self._host.core.take_back():
            self._host.composer.take_back(waiting)
            self._host.painter.request()

    def run_command(self, command: commands.Command, argument: str = "") -> None:
        if self._host.state.is_undecided and not command.is_for_any_time:
            self._host.dialogues.trusting.say_first()
            return
        result = command.run(self._host, argument)
        if result is not None:
            self._host.run_worker(result, group="commands", exit_on_error=False)

    async def _send_with_images(self, draft: Draft) -> None:
        """Images that the text mentions go along; reading them must not overtake what was sent before."""
        host = self._host
        async with self._in_turn:
            try:
                images = draft.images
                if draft.kind == "prompt" and "@" in draft.text:
                    mentioned, problems = await asyncio.to_thread(self._backstage.mentioned_images, draft.text)
                    images = (*images, *mentioned)
                    for words in problems:
                        host.tell(words, "warning")
                is_sent = host.core.send(draft, images)
            except Exception:
                host.composer.take_back((draft,))
                raise
            if not is_sent:
                host.composer.take_back((draft,))
                host.tell(host.core.failure.words if host.core.failure is not None else NO_SESSION, "error")
            host.painter.request()

    def _find_command(self, draft: Draft) -> None:
        command, name, argument = commands.find(draft.text)
        if command is None:
            self._host.composer.put(draft)
            self._host.tell(commands.unknown_words(name), "warning")
            return
        self.run_command(command, argument)
