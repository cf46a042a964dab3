"""Small tools for tests of the loop: they echo, wait, fail or ask on request."""

from __future__ import annotations

import asyncio

from code_assistant.errors import ToolError
from code_assistant.events import Display
from code_assistant.messages import Text
from code_assistant.permissions.access import ToolAccess
from code_assistant.tools.registry import ToolRegistry
from code_assistant.tools.tool import Tool, ToolContext, ToolOutput
from code_assistant.tools.tool_input import ToolInput


class NoteInput(ToolInput):
    note: str


class _NoteTool(Tool[NoteInput]):
    Input = NoteInput
    description = "A tool for tests."  # type: ignore[assignment]

    def title(self, arguments: NoteInput) -> str:
        return f"{self.name} {arguments.note}"

    def output(self, arguments: NoteInput) -> ToolOutput:
        return ToolOutput((Text(f"{self.name}: {arguments.note}"),), Display(self.title(arguments), "done"))


class Echo(_NoteTool):
    name = "echo"

    async def run(self, arguments: NoteInput, context: ToolContext) -> ToolOutput:
        context.report(f"echoing {arguments.note}")
        return self.output(arguments)


class Together(_NoteTool):
    """Gathers; each call waits until the test lets it go on, and the order of starts and ends is kept."""

    name = "together"

    def __init__(self) -> None:
        self.log: list[str] = []
        self.started: dict[str, asyncio.Event] = {}
        self.allowed: dict[str, asyncio.Event] = {}

    def expect(self, *notes: str) -> None:
        for note in notes:
            self.started[note] = asyncio.Event()
            self.allowed[note] = asyncio.Event()

    def gathers(self, arguments: NoteInput) -> bool:
        return True

    async def run(self, arguments: NoteInput, context: ToolContext) -> ToolOutput:
        self.log.append(f"start {arguments.note}")
        self.started[arguments.note].set()
        try:
            await self.allowed[arguments.note].wait()
        except asyncio.CancelledError:
            self.log.append(f"cancelled {arguments.note}")
            raise
        self.log.append(f"end {arguments.note}")
        return self.output(arguments)


class Alone(Together):
    """The same, but a barrier."""

    name = "alone"

    def gathers(self, arguments: NoteInput) -> bool:
        return False


class Failing(_NoteTool):
    name = "failing"

    async def run(self, arguments: NoteInput, context: ToolContext) -> ToolOutput:
        if arguments.note == "typed":
            raise ToolError("It cannot be done.", model="It cannot be done; try something else.")
        raise ZeroDivisionError("a fault of ours")


class Asking(_NoteTool):
    name = "asking"

    async def run(self, arguments: NoteInput, context: ToolContext) -> ToolOutput:
        await context.require_permission(self.name, ToolAccess(), f"do {arguments.note}")
        return self.output(arguments)


class Blank(_NoteTool):
    name = "blank"

    async def run(self, arguments: NoteInput, context: ToolContext) -> ToolOutput:
        return ToolOutput((Text(" \n"),), Display(self.title(arguments)))


def registry(*more: Tool[NoteInput]) -> ToolRegistry:
    return ToolRegistry((Echo(), Failing(), Asking(), Blank(), *more))
