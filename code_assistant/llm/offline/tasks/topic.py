"""Which places below a folder have to do with some words: names of files, definitions, text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from code_assistant.llm.offline.calls import read, search
from code_assistant.llm.offline.definitions import Definition, definitions_in
from code_assistant.llm.offline.markdown import code, plain, quoted, reference
from code_assistant.llm.offline.names import is_plain_name
from code_assistant.llm.offline.self_descriptions import SelfDescription, self_description
from code_assistant.llm.offline.steps import Call, Part, Plan, Step
from code_assistant.llm.offline.survey import beginning, counted, shown_folder
from code_assistant.llm.offline.tool_texts import FileText, Line, failure, files_read, matches_in
from code_assistant.llm.offline.topic_ranking import (
    FoundWords,
    found_words,
    ranked,
    ranking_calls,
    sought,
    word_pattern,
    word_weights,
)

SEARCH_LIMIT = 1000
MOST_PLACES = 8
HEAD_LINES = 30
NAMED_DEFINITIONS = 3
LONGEST_LINE = 80


def topic_in_folder(folder: str, words: Sequence[str]) -> Plan:
    """The words come with the one that says most first."""
    outcomes = yield Step(ranking_calls(words, folder))
    searched = outcomes[: len(words)]
    if all(outcome.failed for outcome in searched):
        return f"{beginning(folder)} could not be searched: {plain(failure(searched[0]))}"
    found = found_words(words, outcomes, in_order=True)
    places = yield from places_in(folder, [file.path for file in ranked(found)[:MOST_PLACES]], found)
    if not places:
        return f"Nothing in {shown_folder(folder)} has to do with {', '.join(map(sought, words))}."
    return "\n".join((f"{beginning(folder)}: {mentions(found)}.", "", *places))


def mentions(found: FoundWords) -> str:
    return ", ".join(
        f"{sought(word)} in {counted(counts.total, 'file')}" for word, counts in found.counts.items() if counts.total
    )


def places_in(folder: str, paths: Sequence[str], found: FoundWords) -> Part[list[str]]:
    """A bullet for each of some files below a folder, with the lines that tell most."""
    if not paths:
        return []
    heads, *searches = yield Step(
        (read([f"{path}:1-{HEAD_LINES}" for path in paths]), *_searches(folder, paths, found.words))
    )
    begun = {file.path: file for file in files_read(heads)}
    lines = {file.path: file for outcome in searches for file in matches_in(outcome).files}
    weights = word_weights(found)
    bullets = (_bullet(path, lines.get(path), begun.get(path), weights) for path in paths)
    return [bullet for bullet in bullets if bullet]


def _searches(folder: str, paths: Sequence[str], words: Sequence[str]) -> list[Call]:
    """One search in all files whose names can stand in a pattern, and one for each other file."""
    pattern = "|".join(map(word_pattern, words))
    start = 0 if folder == "." else len(folder.rstrip("/")) + 1
    together = [path for path in paths if is_plain_name(path) and "," not in path]
    names = [path[start:] for path in together]
    only = f"/{{{','.join(names)}}}" if len(names) > 1 else f"/{''.join(names)}"
    alone = [search(pattern, path, limit=SEARCH_LIMIT) for path in paths if path not in together]
    return [search(pattern, folder, limit=SEARCH_LIMIT, only=only), *alone] if names else alone


def _bullet(path: str, found: FileText | None, head: FileText | None, weights: Mapping[str, float]) -> str:
    """The line to look at first, and behind it the file's own words with theirs. Empty where no line was seen."""
    description = self_description(head) if head is not None else None
    definitions = _telling_definitions(found, weights) if found is not None else []
    if definitions:
        named = ", ".join(
            f"{code(each.name)}{f' (line {each.line})' if place else ''}"
            for place, each in enumerate(definitions[:NAMED_DEFINITIONS])
        )
        return f"- {reference(path, definitions[0].line)} defines {named}{_own_words(description)}"
    line = _telling_line(found.lines, weights) if found is not None and found.lines else None
    if line is not None and not _is_within(line, description):
        return f"- {reference(path, line.number)} {code(line.text, LONGEST_LINE)}{_own_words(description)}"
    if description is not None:
        return f"- {reference(path, description.first, description.last)} {quoted(description.text)}"
    return f"- {reference(path, head.lines[0].number)} {code(head.lines[0].text, LONGEST_LINE)}" if head else ""


def _is_within(line: Line, description: SelfDescription | None) -> bool:
    return description is not None and description.first <= line.number <= description.last


def _own_words(description: SelfDescription | None) -> str:
    if description is None:
        return ""
    first, last = description.first, description.last
    place = f"lines {first}-{last}" if last > first else f"line {first}"
    return f" · {quoted(description.text)} ({place})"


def _telling_definitions(file: FileText, weights: Mapping[str, float]) -> list[Definition]:
    """What is named after the words, what is named after the rarest of them first."""
    defined = ((each, _weight(each.name, weights)) for each in definitions_in(file))
    telling = [(each, weight) for each, weight in defined if weight]
    telling.sort(key=lambda both: (-both[1], not both[0].is_outermost, both[0].line))
    return [each for each, _ in telling]


def _telling_line(lines: Sequence[Line], weights: Mapping[str, float]) -> Line:
    return max(lines, key=lambda line: (_weight(line.text, weights), -line.number))


def _weight(text: str, weights: Mapping[str, float]) -> float:
    return sum(weight for word, weight in weights.items() if re.search(word_pattern(word), text))
