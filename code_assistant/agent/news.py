"""Lines for the model that came up since its last request: the mode it works in now, commands that ended."""

from __future__ import annotations

from code_assistant.tools.services import ToolServices

PLAN_LINE = (
    "[Plan mode is on: find out and plan. Nothing may be changed and no command run until the person approves. "
    "When the plan is ready, call present_plan with the whole of it.]"
)
PLAN_LINE_OF_CHILDREN = "[Plan mode is on: nothing may be changed and no command run. Find out, and answer.]"
PLAN_OVER_LINE = "[Plan mode is over: files may be changed and commands run now, as far as that is allowed.]"


class News:
    """One per agent. Each line is given once. Only the main agent presents plans."""

    def __init__(self, services: ToolServices, *, presents_plans: bool = True) -> None:
        self._services = services
        self._plan_line = PLAN_LINE if presents_plans else PLAN_LINE_OF_CHILDREN
        self._told_of_plan = False

    def retell(self) -> None:
        """What was told may be gone from the conversation: what still counts is told again."""
        self._told_of_plan = False

    def lines(self) -> tuple[str, ...]:
        return (*self._mode_lines(), *self._services.commands.news())

    def _mode_lines(self) -> tuple[str, ...]:
        is_planning = self._services.gate.mode == "plan"
        if is_planning == self._told_of_plan:
            return ()
        self._told_of_plan = is_planning
        return (self._plan_line if is_planning else PLAN_OVER_LINE,)
