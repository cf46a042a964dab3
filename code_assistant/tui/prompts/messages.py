"""What panels tell the screen. Each panel sends at most one answer."""

from __future__ import annotations

from textual.message import Message

from code_assistant.permissions.answers import PermissionAnswer, WorkingMode
from code_assistant.tui.start import TrustAnswer


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


class TrustMessage(PromptMessage):
    """About the question of trust; it is not for the session, which there is none of yet."""


class TrustAnswered(TrustMessage):
    """What the person says of the folder."""

    def __init__(self, request_id: str, answer: TrustAnswer) -> None:
        super().__init__(request_id)
        self.answer: TrustAnswer = answer


class TrustListWanted(TrustMessage):
    """The person wants to read what would become active, before they answer."""


class QuitWanted(TrustMessage):
    """Leave instead of answering."""


class Hidden(PromptMessage):
    """The person wants it out of the way; it still waits."""
