"""search_files: find lines by a regular expression, with ripgrep where there is one."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, WithJsonSchema

from code_assistant.errors import ToolError
from code_assistant.events import Display
from code_assistant.messages import Text
from code_assistant.tools.tool import Tool, ToolContext, ToolOutput
from code_assistant.tools.tool_input import ToolInput
from code_assistant.workspace.encodings import SNIFFED_BYTES, is_binary
from code_assistant.workspace.names import plain_name
from code_assistant.workspace.opening import is_folder, regular_file
from code_assistant.workspace.search import SearchQuery, SearchResult
from code_assistant.workspace.threads import in_thread
from code_assistant.workspace.workspace import ResolvedPath


class SearchFilesInput(ToolInput):
    pattern: str = Field(
        min_length=1, max_length=2000, description="Regular expression (Rust syntax), matched within single lines"
    )
    path: str = Field(default=".", description="Folder or file to search")
    glob: Annotated[str | None, WithJsonSchema({"type": "string"})] = Field(
        default=None, description="Only such files, e.g. *.py or src/**/*.{ts,tsx}; !*.min.js leaves files out"
    )
    literal: bool = Field(default=False, description="Take the pattern as plain text")
    ignore_case: bool = Field(default=False, description="Upper and lower case are the same")
    context: int = Field(default=0, ge=0, le=10, description="Lines to show around each match")
    mode: Literal["lines", "files", "counts"] = Field(
        default="lines", description="Matching lines, only file names, or how many lines match in each file"
    )
    limit: int = Field(default=200, ge=1, le=1000, description="How many matches (or files) to return")
    offset: int = Field(default=0, ge=0, description="How many to skip, to get the next part")


def _find_ripgrep(untrusted: Sequence[Path]) -> Path | None:
    from code_assistant.workspace.ripgrep import find_ripgrep

    return find_ripgrep(untrusted)


class SearchFiles(Tool[SearchFilesInput]):
    name = "search_files"
    Input = SearchFilesInput

    def __init__(self, find_ripgrep: Callable[[Sequence[Path]], Path | None] = _find_ripgrep) -> None:
        self._find_ripgrep = find_ripgrep

    def title(self, arguments: SearchFilesInput) -> str:
        return f"Searching {_what(arguments, arguments.path)}"

    async def run(self, arguments: SearchFilesInput, context: ToolContext) -> ToolOutput:
        from code_assistant.workspace.search_text import search_text

        _require_searchable(arguments.pattern)
        target = await context.readable(self.name, arguments.path, "search")
        query = await in_thread(lambda _: _query(arguments, target, context))
        result = await self._search(query, context)
        is_file = query.file_name is not None
        place = plain_name(target.shown) if is_file else _with_slash(target.shown)
        folder = context.workspace.show(query.folder)
        prefix = "" if folder == "." else _with_slash(folder)
        found = search_text(result, query, place, prefix)
        shown = _shown_files(result, query, prefix, found.text)
        for path in await in_thread(lambda _: [Path(os.path.realpath(query.folder / name)) for name in shown]):
            context.services.ledger.note_match(path)
        title = f"Searched {_what(arguments, '.' if target.shown == '.' else place)}"
        return ToolOutput((Text(found.text),), Display(title, found.summary, found.text))

    async def _search(self, query: SearchQuery, context: ToolContext) -> SearchResult:
        program = self._find_ripgrep(context.workspace.untrusted)
        if program is None:
            return await _search_on_our_own(query, context)
        from code_assistant.workspace.endless_rules import EndlessRules
        from code_assistant.workspace.ripgrep import search_with_ripgrep

        try:
            return await search_with_ripgrep(program, query)
        except EndlessRules as error:
            # Our own search opens no such file, so that nobody can keep a folder from being searched.
            result = await _search_on_our_own(query, context)
            return replace(result, remarks=(*result.remarks, f"Searched without ripgrep. {error}"))


async def _search_on_our_own(query: SearchQuery, context: ToolContext) -> SearchResult:
    from code_assistant.workspace.own_search import search_on_our_own

    return await search_on_our_own(query, context.report)


def _shown_files(result: SearchResult, query: SearchQuery, prefix: str, text: str) -> list[str]:
    """Which files the model is told of: of many matches the text holds only as many as there is room for."""
    lines = frozenset(text.split("\n"))
    counts = query.mode == "counts"
    return [
        file.path
        for file in result.files
        if (f"{prefix}{file.path}: {file.matches}" if counts else prefix + file.path) in lines
    ]


def _with_slash(folder: str) -> str:
    return plain_name(folder).rstrip("/") + "/"


def _what(arguments: SearchFilesInput, place: str) -> str:
    where = "" if place == "." else f" in {place}"
    among = f" ({arguments.glob})" if arguments.glob else ""
    return f'"{arguments.pattern}"{where}{among}'


def _require_searchable(pattern: str) -> None:
    if "\n" in pattern:
        raise ToolError("The pattern holds a newline, but files are searched line by line; search for one line.")
    if "\0" in pattern:
        raise ToolError("The pattern holds a NUL character, which no text file does.")


def _query(arguments: SearchFilesInput, target: ResolvedPath, context: ToolContext) -> SearchQuery:
    is_file = not is_folder(target.path, target.shown)
    if is_file:
        with regular_file(target.path, target.shown) as file:
            if is_binary(os.read(file.descriptor, SNIFFED_BYTES)):
                raise ToolError(f"{target.shown} is a binary file; only text can be searched.")
    return SearchQuery(
        folder=target.path.parent if is_file else target.path,
        pattern=arguments.pattern,
        file_name=target.path.name if is_file else None,
        glob=arguments.glob,
        literal=arguments.literal,
        ignore_case=arguments.ignore_case,
        context=arguments.context,
        mode=arguments.mode,
        limit=arguments.limit,
        offset=arguments.offset,
        is_hidden=context.services.gate.unseen(target.path),
    )
