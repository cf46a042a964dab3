"""A search result in words: what the model reads, and how to get the part that is not shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from code_assistant.workspace.names import counted
from code_assistant.workspace.search import FoundFile, SearchQuery, SearchResult

MAXIMUM_TEXT = 100_000


@dataclass(frozen=True, slots=True)
class SearchText:
    text: str
    summary: str


def search_text(result: SearchResult, query: SearchQuery, place: str, prefix: str) -> SearchText:
    """`place` is what was searched; `prefix` makes the paths found relative to the workspace."""
    if result.all_files == 0:
        return SearchText("\n".join([_nothing_found(query, place), *result.remarks]), "no matches")
    body: list[str] = []
    shown = size = 0
    for line, is_counted in _lines(result.files, query, prefix):
        size += len(line) + 1
        if size > MAXIMUM_TEXT:
            break
        body.append(line)
        shown += is_counted
    end = [_part_shown(result, query, shown), *result.remarks]
    return SearchText("\n".join([*body, "", *end] if body else end), _summary(result, query))


def _lines(files: tuple[FoundFile, ...], query: SearchQuery, prefix: str) -> Iterator[tuple[str, bool]]:
    """The lines of text, each with whether it is one of those that limit and offset count."""
    for position, file in enumerate(files):
        path = prefix + file.path
        if query.mode == "files":
            yield path, True
        elif query.mode == "counts":
            yield f"{path}: {file.matches}", True
        else:
            yield ("\n" if position else "") + path, False
            yield from _found_lines(file, query)


def _found_lines(file: FoundFile, query: SearchQuery) -> Iterator[tuple[str, bool]]:
    previous = None
    for line in file.lines:
        if query.context and previous is not None and line.number > previous + 1:
            yield "--", False
        yield f"{line.number}{':' if line.is_match else '-'} {line.text}", line.is_match
        previous = line.number


def _nothing_found(query: SearchQuery, place: str) -> str:
    among = f", only files that match {query.glob}" if query.glob and query.file_name is None else ""
    return (
        f'No matches for "{query.pattern}" in {place}{among}. '
        "Ignored files (.gitignore, .ignore), binary files and .git are not searched."
    )


def _part_shown(result: SearchResult, query: SearchQuery, shown: int) -> str:
    unit = "matches" if query.mode == "lines" else "files"
    total = result.all_matches if query.mode == "lines" else result.all_files
    of_all = f"{total}" if result.is_complete else f"more than {total}"
    if shown == 0:
        return f"Nothing at offset={query.offset}: there are {of_all} {unit}."
    first, last = query.offset + 1, query.offset + shown
    if result.is_complete and last >= total:
        if query.offset == 0:
            return f"{_summary(result, query)}."
        return f"Showing {unit} {first}-{last} of {of_all}; these are the last."
    return f"Showing {unit} {first}-{last} of {of_all}; call again with offset={last} for more."


def _summary(result: SearchResult, query: SearchQuery) -> str:
    files = counted(result.all_files, "file")
    words = files if query.mode == "files" else f"{counted(result.all_matches, 'match', 'matches')}, {files}"
    return words if result.is_complete else f"more than {words}"
