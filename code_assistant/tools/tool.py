"""The tool protocol: what a tool is asked, what it is given to work with, what it gives back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from code_assistant.errors import PermissionDenied
from code_assistant.events import Display, Origin
from code_assistant.messages import Image, Text
from code_assistant.permissions.approver import Approver, PermissionRequest
from code_assistant.workspace.workspace import ResolvedPath, Workspace


class ToolInput(BaseModel):
    """Base of all tool inputs: unknown keys are refused, so that a typo never passes unnoticed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


InputT = TypeVar("InputT", bound=ToolInput)


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What one tool call may use. `report` shows a line of progress; it may be called from any thread."""

    origin: Origin
    tool_call_id: str
    workspace: Workspace
    approver: Approver
    report: Callable[[str], None]

    async def readable(self, tool_name: str, text: str, verb: str = "read") -> ResolvedPath:
        """The path a text names, after a yes where it lies outside the workspace; nothing has touched it before."""
        resolved = self.workspace.resolve(text)
        await self.require_readable(tool_name, resolved, verb)
        return resolved

    async def require_readable(self, tool_name: str, resolved: ResolvedPath, verb: str = "read") -> None:
        if not resolved.inside:
            action = f"{verb} {resolved.path} outside the workspace"
            told = f"{verb} {resolved.written} outside the workspace"
            await self.require_permission(tool_name, str(resolved.path), action, told)

    async def require_permission(self, tool_name: str, target: str, action: str, told: str | None = None) -> None:
        """Ask for one action; raises PermissionDenied with the reason when the answer is no.

        `told` is what a denial says to the model, where that must be less than the person is shown.
        """
        request = PermissionRequest(self.origin, self.tool_call_id, tool_name, target, action)
        decision = await self.approver.decide(request)
        if not decision.allowed:
            raise PermissionDenied(
                f"{tool_name} may not {action}: {decision.reason}",
                model=f"Permission denied: {tool_name} may not {told or action}: {decision.reason}. "
                "Do not try to get around this; go on without it.",
            )


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """The text and images for the model, and, apart from them, what a person is shown."""

    content: tuple[Text | Image, ...]
    display: Display


class Tool(ABC, Generic[InputT]):
    """One tool. Subclasses set `name` and `Input`; the prompt text is `<name>.md` beside the module."""

    name: ClassVar[str]
    Input: type[InputT]

    @cached_property
    def description(self) -> str:
        return (
            files(type(self).__module__.rpartition(".")[0])
            .joinpath(f"{self.name}.md")
            .read_text(encoding="utf-8")
            .strip()
        )

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        return self.Input.model_json_schema()

    def gathers(self, arguments: InputT) -> bool:
        """Whether this call may run at the same time as neighbouring calls that say so too."""
        del arguments
        return False

    @abstractmethod
    def title(self, arguments: InputT) -> str:
        """The title line while it runs; untrusted text is fine, front ends sanitise."""

    @abstractmethod
    async def run(self, arguments: InputT, context: ToolContext) -> ToolOutput:
        """Do it. Raise ToolError (or WorkspaceError) for what the model can mend; honour cancellation."""
