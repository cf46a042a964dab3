"""The tool protocol: what a tool is asked, what it is given to work with, what it gives back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from code_assistant.errors import PermissionDenied, ToolError
from code_assistant.events import DetailForm, Display, Origin, OutputAdded
from code_assistant.messages import Image, Text
from code_assistant.own_texts import own_text
from code_assistant.permissions.access import Access, Place, ReadAccess
from code_assistant.permissions.approver import Decision, PermissionRequest
from code_assistant.tools.scopes import ALL_SCOPES, Scope
from code_assistant.tools.services import ToolServices
from code_assistant.workspace.workspace import ResolvedPath, Workspace

if TYPE_CHECKING:
    from pydantic import ValidationError

    from code_assistant.tools.tool_input import ToolInput

INTERRUPTED_RESULT = "Interrupted by the person before it finished."
# Longer details are for the prompt, not for a sentence about it.
MAXIMUM_NAMED_CHARACTERS = 200

InputT = TypeVar("InputT", bound="ToolInput")


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What one tool call may use. `report` shows a line of progress; it may be called from any thread."""

    origin: Origin
    tool_call_id: str
    services: ToolServices
    report: Callable[[str], None]

    @property
    def workspace(self) -> Workspace:
        return self.services.workspace

    async def readable(self, tool_name: str, text: str, verb: str = "read", purpose: str = "") -> ResolvedPath:
        """The path a text names, after a yes where one is needed; nothing has touched it before."""
        resolved = self.workspace.resolve(text)
        await self.require_readable(tool_name, resolved, verb, purpose)
        return resolved

    async def require_readable(
        self, tool_name: str, resolved: ResolvedPath, verb: str = "read", purpose: str = ""
    ) -> None:
        """`purpose` is what the person is told besides, for what is only the first step."""
        outside = "" if resolved.inside else " outside the workspace"
        # Of a path outside, a denial tells the model no more than what it asked for.
        told = None if resolved.inside else f"{verb} {resolved.written}{outside}"
        access = ReadAccess(self.place(resolved))
        action = f"{verb} {resolved.shown}{outside}"
        detail = f"{resolved.path}\n{purpose}" if purpose else str(resolved.path)
        await self.require_permission(tool_name, access, action, detail=detail, told=told)

    def place(self, resolved: ResolvedPath) -> Place:
        """A path as rules look at it."""
        return Place(resolved.path, resolved.named, self.workspace.folder_of(resolved.path), resolved.others)

    async def require_permission(
        self,
        tool_name: str,
        access: Access,
        action: str,
        *,
        detail: str = "",
        form: DetailForm = "text",
        told: str | None = None,
        limits: str = "",
    ) -> Decision:
        """Ask for one action; raises PermissionDenied with the reason when the answer is no.

        `action` goes on after "wants to"; `detail` is the whole of what will happen. `told` is what a denial says to
        the model, where that must be less than the person is shown. `limits` says what a yes does not open.
        """
        request = PermissionRequest(
            self.origin, self.tool_call_id, tool_name, access, action, detail, form, limits=limits
        )
        decision = await self.services.gate.decide(request)
        if not decision.allowed:
            what = f"{action} ({detail})" if _names_more(detail, action) else action
            raise permission_denied(tool_name, what, decision.reason, told or action, decision.denied_by)
        return decision

    def show_output(self, text: str) -> None:
        """A piece of what a running command prints; from the event loop's thread only."""
        self.services.publish(OutputAdded(self.origin, self.tool_call_id, text))


def permission_denied(
    tool_name: str, what: str, reason: str, told: str | None = None, by: str = ""
) -> PermissionDenied:
    """The error of a no, in words for the person and words for the model."""
    return PermissionDenied(
        f"{tool_name} may not {what}: {reason}",
        model=f"Permission denied: {tool_name} may not {told or what}: {reason}. "
        "Do not try to get around this; go on without it.",
        by=by,
    )


def _names_more(detail: str, action: str) -> bool:
    """Whether a detail fits into a sentence and tells what the action does not."""
    return 0 < len(detail) <= MAXIMUM_NAMED_CHARACTERS and "\n" not in detail and detail not in action


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """The text and images for the model, and, apart from them, what a person is shown.

    `failed` marks a result that is whole but not good news, such as the output of a command that failed.
    """

    content: tuple[Text | Image, ...]
    display: Display
    failed: bool = False


class Tool(ABC, Generic[InputT]):
    """One tool. Subclasses set `name` and `Input`; the prompt text is `<name>.md` beside the module.

    `interrupted_result` is what the model reads of a call that an interruption kept from its end.
    """

    name: ClassVar[str]
    interrupted_result: ClassVar[str] = INTERRUPTED_RESULT
    scopes: ClassVar[frozenset[Scope]] = ALL_SCOPES
    Input: type[InputT]

    @cached_property
    def description(self) -> str:
        _, room, _ = type(self).__module__.split(".")
        return own_text(room, f"{self.name}.md").strip()

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        return self.Input.model_json_schema()

    def gathers(self, arguments: InputT) -> bool:
        """Whether this call may run at the same time as neighbouring calls that say so too."""
        del arguments
        return False

    def checked(self, given: Mapping[str, Any]) -> InputT:
        """The arguments of a call; raises a ToolError for an input that cannot be used."""
        from pydantic import ValidationError

        try:
            return self.Input.model_validate(dict(given))
        except ValidationError as error:
            raise self.invalid(error) from error

    def invalid(self, error: ValidationError) -> ToolError:
        """What the model is told of an input that cannot be used."""
        problems = "; ".join(
            f"{'.'.join(str(part) for part in detail['loc']) or 'input'}: {detail['msg']}"
            for detail in error.errors(include_url=False, include_context=False, include_input=False)
        )
        return ToolError(f"The input of {self.name} is not valid: {problems}.")

    @abstractmethod
    def title(self, arguments: InputT) -> str:
        """The title line while it runs; untrusted text is fine, front ends sanitise."""

    @abstractmethod
    async def run(self, arguments: InputT, context: ToolContext) -> ToolOutput:
        """Do it. Raise ToolError (or WorkspaceError) for what the model can mend; honour cancellation."""
