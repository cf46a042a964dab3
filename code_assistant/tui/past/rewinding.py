"""Going back to an earlier message: the conversation, the files, or both; or on from there in a copy."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from code_assistant.errors import AssistantError
from code_assistant.events import PromptStarted
from code_assistant.messages import Message
from code_assistant.session.past import Past
from code_assistant.tui.bridge import said
from code_assistant.tui.composer.draft import Draft
from code_assistant.tui.past.past_screen import LoadedPast
from code_assistant.tui.pickers.picker import Picker, PickerRow

if TYPE_CHECKING:
    from code_assistant.tui.app import CodeAssistantApp

BACK = "The conversation is what it was before that message, which is back in the input."
NOTHING = "There is no message to go back to yet."
WORKING = "Something is being worked on. Interrupt it first, then go back."
SHOWN_CHARACTERS = 200


class Rewinding:
    def __init__(self, app: CodeAssistantApp) -> None:
        self._app = app

    async def choose(self) -> None:
        app, session = self._app, self._app.core.session
        if session is None:
            app.tell(NOTHING)
            return
        if app.state.working_since is not None or app.state.queue:
            app.tell(WORKING, "warning")
            return
        try:
            prompts = await self._prompts(session.id)
        except AssistantError:
            # Nothing was said yet, so there is nothing on disk.
            prompts = []
        if not prompts:
            app.tell(NOTHING)
            return
        rows = [PickerRow(each.prompt_id, self._words(each.message)) for each in reversed(prompts)]
        picked = await app.push_screen_wait(Picker("Go back to before which message?", rows))
        chosen = next((each for each in prompts if each.prompt_id == picked), None)
        if chosen is not None:
            await self._choose_what(chosen)

    async def _choose_what(self, prompt: PromptStarted) -> None:
        rows = [
            PickerRow("both", "Both", "conversation and files, as before this message"),
            PickerRow("conversation", "Conversation only", "files stay as they are"),
            PickerRow("files", "Files only", "what was said stays"),
            PickerRow("fork", "In a copy from there", "this conversation stays as it is"),
        ]
        picked = await self._app.push_screen_wait(Picker("What is to go back?", rows))
        try:
            match picked:
                case "both":
                    await self._rewind_both(prompt)
                case "conversation":
                    await self._rewind(prompt, "")
                case "files":
                    await self._app.past.files.rewind(prompt.prompt_id)
                case "fork":
                    if await self._app.past.conversations.fork(prompt.prompt_id):
                        self._give_back(prompt)
                case _:
                    pass
        except AssistantError as error:
            self._app.tell(error.person, "error")

    async def _rewind_both(self, prompt: PromptStarted) -> None:
        """What cannot go back as a whole does not go back in part."""
        # Before anything is touched: whether there is that message to go back to.
        await self._loaded(prompt)
        told = await self._app.past.files.rewind(prompt.prompt_id)
        if told is not None:
            await self._rewind(prompt, told)

    async def _rewind(self, prompt: PromptStarted, told: str) -> None:
        """`told` is what became of files, which would be gone from the screen with the rest."""
        app, session = self._app, self._app.core.session
        if session is None:
            return
        loaded = await self._loaded(prompt)
        await session.rewind(prompt.prompt_id)
        # In the same step: whatever the session says next comes behind what is shown now.
        app.past.turning.back_to(loaded)
        if told:
            app.tell(told)
        app.tell(BACK)
        self._give_back(prompt)

    async def _loaded(self, prompt: PromptStarted) -> LoadedPast:
        app, session = self._app, self._app.core.session
        past = await app.backstage.read_past(session.id if session is not None else "")
        past.cut_before(prompt.prompt_id)
        return await app.past.screen.load(past)

    def _give_back(self, prompt: PromptStarted) -> None:
        if self._app.composer.is_empty:
            self._app.composer.put(Draft(prompt.message.text))

    async def _prompts(self, session_id: str) -> list[PromptStarted]:
        past = await self._app.backstage.read_past(session_id)
        return await asyncio.to_thread(_prompts_of, past)

    def _words(self, message: Message) -> str:
        return self._app.clean.line(" ".join(said(message).split()))[:SHOWN_CHARACTERS]


def _prompts_of(past: Past) -> list[PromptStarted]:
    """Those in which the person said something."""
    found = (entry.event for entry in past.entries(past.segments, ("PromptStarted",)))
    return [event for event in found if isinstance(event, PromptStarted) and event.message.content]
