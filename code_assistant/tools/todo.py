"""todo: the list of steps that an agent keeps for itself and the person watches."""

from __future__ import annotations

from pydantic import Field

from code_assistant.events import Display, TodoChanged, TodoItem, TodoStatus
from code_assistant.messages import Text
from code_assistant.tools.scopes import MAIN_ONLY
from code_assistant.tools.tool import Tool, ToolContext, ToolOutput
from code_assistant.tools.tool_input import ToolInput

MARKS: dict[TodoStatus, str] = {"completed": "[x]", "in_progress": "[>]", "pending": "[ ]"}


class TodoEntry(ToolInput):
    text: str = Field(min_length=1, max_length=300, description="What is to be done, in a few words")
    status: TodoStatus = "pending"


class TodoInput(ToolInput):
    items: list[TodoEntry] = Field(max_length=50, description="The whole list, in order; it replaces the one before")


class Todo(Tool[TodoInput]):
    name = "todo"
    scopes = MAIN_ONLY
    Input = TodoInput

    def title(self, arguments: TodoInput) -> str:
        return "Updating the todo list"

    async def run(self, arguments: TodoInput, context: ToolContext) -> ToolOutput:
        items = tuple(TodoItem(entry.text, entry.status) for entry in arguments.items)
        context.services.publish(TodoChanged(context.origin, items))
        lines = "\n".join(f"{MARKS[item.status]} {item.text}" for item in items)
        done = sum(item.status == "completed" for item in items)
        summary = f"{done} of {len(items)} done" if items else "empty"
        display = Display("Updated the todo list", summary, lines, covers=("items",))
        return ToolOutput((Text(f"The list is now:\n{lines}" if items else "The list is now empty."),), display)
