"""What the tests of tools share: an approver that remembers what it was asked, and a context to run in."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from code_assistant.events import MAIN, Event
from code_assistant.messages import Text
from code_assistant.permissions.approver import Decision, PermissionRequest
from code_assistant.permissions.modes import PermissionMode
from code_assistant.permissions.person import NobodyThere
from code_assistant.tools.services import ToolServices
from code_assistant.tools.tool import Tool, ToolContext, ToolOutput
from tests.surroundings import surroundings


@dataclass
class RecordingPerson(NobodyThere):
    """Answers every request alike and keeps what was asked."""

    allowed: bool = True
    requests: list[PermissionRequest] = field(default_factory=list[PermissionRequest])

    @property
    def actions(self) -> list[str]:
        return [request.action for request in self.requests]

    async def decide(self, request: PermissionRequest) -> Decision:
        self.requests.append(request)
        return Decision(self.allowed, "" if self.allowed else "the person said no")


@dataclass
class Bench:
    """A workspace in a folder, and a way to run tools in it."""

    root: Path
    approver: RecordingPerson = field(default_factory=RecordingPerson)
    reports: list[str] = field(default_factory=list[str])
    events: list[Event] = field(default_factory=list[Event])
    mode: PermissionMode = "ask"
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()

    @cached_property
    def services(self) -> ToolServices:
        """One agent's; set mode and rules before the first use."""
        return surroundings(
            self.root,
            self.events.append,
            person=self.approver,
            mode=self.mode,
            allow=self.allow,
            deny=self.deny,
            ask=self.ask,
        ).services

    @property
    def context(self) -> ToolContext:
        return ToolContext(MAIN, "call-1", self.services, self.reports.append)

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
