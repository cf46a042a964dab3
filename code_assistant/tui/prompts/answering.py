"""What an answer of the person's means for the session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from code_assistant.tui.prompts.messages import (
    Answer,
    PermissionAnswered,
    PlanApproved,
    PlanRejected,
    QuestionAnswered,
    QuestionDismissed,
)

if TYPE_CHECKING:
    from code_assistant.agent.session import Session


def answer(session: Session, message: Answer) -> None:
    match message:
        case PermissionAnswered():
            session.answer_permission(message.request_id, message.answer, message.reason)
        case QuestionAnswered():
            session.answer_question(message.request_id, message.text)
        case QuestionDismissed():
            session.dismiss_question(message.request_id)
        case PlanApproved():
            session.approve_plan(message.request_id, message.mode)
        case PlanRejected():
            session.reject_plan(message.request_id, message.feedback)
        case _:
            pass
