"""ask_user: a question that only the person can answer."""

from __future__ import annotations

from pydantic import Field

from code_assistant.events import Choice, Display
from code_assistant.messages import Text
from code_assistant.permissions.person import Answered, Question
from code_assistant.tools.scopes import MAIN_ONLY
from code_assistant.tools.tool import Tool, ToolContext, ToolOutput
from code_assistant.tools.tool_input import ToolInput


class OfferedAnswer(ToolInput):
    label: str = Field(min_length=1, max_length=100, description="The answer in a few words")
    description: str = Field(default="", max_length=500, description="What it would mean")


class AskUserInput(ToolInput):
    question: str = Field(min_length=1, max_length=4000)
    choices: list[OfferedAnswer] = Field(
        default=[], max_length=8, description="Answers to offer; the person may always write another one"
    )
    several: bool = Field(default=False, description="More than one of the choices may be picked")


class AskUser(Tool[AskUserInput]):
    name = "ask_user"
    scopes = MAIN_ONLY
    Input = AskUserInput

    def title(self, arguments: AskUserInput) -> str:
        return f"Asking: {arguments.question}"

    async def run(self, arguments: AskUserInput, context: ToolContext) -> ToolOutput:
        choices = tuple(Choice(each.label, each.description) for each in arguments.choices)
        question = Question(context.origin, context.tool_call_id, arguments.question, choices, arguments.several)
        reply = await context.services.person.answer(question)
        title = f"Asked: {arguments.question}"
        if isinstance(reply, Answered):
            words = f"The person answers: {reply.text}"
            detail = f"{arguments.question}\n\n{reply.text}"
            return ToolOutput((Text(words),), Display(title, f"answered: {reply.text}", detail, covers=("question",)))
        return ToolOutput((Text(reply.words),), Display(title, "not answered", reply.words))
