"""All that has to do with what was said and done before, together; the first frame does without it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from code_assistant.tui.past.conversations import Conversations
from code_assistant.tui.past.file_history import FileHistory
from code_assistant.tui.past.past_screen import PastScreen
from code_assistant.tui.past.rewinding import Rewinding
from code_assistant.tui.past.turning import Turning

if TYPE_CHECKING:
    from code_assistant.tui.app import CodeAssistantApp


class PastDesk:
    def __init__(self, app: CodeAssistantApp) -> None:
        self.screen = PastScreen(app)
        self.turning = Turning(app)
        self.conversations = Conversations(app)
        self.rewinding = Rewinding(app)
        self.files = FileHistory(app)
