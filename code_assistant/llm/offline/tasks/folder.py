"""What a folder holds: its size, its languages, its subfolders and main files in their own words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from code_assistant.llm.offline.calls import count_lines, count_matches, list_folder, read
from code_assistant.llm.offline.folders import Group, groups_below
from code_assistant.llm.offline.languages import TEST_FOLDERS, name_of
from code_assistant.llm.offline.markdown import code, plain
from code_assistant.llm.offline.self_descriptions import self_description
from code_assistant.llm.offline.steps import Outcome, Plan, Step
from code_assistant.llm.offline.survey import (
    beginning,
    counted,
    file_line,
    folder_description,
    languages_line,
    main_files,
    names_in_folder,
    own_words,
    shown_folder,
    size_words,
    telling_files,
)
from code_assistant.llm.offline.tool_texts import (
    Counts,
    FileText,
    Listing,
    counts_in,
    failure,
    files_read,
    listing_in,
    problems_in,
)

MOST_TELLING = 20
FILES_READ = 12
TELLING_LINES, READ_LINES = 20, 200
MOST_SUBFOLDERS = 12
NAMED_SUBFOLDERS = 8
MOST_FILES = 8
NAMED_FILES = 12
TEST_PATTERN = (
    r"^\s*(?:async\s+)?def test_|^\s*(?:it|test)\(|^\s*#\[(?:tokio::)?test\]|^func Test\w|^\s*@Test\b"
    r"|^\s*(?:it|specify) [\"']"
)


def folder_plan(folder: str, *, is_flat: bool = False) -> Plan:
    if is_flat:
        return (yield from _flat_plan(folder))
    listed, lines = yield Step((list_folder(folder), count_lines(folder)))
    if listed.failed:
        return _not_listed(folder, listed)
    listing, counts = listing_in(listed), counts_in(lines)
    if lines.failed:
        return f"{_names(folder, listing)}. More could not be told: {plain(failure(lines))}"
    if not counts.by_path:
        return _without_text(folder, listing)
    groups = sorted((each for each in groups_below(folder, counts.by_path) if not each.is_flat), key=_heaviest)
    telling = telling_files([folder, *(group.folder for group in groups)], counts.by_path)[:MOST_TELLING]
    is_for_tests = name_of(folder).lower() in TEST_FOLDERS
    calls = [read([f"{path}:1-{TELLING_LINES}" for path in telling])] if telling else []
    calls += [count_matches(TEST_PATTERN, folder)] if is_for_tests else []
    first = yield Step(tuple(calls))
    heads = files_read(first[0]) if telling else ()
    rest = {path: number for path, number in counts.by_path.items() if path not in telling}
    (texts,) = yield Step(
        (read([f"{path}:1-{READ_LINES}" for path in main_files(rest or counts.by_path, FILES_READ)]),)
    )
    return "\n".join(
        (
            f"{_opening(folder, counts)}{_tests(first[-1]) if is_for_tests else ''}{_words(folder, heads)}",
            "",
            *_subfolders(groups, heads),
            *_main_files(files_read(texts), counts.by_path),
            *_unread(texts),
        )
    )


def _heaviest(group: Group) -> int:
    return -group.weight


def _flat_plan(folder: str) -> Plan:
    """Only the files that lie directly in a folder."""
    (listed,) = yield Step((list_folder(folder),))
    if listed.failed:
        return _not_listed(folder, listed)
    listing = listing_in(listed)
    chosen = main_files(dict.fromkeys(names_in_folder(folder, listing.files), 1), FILES_READ)
    if not chosen:
        return _without_text(folder, listing)
    (texts,) = yield Step((read([f"{path}:1-{READ_LINES}" for path in chosen]),))
    more = "more than " if listing.is_cut else ""
    opening = f"Directly in {shown_folder(folder)}: {more}{counted(len(listing.files), 'file')}."
    return "\n".join((opening, "", *_main_files(files_read(texts), {}), *_unread(texts)))


def _not_listed(folder: str, outcome: Outcome) -> str:
    return f"{beginning(folder)} could not be listed: {plain(failure(outcome))}"


def _opening(folder: str, counts: Counts) -> str:
    cut = f"; the first {len(counts.by_path):,} of {counts.total:,} files by path" if counts.is_cut else ""
    return f"{beginning(folder)}: {size_words(counts.by_path)} ({languages_line(counts.by_path)}{cut})."


def _words(folder: str, heads: Sequence[FileText]) -> str:
    description = folder_description(folder, heads)
    return f" {own_words(description)}" if description is not None else ""


def _tests(outcome: Outcome) -> str:
    tests = sum(counts_in(outcome).by_path.values())
    return f" About {counted(tests, 'test')}, counted by name." if tests else ""


def _subfolders(groups: Sequence[Group], heads: Sequence[FileText]) -> list[str]:
    """An item for each folder that says something of itself, and one for all the others."""
    described = [(group, found) for group in groups if (found := folder_description(group.folder, heads)) is not None]
    bullets = [f"- {_sized(group)}: {own_words(found)}" for group, found in described[:MOST_SUBFOLDERS]]
    named = {group.folder for group, _ in described[:MOST_SUBFOLDERS]}
    others = [group for group in groups if group.folder not in named]
    if others:
        more = f" and {len(others) - NAMED_SUBFOLDERS:,} more" if len(others) > NAMED_SUBFOLDERS else ""
        listed = ", ".join(map(_sized, others[:NAMED_SUBFOLDERS]))
        bullets.append(f"- {'further folders' if bullets else 'folders'}: {listed}{more}")
    return bullets


def _sized(group: Group) -> str:
    return f"{code(f'{group.folder}/')} ({size_words(group.weights)})"


def _main_files(files: Sequence[FileText], lines: Mapping[str, int]) -> list[str]:
    """The files that say something of themselves first."""
    ordered = sorted(files, key=lambda file: self_description(file) is None)
    return [file_line(file, lines.get(file.path)) for file in ordered[:MOST_FILES]]


def _unread(outcome: Outcome) -> list[str]:
    return [f"- not read: {plain(problem)}" for problem in problems_in(outcome)[:3]]


def _without_text(folder: str, listing: Listing) -> str:
    if not listing.files and not listing.folders:
        ignored = " but ignored entries" if listing.has_ignored else ""
        return f"There is nothing in {shown_folder(folder)}{ignored}."
    return f"{_names(folder, listing)}; no file in it holds text that I can read."


def _names(folder: str, listing: Listing) -> str:
    entries = (*(f"{each}/" for each in listing.folders), *listing.files)
    more = len(entries) - NAMED_FILES
    named = ", ".join(map(code, entries[:NAMED_FILES]))
    return f"{beginning(folder)} holds {named or 'nothing that is listed'}{f' and {more:,} more' if more > 0 else ''}"
