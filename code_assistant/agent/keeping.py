"""What a session asks of whoever keeps it: the room that reads what was kept is built on this one."""

from __future__ import annotations

from typing import Protocol

from code_assistant.messages import Message
from code_assistant.session.view_state import ViewEvent


class Keeper(Protocol):
    def keep_view(self, event: ViewEvent) -> None:
        """Write down what the person did to the look of the session."""
        ...

    def messages_before(self, prompt_id: str) -> tuple[Message, ...]:
        """The conversation as it was before a prompt; blocks. Raises an AssistantError where that is not kept."""
        ...
