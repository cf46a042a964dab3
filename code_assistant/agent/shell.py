"""Commands that the person runs from the composer: seen like a tool call, told to the model with the next prompt."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from code_assistant.agent.agent import Agent
from code_assistant.agent.limits import SHELL_LINE
from code_assistant.errors import AssistantError
from code_assistant.events import (
    Display,
    Outcome,
    PromptFinished,
    PromptStarted,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    ToolStatus,
)
from code_assistant.messages import Message, Text
from code_assistant.tools.services import ToolServices
from code_assistant.tools.tool import ToolContext, ToolOutput
from code_assistant.workspace.commands.running import Command

if TYPE_CHECKING:
    from code_assistant.tools.execute_command import ExecuteCommand, ExecuteCommandInput

SECONDS = 3600
NOTE = f"{SHELL_LINE}\n$ {{command}}\n{{output}}"


@dataclass(frozen=True, slots=True)
class ShellCommand:
    id: str
    command: str


class PersonsShell:
    """Asks nobody: what the person types, the person has allowed."""

    def __init__(self, agent: Agent, services: ToolServices) -> None:
        self._agent = agent
        self._services = services

    async def run(self, shell: ShellCommand) -> None:
        """Cancelled, the command is gone with everything it started, and the model is told what it had printed."""
        # Not at the top: it is loaded with the first command that somebody runs.
        from code_assistant.tools.execute_command import ExecuteCommand, ExecuteCommandInput

        origin, publish = self._agent.origin, self._services.publish
        tool, arguments = ExecuteCommand(), ExecuteCommandInput(command=shell.command, timeout_s=SECONDS)
        title = tool.title(arguments)
        publish(PromptStarted(origin, shell.id, Message("user", ())))
        publish(ToolStarted(origin, shell.id, tool.name, {"command": shell.command}, title))
        began = time.monotonic()
        status: ToolStatus = "interrupted"
        outcome: Outcome = "interrupted"
        display = Display(title, "interrupted", stays="tail")
        words = "(interrupted)"
        try:
            output = await self._output(tool, arguments, shell)
            outcome, status = "completed", "error" if output.failed else "success"
            display = replace(output.display, stays="tail")
            words = "".join(part.text for part in output.content if isinstance(part, Text))
        except AssistantError as error:
            outcome, status = "completed", "error"
            display, words = Display(title, f"failed: {error.person}", error.person), error.model
        finally:
            seconds = time.monotonic() - began
            publish(ToolFinished(origin, shell.id, tool.name, status, display, seconds))
            self._agent.add_note(NOTE.format(command=shell.command, output=words))
            publish(PromptFinished(origin, shell.id, outcome, "", 0, seconds))

    async def _output(self, tool: ExecuteCommand, arguments: ExecuteCommandInput, shell: ShellCommand) -> ToolOutput:
        origin, publish = self._agent.origin, self._services.publish

        def report(text: str) -> None:
            publish(ToolProgress(origin, shell.id, text))

        context = ToolContext(origin, shell.id, self._services, report)
        folder = context.workspace.resolve(".")
        # Outside of the sandbox: it is the person's own hand.
        return await tool.perform(Command(shell.command, folder.path), arguments, folder, context)
