"""What the session did to files: shown, and taken back by the person's wish."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from code_assistant.checkpoints.checkpoints import NothingToUndo
from code_assistant.checkpoints.restoring import UndoRefused
from code_assistant.errors import AssistantError
from code_assistant.tui.pickers.picker import Picker, PickerRow
from code_assistant.tui.transcript.blocks import ToolBlock

if TYPE_CHECKING:
    from code_assistant.agent.session import Session
    from code_assistant.checkpoints.checkpoints import Restoration
    from code_assistant.checkpoints.differences import FileDifference
    from code_assistant.tui.app import CodeAssistantApp

NO_SESSION = "There is no session yet, and so nothing that it has changed."
NOTHING_CHANGED = "This conversation has changed no file."
COMMANDS_WORDS = "What commands changed is not known."
THE_REST, NOTHING = "rest", "nothing"
MARKS = {"created": "new", "changed": "", "deleted": "deleted"}


class FileHistory:
    def __init__(self, app: CodeAssistantApp) -> None:
        self._app = app

    async def undo(self) -> None:
        """The changes of the last turn that made any; the session tells what came of it."""
        session = self._session()
        if session is None:
            return
        try:
            await self._take_back(lambda leaving: session.undo(leaving=leaving))
        except NothingToUndo as error:
            self._app.tell(error.person)

    async def rewind(self, prompt_id: str) -> str | None:
        """All changes since a message: what became of them, in words; None where they did not go back."""
        session = self._session()
        if session is None:
            return None
        try:
            return await self._take_back(lambda leaving: session.rewind_files(prompt_id, leaving=leaving))
        except NothingToUndo as error:
            self._app.tell(error.person)
            return ""

    async def show(self) -> None:
        """What the session has changed, a block for each file."""
        app, session = self._app, self._session()
        if session is None:
            return
        try:
            changes = await session.file_changes()
        except AssistantError as error:
            app.tell(error.person, "warning")
            return
        told = f"{changes.summary} changed in this conversation." if changes.files else NOTHING_CHANGED
        app.tell(f"{told} {COMMANDS_WORDS}" if changes.ran_commands else told)
        for each in changes.files:
            app.transcript.add(self._block(each))
        app.view.follow()

    def _block(self, difference: FileDifference) -> ToolBlock:
        clean = self._app.clean
        counts = f"+{difference.added} \N{MINUS SIGN}{difference.removed}" if difference.diff else ""
        words = " · ".join(filter(None, (MARKS[difference.kind], counts, difference.remark)))
        return ToolBlock(
            self._app.transcript.new_id("difference"),
            "",
            clean.line(difference.shown),
            state="success",
            summary=clean.line(words),
            detail=clean.text(difference.diff),
            form="diff",
            is_expanded=bool(difference.diff),
        )

    async def _take_back(self, work: Callable[[bool], Awaitable[Restoration]]) -> str | None:
        """The session tells what became of it; gives those words, None where something could not go back."""
        app = self._app
        try:
            restored = await self._restored(work)
        except NothingToUndo:
            raise
        except AssistantError as error:
            app.tell(error.person, "warning")
            return None
        app.changed_files.look()
        return None if restored is None or restored.failed else restored.words

    async def _restored(self, work: Callable[[bool], Awaitable[Restoration]]) -> Restoration | None:
        try:
            return await work(False)
        except UndoRefused as error:
            self._app.tell(error.person, "warning")
        # Some files stand in the way: the person decides whether the others go back without them.
        rows = [
            PickerRow(NOTHING, "Take nothing back", "all files stay as they are"),
            PickerRow(THE_REST, "Take back the others", "those that were named stay as they are"),
        ]
        picked = await self._app.push_screen_wait(Picker("Not all files can go back", rows))
        return await work(True) if picked == THE_REST else None

    def _session(self) -> Session | None:
        session = self._app.core.session
        if session is None:
            self._app.tell(NO_SESSION, "warning")
        return session
