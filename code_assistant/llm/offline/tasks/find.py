"""Where a text stands below a folder."""

from __future__ import annotations

from code_assistant.llm.offline.calls import literal, search
from code_assistant.llm.offline.hits import by_interest, hit_lines
from code_assistant.llm.offline.markdown import code, plain
from code_assistant.llm.offline.steps import Call, Plan, Step
from code_assistant.llm.offline.survey import counted, shown_folder
from code_assistant.llm.offline.tool_texts import Matches, failure, matches_in

SEARCH_LIMIT = 1000
MOST_FILES = 8


def text_search(text: str, folder: str = ".") -> Call:
    return search(literal(text), folder, limit=SEARCH_LIMIT, ignore_case=is_any_case(text))


def is_any_case(text: str) -> bool:
    """Small letters stand for both; who writes a capital means it."""
    return text == text.lower()


def found_words(matches: Matches) -> str:
    files = counted(len(matches.files), "file")
    if matches.is_cut:
        return f"{matches.total:,} lines; I saw the first {matches.shown:,}, in {files}"
    return f"{counted(matches.total, 'line')} in {files}"


def find_in_folder(text: str, folder: str) -> Plan:
    (outcome,) = yield Step((text_search(text, folder),))
    if outcome.failed:
        return f"{code(text)} could not be searched for: {plain(failure(outcome))}"
    matches = matches_in(outcome)
    if not matches.files:
        return f"{code(text)} does not stand in {shown_folder(folder)}."
    opening = f"{code(text)} in {shown_folder(folder)}: {found_words(matches)}."
    return "\n".join((opening, "", *hit_lines(by_interest(matches.files), MOST_FILES)))
