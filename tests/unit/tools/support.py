"""What the tests of tools share: an approver that remembers what it was asked, and a context to run in."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from code_assistant.events import MAIN
from code_assistant.messages import Text
from code_assistant.permissions.approver import Decision, PermissionRequest
from code_assistant.tools.tool import Tool, ToolContext, ToolOutput
from code_assistant.workspace.workspace import Workspace


@dataclass
class RecordingApprover:
    """Answers every request alike and keeps what was asked."""

    allowed: bool = True
    actions: list[str] = field(default_factory=list[str])

    async def decide(self, request: PermissionRequest) -> Decision:
        self.actions.append(request.action)
        return Decision(self.allowed, "" if self.allowed else "the person said no")


@dataclass
class Bench:
    """A workspace in a folder, and a way to run tools in it."""

    root: Path
    approver: RecordingApprover = field(default_factory=RecordingApprover)
    reports: list[str] = field(default_factory=list[str])

    @property
    def context(self) -> ToolContext:
        return ToolContext(MAIN, "call-1", Workspace(self.root), self.approver, self.reports.append)

    async def run(self, tool: Tool[Any], **arguments: object) -> ToolOutput:
        return await tool.run(tool.Input.model_validate(arguments), self.context)

    async def text(self, tool: Tool[Any], **arguments: object) -> str:
        output = await self.run(tool, **arguments)
        return "\n".join(block.text for block in output.content if isinstance(block, Text))

    def write(self, path: str, content: str | bytes = "") -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file
