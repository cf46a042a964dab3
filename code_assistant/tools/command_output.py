"""command_output: what a command in the background has printed since the last look, and how it stands."""

from __future__ import annotations

from pydantic import Field

from code_assistant.events import Display
from code_assistant.messages import Text
from code_assistant.tools.command_text import detail_of, joined
from code_assistant.tools.scopes import CHANGING_SCOPES
from code_assistant.tools.tool import Tool, ToolContext, ToolOutput
from code_assistant.tools.tool_input import ToolInput
from code_assistant.workspace.commands.background import BackgroundCommand, Look
from code_assistant.workspace.commands.names import short_command
from code_assistant.workspace.commands.sandbox_words import sandbox_remarks

NOTHING_NEW = "(nothing new)"


class CommandOutputInput(ToolInput):
    id: str = Field(min_length=1, max_length=100, description="The id that execute_command gave, e.g. command-1")
    wait_s: float = Field(default=0, ge=0, le=60, description="Seconds to wait for something new, or for the end")


class CommandOutput(Tool[CommandOutputInput]):
    name = "command_output"
    scopes = CHANGING_SCOPES
    Input = CommandOutputInput

    def title(self, arguments: CommandOutputInput) -> str:
        return f"Looking at {arguments.id}"

    async def run(self, arguments: CommandOutputInput, context: ToolContext) -> ToolOutput:
        command = context.services.commands.find(arguments.id)
        look = await command.look(arguments.wait_s)
        return look_output(command, look, "Looked at", context)


def look_output(command: BackgroundCommand, look: Look, verb: str, context: ToolContext) -> ToolOutput:
    ending = look.ending
    remarks = () if ending is None else (*ending.remarks, *sandbox_remarks(command.command, ending, look.text))
    text = joined(look.text or NOTHING_NEW, *remarks, look.state)
    folder = context.workspace.show(command.command.folder)
    title = f"{verb} {command.name}: {short_command(command.command.text)}"
    display = Display(title, look.state, detail_of(command.command, folder, joined(look.text, *remarks)), "output")
    return ToolOutput((Text(text),), display)
