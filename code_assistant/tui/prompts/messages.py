"""What panels tell the screen. Each panel sends at most one answer."""

from __future__ import annotations

from textual.message import Message

from code_assistant.permissions.answers import PermissionAnswer, WorkingMode


class PromptMessage(Message):
    def __init__(self, request_id: str) -> None:
        super().__init__()
        self.request_id = request_id


class Answer(PromptMessage):
    """The person has decided; it is for the session."""


class PermissionAnswered(Answer):
    def __init__(self, request_id: str, answer: PermissionAnswer, reason: str = "") -> None:
        super().__init__(request_id)
        self.answer: PermissionAnswer = answer
        self.reason = reason


class QuestionAnswered(Answer):
    def __init__(self, request_id: str, text: str) -> None:
        super().__init__(request_id)
        self.text = text


class QuestionDismissed(Answer):
    """The person does not want to answer."""


class PlanApproved(Answer):
    def __init__(self, request_id: str, mode: WorkingMode) -> None:
        super().__init__(request_id)
        self.mode: WorkingMode = mode


class PlanRejected(Answer):
    """Keep planning; the feedback says what to change and may be empty."""

    def __init__(self, request_id: str, feedback: str) -> None:
        super().__init__(request_id)
        self.feedback = feedback


class Hidden(PromptMessage):
    """The person wants it out of the way; it still waits."""
