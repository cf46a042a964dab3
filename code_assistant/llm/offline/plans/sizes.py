"""Questions that counting answers: languages, lines, files, tests, and which files are the largest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import assert_never

from code_assistant.llm.offline.calls import ALL_FILES, count_lines, count_matches, find_files
from code_assistant.llm.offline.intents import Sizes
from code_assistant.llm.offline.languages import is_generated, language_of
from code_assistant.llm.offline.markdown import code, plain
from code_assistant.llm.offline.steps import Outcome, Plan, Step
from code_assistant.llm.offline.survey import beginning, counted, shown_folder, size_words
from code_assistant.llm.offline.tasks.folder import TEST_PATTERN
from code_assistant.llm.offline.tool_texts import Counts, counts_in, failure, paths_in

MOST_PARTS = 5
MOST_FILES = 12
MOST_LANGUAGES = 15
OTHER = "other"
WHAT_COUNTS = "Counted are all lines of text files that are not ignored, blank ones and comments included."


def sizes_plan(intent: Sizes) -> Plan:
    """Lines are counted for a thousand files at a time, and a few times at most; the answer says where that ended."""
    if intent.kind == "tests":
        return (yield from _tests_plan(intent))
    first, files = yield Step((count_lines(intent.folder), find_files(ALL_FILES, intent.folder)))
    if first.failed:
        return f"The lines in {shown_folder(intent.folder)} could not be counted: {plain(failure(first))}"
    counts = counts_in(first)
    at_once = max(len(counts.by_path), 1)
    rest = range(at_once, min(counts.total, MOST_PARTS * at_once), at_once)
    more = (yield Step(tuple(count_lines(intent.folder, offset=offset) for offset in rest))) if rest else ()
    lines = {path: number for part in (counts, *map(counts_in, more)) for path, number in part.by_path.items()}
    wanted = {path: number for path, number in lines.items() if intent.language in (None, language_of(path))}
    if not wanted:
        return f"There is no {_kind(intent)} in {shown_folder(intent.folder)}{_limit(lines, counts)}."
    return f"{_told(intent, wanted, files)}\n\n{WHAT_COUNTS}{_limit_words(lines, counts)}"


def _told(intent: Sizes, lines: Mapping[str, int], files: Outcome) -> str:
    match intent.kind:
        case "largest":
            return _largest(intent, lines)
        case "lines":
            table = f"\n\n{_languages(lines)}" if intent.language is None else ""
            return f"{_place(intent)}: {size_words(lines)}.{table}"
        case "files":
            total = paths_in(files).total
            all_files = f"{counted(total, 'file')}, of which " if intent.language is None and total else ""
            holding = f"{counted(len(lines), 'text file')} with something in {'it' if len(lines) == 1 else 'them'}"
            return f"{_place(intent)}: {all_files}{holding}."
        case "languages":
            return f"{_place(intent)}: {size_words(lines)}, by the endings of their names:\n\n{_languages(lines)}"
        case "tests":
            raise ValueError("tests are no lines")
        case _:
            assert_never(intent.kind)


def _tests_plan(intent: Sizes) -> Plan:
    (outcome,) = yield Step((count_matches(TEST_PATTERN, intent.folder),))
    if outcome.failed:
        return f"The tests in {shown_folder(intent.folder)} could not be counted: {plain(failure(outcome))}"
    counts = counts_in(outcome)
    if not counts.by_path:
        return f"No line in {shown_folder(intent.folder)} looks like the beginning of a test."
    tests = sum(counts.by_path.values())
    most = sorted(counts.by_path.items(), key=lambda each: (-each[1], each[0]))[:MOST_FILES]
    return "\n".join(
        (
            f"{beginning(intent.folder)}: about {counted(tests, 'test')} in {counted(len(counts.by_path), 'file')}, "
            f"counted by how they begin{_limit(counts.by_path, counts)}. A test that runs with several inputs counts "
            "once. The most are in:",
            "",
            *(f"- {code(path)}: {number:,}" for path, number in most),
        )
    )


def _largest(intent: Sizes, lines: Mapping[str, int]) -> str:
    written = {path: number for path, number in lines.items() if not is_generated(path)} or lines
    largest = sorted(written.items(), key=lambda each: (-each[1], each[0]))[:MOST_FILES]
    kind = f"{intent.language} files" if intent.language else "files"
    made = ", without those that programs make (lock files and the like)" if len(written) < len(lines) else ""
    bullets = (f"- {code(path)}: {counted(number, 'line')}" for path, number in largest)
    return "\n".join((f"The largest {kind} in {shown_folder(intent.folder)} by lines{made}:", "", *bullets))


def _languages(lines: Mapping[str, int]) -> str:
    """A bullet for each language, that with the most lines first."""
    sums: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for path, number in lines.items():
        language = language_of(path) or OTHER
        sums[language] += number
        files[language] += 1
    named = [each for each, _ in sums.most_common() if each != OTHER]
    shown = [*named[:MOST_LANGUAGES], *([OTHER] if OTHER in sums else [])]
    bullets = [f"- {each}: {counted(files[each], 'file')}, {counted(sums[each], 'line')}" for each in shown]
    more = len(named) - MOST_LANGUAGES
    return "\n".join([*bullets, *([f"- and {more:,} more"] if more > 0 else [])])


def _place(intent: Sizes) -> str:
    return f"{intent.language} in {shown_folder(intent.folder)}" if intent.language else beginning(intent.folder)


def _kind(intent: Sizes) -> str:
    return f"text file in {intent.language}" if intent.language else "text file with something in it"


def _limit(lines: Mapping[str, int], counts: Counts) -> str:
    return f" among {len(lines):,} of {counts.total:,} files" if len(lines) < counts.total else ""


def _limit_words(lines: Mapping[str, int], counts: Counts) -> str:
    limit = _limit(lines, counts)
    return f" There are too many files to count them all: this is what is{limit}." if limit else ""
