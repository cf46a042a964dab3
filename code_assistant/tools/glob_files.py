"""glob_files: find files by the pattern of their paths, the newest first."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import Field

from code_assistant.errors import ToolError
from code_assistant.events import Display
from code_assistant.messages import Text
from code_assistant.tools.tool import Tool, ToolContext, ToolOutput
from code_assistant.tools.tool_input import ToolInput
from code_assistant.workspace.names import counted, plain_name
from code_assistant.workspace.opening import require_folder
from code_assistant.workspace.threads import StopFlag, in_thread
from code_assistant.workspace.workspace import ResolvedPath

if TYPE_CHECKING:
    from code_assistant.workspace.walk import Walk
    from code_assistant.workspace.walked_folder import Entry

MAXIMUM_PATHS = 200


class GlobFilesInput(ToolInput):
    pattern: str = Field(min_length=1, max_length=500, description="Such as **/*.py or src/**/test_*.{ts,tsx}")
    path: str = Field(default=".", description="Folder to look in")
    include_ignored: bool = Field(default=False, description="Find ignored files, too")


@dataclass(frozen=True, slots=True)
class _Found:
    """The newest matching paths, relative to the folder, and how many match in all."""

    paths: list[str]
    total: int
    ignored: int


class GlobFiles(Tool[GlobFilesInput]):
    name = "glob_files"
    Input = GlobFilesInput

    def title(self, arguments: GlobFilesInput) -> str:
        return f"Finding {_what(arguments, arguments.path)}"

    async def run(self, arguments: GlobFilesInput, context: ToolContext) -> ToolOutput:
        folder = await context.readable(self.name, arguments.path, "list files in")
        pattern = _relative_pattern(arguments.pattern, folder)
        found = await in_thread(lambda flag: _find(pattern, folder, _walk(arguments, folder, context, flag)))
        text = _text(found, arguments, "" if folder.shown == "." else f"{plain_name(folder.shown).rstrip('/')}/")
        title = f"Found {_what(arguments, plain_name(folder.shown))}"
        return ToolOutput((Text(text),), Display(title, counted(found.total, "file"), text))


def _what(arguments: GlobFilesInput, place: str) -> str:
    return arguments.pattern if place == "." else f"{arguments.pattern} in {place.rstrip('/')}/"


def _relative_pattern(pattern: str, folder: ResolvedPath) -> str:
    relative = pattern.removeprefix(f"{folder.path}/")
    if ".." in relative.split("/"):
        raise ToolError("The pattern may not hold `..`; name the folder to look in as path.")
    return relative


def _walk(arguments: GlobFilesInput, folder: ResolvedPath, context: ToolContext, flag: StopFlag) -> Walk:
    from code_assistant.workspace.walk import Walk

    return Walk(flag, arguments.include_ignored, context.services.gate.unseen(folder.path))


def _find(pattern: str, folder: ResolvedPath, walk: Walk) -> _Found:
    from code_assistant.globs import glob_matcher

    require_folder(folder.path, folder.shown)
    matches = glob_matcher(pattern)
    prefix = len(str(folder.path).rstrip("/")) + 1
    found: list[tuple[int, str]] = []
    for entry in walk.files(folder.path):
        relative = entry.path[prefix:]
        if matches(relative):
            found.append((-_changed_at(entry), relative))
    newest = heapq.nsmallest(MAXIMUM_PATHS, found)
    return _Found([path for _, path in newest], len(found), walk.ignored)


def _changed_at(entry: Entry) -> int:
    try:
        return entry.status().st_mtime_ns
    except OSError:
        # Deleted since the folder was read, or its folder was; the oldest of all.
        return 0


def _text(found: _Found, arguments: GlobFilesInput, prefix: str) -> str:
    if not found.paths:
        ignored = "; ignored files were left out, include_ignored=true finds them" if found.ignored else ""
        return f"No files match {arguments.pattern} in {prefix or './'}{ignored}."
    lines = [prefix + plain_name(path) for path in found.paths]
    if found.total > len(lines):
        lines += [
            "",
            f"Showing the {len(lines)} newest of {found.total} files; narrow the pattern or the path to see others.",
        ]
    return "\n".join(lines)
