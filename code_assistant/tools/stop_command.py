"""stop_command: end a command in the background with everything it has started."""

from __future__ import annotations

from pydantic import Field

from code_assistant.tools.command_output import look_output
from code_assistant.tools.scopes import CHANGING_SCOPES
from code_assistant.tools.tool import Tool, ToolContext, ToolOutput
from code_assistant.tools.tool_input import ToolInput


class StopCommandInput(ToolInput):
    id: str = Field(min_length=1, max_length=100, description="The id that execute_command gave, e.g. command-1")


class StopCommand(Tool[StopCommandInput]):
    name = "stop_command"
    scopes = CHANGING_SCOPES
    Input = StopCommandInput

    def title(self, arguments: StopCommandInput) -> str:
        return f"Stopping {arguments.id}"

    async def run(self, arguments: StopCommandInput, context: ToolContext) -> ToolOutput:
        command = context.services.commands.find(arguments.id)
        await command.running.end()
        return look_output(command, await command.look(), "Stopped", context)
