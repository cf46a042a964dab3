"""delete_files: files and links that will be gone, checked all together before the first, under permission."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import Field

from code_assistant.errors import ToolError, WorkspaceError
from code_assistant.events import Display
from code_assistant.messages import Text
from code_assistant.permissions.access import EditAccess
from code_assistant.tools.changing import listed, named, require_may_look
from code_assistant.tools.scopes import CHANGING_SCOPES
from code_assistant.tools.services import ToolServices
from code_assistant.tools.tool import Tool, ToolContext, ToolOutput
from code_assistant.tools.tool_input import ToolInput
from code_assistant.workspace.names import counted, plain_name
from code_assistant.workspace.threads import StopFlag, in_thread, in_thread_to_its_end
from code_assistant.workspace.workspace import ResolvedPath, Workspace

if TYPE_CHECKING:
    from code_assistant.workspace.changes import Removal


class DeleteFilesInput(ToolInput):
    paths: list[str] = Field(min_length=1, max_length=100, description="Files and links to delete, no folders")


@dataclass(frozen=True, slots=True)
class _Deleted:
    gone: list[str]
    failures: list[str]


class DeleteFiles(Tool[DeleteFilesInput]):
    name = "delete_files"
    scopes = CHANGING_SCOPES
    Input = DeleteFilesInput

    def title(self, arguments: DeleteFilesInput) -> str:
        return f"Deleting {listed(arguments.paths)}"

    async def run(self, arguments: DeleteFilesInput, context: ToolContext) -> ToolOutput:
        targets = _targets(arguments.paths, context.workspace)
        await require_may_look(self.name, targets, context)
        removals = await in_thread(lambda flag: _removals(targets, flag))
        access = EditAccess(tuple(map(context.place, targets)), deletes=True)
        detail = "\n".join(map(_described, removals))
        await context.require_permission(self.name, access, f"delete {named(targets)}", detail=detail)
        deleted = await in_thread_to_its_end(lambda flag: _delete(removals, context.services, flag))
        if not deleted.gone:
            raise ToolError("\n".join(deleted.failures))
        return _output(deleted)


def _targets(paths: Sequence[str], workspace: Workspace) -> list[ResolvedPath]:
    """The names themselves, each once: a link is deleted and not what it leads to."""
    targets = [workspace.resolve_entry(path) for path in paths]
    return list({target.path: target for target in targets}.values())


def _removals(targets: Sequence[ResolvedPath], flag: StopFlag) -> list[Removal]:
    from code_assistant.workspace.changes import removal_of

    removals: list[Removal] = []
    problems: list[str] = []
    for target in targets:
        flag.check()
        try:
            removals.append(removal_of(target.path, plain_name(target.shown)))
        except WorkspaceError as error:
            problems.append(str(error))
    if problems:
        raise ToolError("\n".join((*problems, "Nothing was deleted.")))
    return removals


def _described(removal: Removal) -> str:
    if removal.leads_to is None:
        return removal.shown
    return f"{removal.shown} -> {plain_name(removal.leads_to)} (only the link)"


def _delete(removals: Sequence[Removal], services: ToolServices, flag: StopFlag) -> _Deleted:
    from code_assistant.workspace.changes import apply_removal

    deleted = _Deleted([], [])
    for removal in removals:
        try:
            apply_removal(removal, flag, services.checkpoints)
        except WorkspaceError as error:
            deleted.failures.append(str(error))
        else:
            services.ledger.forget(removal.path)
            deleted.gone.append(removal.shown)
    return deleted


def _output(deleted: _Deleted) -> ToolOutput:
    files = counted(len(deleted.gone), "file")
    lines = [f"Deleted {listed(deleted.gone, len(deleted.gone))}."]
    summary = files
    if deleted.failures:
        lines += [f"Not deleted: {failure}" for failure in deleted.failures]
        summary = f"{files}, {len(deleted.failures)} not deleted"
    text = "\n".join(lines)
    display = Display(f"Deleted {listed(deleted.gone)}", summary, text)
    return ToolOutput((Text(text),), display, failed=bool(deleted.failures))
