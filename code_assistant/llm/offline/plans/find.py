"""Finding text: by one search, or by sub-agents where it stands in very many places."""

from __future__ import annotations

from code_assistant.llm.offline.briefs import FindTask
from code_assistant.llm.offline.calls import count_matches, find_files, literal
from code_assistant.llm.offline.delegation import delegated, report_lines, shared_out
from code_assistant.llm.offline.folders import Group
from code_assistant.llm.offline.foreign_words import is_foreign
from code_assistant.llm.offline.hits import by_interest, elsewhere, hit_lines
from code_assistant.llm.offline.intents import Topic
from code_assistant.llm.offline.markdown import code, plain
from code_assistant.llm.offline.names import is_plain_name, keywords_in
from code_assistant.llm.offline.plans.topics import topics_plan
from code_assistant.llm.offline.steps import Part, Plan, Step
from code_assistant.llm.offline.survey import counted
from code_assistant.llm.offline.tasks.find import found_words, is_any_case, text_search
from code_assistant.llm.offline.tool_texts import Matches, counts_in, failure, matches_in, paths_in

LONGEST_TEXT = 500
BROAD_LINES = 200
BROAD_FILES = 30
MOST_NAMES = 8


def find_plan(text: str, tools: frozenset[str]) -> Plan:
    text = text[:LONGEST_TEXT]
    calls = [text_search(text), *([find_files(f"*{text}*")] if is_plain_name(text) else [])]
    outcomes = yield Step(tuple(calls))
    if outcomes[0].failed:
        return f"{code(text)} could not be searched for: {plain(failure(outcomes[0]))}"
    matches = matches_in(outcomes[0])
    if not matches.files and len(text) > 3 and text.endswith("s") and not text.islower():
        # "TODOs" are many of what is written TODO.
        text = text.removesuffix("s")
        (again,) = yield Step((text_search(text),))
        if again.failed:
            return f"{code(text)} could not be searched for: {plain(failure(again))}"
        matches = matches_in(again)
    named = paths_in(outcomes[1]).paths[:MOST_NAMES] if len(outcomes) > 1 else ()
    names = ["\n".join(["In names of files:", "", *(f"- {code(path)}" for path in named)])] if named else []
    if matches.files:
        found = yield from _found(text, matches, tools)
        return "\n\n".join([*found, *names])
    if not names and len(keywords_in(text)) > 1:
        answer = yield from topics_plan(Topic(keywords_in(text), is_foreign(text)), tools)
        return f"{code(text)} stands nowhere as it is.\n\n{answer}"
    nowhere = f"{code(text)} stands in no text file of this folder that is not ignored."
    return "\n\n".join([nowhere, *names])


def _found(text: str, matches: Matches, tools: frozenset[str]) -> Part[list[str]]:
    opening = f"{code(text)}: {found_words(matches)}."
    files = by_interest(matches.files)
    groups: list[Group] = []
    if matches.total > BROAD_LINES or len(files) > BROAD_FILES:
        (outcome,) = yield Step((count_matches(literal(text), ignore_case=is_any_case(text)),))
        groups = shared_out(counts_in(outcome).by_path)
    if not groups:
        return ["\n".join([opening, "", *hit_lines(files)])]
    words = f"That stands in many places; {counted(len(groups), 'sub-agent')} go through them by folder."
    reports, _ = yield from delegated([FindTask(text, group.folder) for group in groups], tools, words)
    return [opening, *report_lines(reports), *elsewhere(files, groups)]
