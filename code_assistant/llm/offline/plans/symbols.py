"""Questions about names: one name by a search or two, several names or a busy one by sub-agents."""

from __future__ import annotations

from collections.abc import Sequence

from code_assistant.llm.offline.briefs import SymbolTask
from code_assistant.llm.offline.calls import count_matches, find_files, literal, search, whole_word
from code_assistant.llm.offline.delegation import delegated, report_lines, shared_out
from code_assistant.llm.offline.folders import Group
from code_assistant.llm.offline.hits import by_interest, elsewhere, hit_lines, joined_lines
from code_assistant.llm.offline.intents import Symbols
from code_assistant.llm.offline.markdown import code, plain
from code_assistant.llm.offline.names import is_plain_name
from code_assistant.llm.offline.steps import Outcome, Part, Plan, Step
from code_assistant.llm.offline.survey import counted
from code_assistant.llm.offline.tasks.symbol import FoundSymbol, found_symbol, last_part, shown_definitions
from code_assistant.llm.offline.tool_texts import counts_in, failure, matches_in, paths_in

BROAD_LINES = 150
BROAD_FILES = 25
MOST_SIMILAR = 8


def symbols_plan(intent: Symbols, tools: frozenset[str]) -> Plan:
    name, *others = intent.names
    return _several(intent.names, tools) if others else _one(name, intent, tools)


def _several(names: Sequence[str], tools: frozenset[str]) -> Plan:
    outcomes = yield Step(tuple(count_matches(whole_word(last_part(name))) for name in names))
    searched = list(zip(names, outcomes, strict=True))
    there = [name for name, outcome in searched if counts_in(outcome).by_path]
    missing = [f"- {code(name)} {_why_not(outcome)}" for name, outcome in searched if name not in there]
    words = f"{counted(len(there), 'sub-agent')} look for a name each." if len(there) > 1 else ""
    reports, _ = yield from delegated([SymbolTask(name, ".") for name in there], tools, words)
    return "\n\n".join([*report_lines(reports), *joined_lines(missing)])


def _why_not(outcome: Outcome) -> str:
    if outcome.failed:
        return f"could not be searched for: {plain(failure(outcome))}"
    return "stands nowhere in the text files of this folder."


def _one(name: str, intent: Symbols, tools: frozenset[str]) -> Plan:
    found = yield from found_symbol(name, ".")
    if found.problem:
        return f"{code(name)} could not be searched for: {plain(found.problem)}"
    if not found.total:
        return (yield from _similar(found.searched))
    definitions = yield from shown_definitions(found)
    parts = [_opening(found), *definitions]
    if intent.used or not found.definitions:
        parts += yield from _uses(found, tools)
    elif found.uses:
        parts.append(f"To see where it is used ask: *who uses {plain(found.searched)}?*")
    return "\n\n".join(parts)


def _opening(found: FoundSymbol) -> str:
    last = "" if found.name == found.searched else f" (the last part of {code(found.name)})"
    places = counted(len(found.definitions), "place")
    defined = f"is defined in {places}" if found.definitions else "has no line that looks like a definition"
    used = f"mentioned in {found.use_words}" if found.uses else "mentioned nowhere else"
    return f"{code(found.searched)}{last} {defined} and is {used}."


def _uses(found: FoundSymbol, tools: frozenset[str]) -> Part[list[str]]:
    if not found.uses:
        return []
    groups: list[Group] = []
    if found.use_count > BROAD_LINES or len(found.uses) > BROAD_FILES:
        weights = {file.path: len(file.lines) for file in found.uses}
        if found.is_cut:
            (outcome,) = yield Step((count_matches(whole_word(found.searched)),))
            weights = counts_in(outcome).by_path
        groups = shared_out(weights)
    if not groups:
        return ["\n".join(["**Used**", "", *hit_lines(found.uses)])]
    words = f"It stands in many places; {counted(len(groups), 'sub-agent')} go through them by folder."
    reports, _ = yield from delegated([SymbolTask(found.name, group.folder) for group in groups], tools, words)
    return [*report_lines(reports), *elsewhere(found.uses, groups)]


def _similar(name: str) -> Plan:
    """A name that stands nowhere as a whole word: where it is part of another, or of a file's name."""
    calls = [search(literal(name), limit=200, ignore_case=True)]
    if is_plain_name(name):
        calls.append(find_files(f"*{name}*"))
    outcomes = yield Step(tuple(calls))
    files = by_interest(matches_in(outcomes[0]).files)
    paths = paths_in(outcomes[1]).paths[:MOST_SIMILAR] if len(outcomes) > 1 else ()
    parts = [f"{code(name)} stands nowhere as a whole word, in no text file of this folder that is not ignored."]
    if files:
        parts.append("\n".join(["As a part of other words:", "", *hit_lines(files, MOST_SIMILAR)]))
    if paths:
        parts.append("\n".join(["In names of files:", "", *(f"- {code(path)}" for path in paths)]))
    return "\n\n".join(parts)
