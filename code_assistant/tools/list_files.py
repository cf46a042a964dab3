"""list_files: what is in a folder and, if wanted, in those below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from code_assistant.events import Display
from code_assistant.messages import Text
from code_assistant.tools.tool import Tool, ToolContext, ToolOutput
from code_assistant.tools.tool_input import ToolInput
from code_assistant.workspace.names import counted, plain_name
from code_assistant.workspace.opening import require_folder
from code_assistant.workspace.threads import StopFlag, in_thread
from code_assistant.workspace.workspace import ResolvedPath

if TYPE_CHECKING:
    from code_assistant.workspace.listing import Listing


class ListFilesInput(ToolInput):
    path: str = Field(default=".", description="Folder to list")
    depth: int = Field(default=1, ge=1, le=5, description="1 lists the folder itself, 2 its subfolders, too, and so on")
    include_ignored: bool = Field(default=False, description="List ignored entries, too")


class ListFiles(Tool[ListFilesInput]):
    name = "list_files"
    Input = ListFilesInput

    def title(self, arguments: ListFilesInput) -> str:
        return f"Listing {arguments.path.rstrip('/')}/"

    async def run(self, arguments: ListFilesInput, context: ToolContext) -> ToolOutput:
        folder = await context.readable(self.name, arguments.path, "list")
        listing = await in_thread(lambda flag: _list(arguments, folder, context, flag))
        shown = plain_name(folder.shown)
        entries = counted(listing.entries, "entry", "entries")
        display = Display(
            f"Listed {shown.rstrip('/')}/", f"{entries}, cut" if listing.is_cut else entries, listing.text
        )
        return ToolOutput((Text(listing.text),), display)


def _list(arguments: ListFilesInput, folder: ResolvedPath, context: ToolContext, flag: StopFlag) -> Listing:
    from code_assistant.workspace.listing import list_folder
    from code_assistant.workspace.walk import Walk

    require_folder(folder.path, folder.shown)
    walk = Walk(flag, arguments.include_ignored, context.services.gate.unseen(folder.path))
    return list_folder(folder.path, folder.shown, arguments.depth, walk)
