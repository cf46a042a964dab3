"""present_plan: the end of plan mode: the person approves the plan, or wants it changed."""

from __future__ import annotations

from pydantic import Field

from code_assistant.errors import ToolError
from code_assistant.events import Display
from code_assistant.messages import Text
from code_assistant.permissions.person import Plan, PlanApproved
from code_assistant.tools.scopes import MAIN_ONLY
from code_assistant.tools.tool import Tool, ToolContext, ToolOutput
from code_assistant.tools.tool_input import ToolInput


class PresentPlanInput(ToolInput):
    plan: str = Field(min_length=1, max_length=50_000, description="The whole plan, as Markdown")


class PresentPlan(Tool[PresentPlanInput]):
    name = "present_plan"
    scopes = MAIN_ONLY
    Input = PresentPlanInput

    def title(self, arguments: PresentPlanInput) -> str:
        return "Presenting the plan"

    async def run(self, arguments: PresentPlanInput, context: ToolContext) -> ToolOutput:
        if context.services.gate.mode != "plan":
            raise ToolError("Plan mode is not on, so no plan needs to be approved: go on with the work.")
        reply = await context.services.person.review(Plan(context.origin, context.tool_call_id, arguments.plan))
        if isinstance(reply, PlanApproved):
            words, summary = "The plan is approved. Carry it out.", f"approved, mode {reply.mode}"
        else:
            words, summary = reply.words, "not approved"
        display = Display("Presented the plan", summary, arguments.plan, "markdown", ("plan",), "whole")
        return ToolOutput((Text(words),), display)
