"""Reads a session's own files while it is open: what its conversation was before one of its prompts."""

from __future__ import annotations

from code_assistant.errors import WorkspaceError
from code_assistant.messages import Message
from code_assistant.session.files import SessionFiles
from code_assistant.session.view_state import ViewEvent

NOT_KEPT = "That message is not kept, so the conversation cannot go back to it."


class FileKeeper:
    def __init__(self, files: SessionFiles) -> None:
        self._files = files

    def keep_view(self, event: ViewEvent) -> None:
        self._files.view.write(event)

    def messages_before(self, prompt_id: str) -> tuple[Message, ...]:
        # Not at the top: most sessions never go back.
        from code_assistant.resuming.conversation import restored
        from code_assistant.session.past import Past

        if not self._files.folder.main_file.exists():
            raise WorkspaceError(NOT_KEPT)
        past = Past(self._files.folder)
        if prompt_id not in past.prompts:
            raise WorkspaceError(NOT_KEPT)
        return restored(past.conversation(before=prompt_id))
