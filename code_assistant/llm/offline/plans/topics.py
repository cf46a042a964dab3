"""Wider questions: sub-agents look for the words of the question folder by folder."""

from __future__ import annotations

from collections.abc import Sequence

from code_assistant.llm.offline.briefs import TopicTask
from code_assistant.llm.offline.delegation import delegated, report_lines
from code_assistant.llm.offline.folders import divided
from code_assistant.llm.offline.intents import Topic
from code_assistant.llm.offline.markdown import code, plain
from code_assistant.llm.offline.steps import Plan, Step
from code_assistant.llm.offline.survey import counted
from code_assistant.llm.offline.tasks.topic import MOST_PLACES, mentions, places_in
from code_assistant.llm.offline.tool_texts import failure
from code_assistant.llm.offline.topic_ranking import FoundWords, Ranked, found_words, ranked, ranking_calls, sought
from code_assistant.llm.offline.words import CAN_DO, ENGLISH_ONLY

MOST_FOLDERS = 5
LARGEST_SHARE, LEAST_SHARE = 0.6, 0.03
# Of very many files only these say where to look: many weak ones must not outweigh a few good ones.
PROMISING_FILES = 60
MOST_NAMED = 5
FIRST, SHOWN_OF_FIRST, SHOWN_OF_OTHERS = 2, 5, 3
HONESTY = "I go by these words and cannot explain: that takes a language model. These are the places to read"


def topics_plan(topic: Topic, tools: frozenset[str]) -> Plan:
    words = topic.words
    outcomes = yield Step(ranking_calls(words))
    searched = outcomes[: len(words)]
    if all(outcome.failed for outcome in searched):
        return f"The files could not be searched for {_listed(words)}: {plain(failure(searched[0]))}"
    found = found_words(words, outcomes)
    files = ranked(found) if found.counts else []
    if not files:
        nothing = f"Nothing in the text files of this folder mentions {_listed(words)}."
        return "\n\n".join((nothing, *((ENGLISH_ONLY,) if topic.is_foreign else ("What I can do:", CAN_DO))))
    opening = [*([ENGLISH_ONLY.partition("\n")[0]] if topic.is_foreign else []), *_named(found, files)]
    told = f"Mentioned: {mentions(found)}{_missing(words, found)}. {HONESTY}"
    folders = _promising(files[:PROMISING_FILES]) if len(files) > MOST_PLACES else []
    if len(folders) < 2:
        places = yield from places_in(".", [file.path for file in files[:MOST_PLACES]], found)
        return "\n\n".join([*opening, f"{told}, the most telling first.", "\n".join(places)])
    outside = _outside(folders, files[:MOST_PLACES])
    loose = yield from places_in(".", outside, found)
    said = f"{counted(len(folders), 'sub-agent')} look for the places in the folders that promise most."
    reports, _ = yield from delegated([TopicTask(folder, found.words) for folder in folders], tools, said)
    shown = (
        _beginning(text, SHOWN_OF_FIRST if place < FIRST else SHOWN_OF_OTHERS)
        for place, text in enumerate(report_lines(reports))
    )
    elsewhere = ["\n".join(["In other places:", "", *loose])] if loose else []
    parts = [*elsewhere, *shown] if files[0].path in outside else [*shown, *elsewhere]
    return "\n\n".join([*opening, f"{told}, in each folder the most telling first.", *parts])


def _outside(folders: Sequence[str], files: Sequence[Ranked]) -> list[str]:
    """The best files that lie in none of the folders which are looked through."""
    inside = tuple(f"{folder}/" for folder in folders)
    return [file.path for file in files if not file.path.startswith(inside)]


def _promising(best: Sequence[Ranked]) -> list[str]:
    """The few folders that most of the best files lie in, that with the very best first."""
    groups = divided({file.path: int(file.score * 100) for file in best}, largest_share=LARGEST_SHARE)
    least = LEAST_SHARE * sum(group.weight for group in groups)
    places = {file.path: place for place, file in enumerate(best)}
    kept = [group for group in groups if not group.is_flat and group.weight >= least]
    kept.sort(key=lambda group: min(places[path] for path in group.weights))
    return [group.folder for group in kept[:MOST_FOLDERS]]


def _named(found: FoundWords, files: Sequence[Ranked]) -> list[str]:
    """Files that are named after all the words of a question that has several."""
    named = [file.path for file in files if len(found.words) > 1 and file.in_name == len(found.words)]
    if not named:
        return []
    more = f" and {len(named) - MOST_NAMED:,} more" if len(named) > MOST_NAMED else ""
    return [f"Named after {' and '.join(map(sought, found.words))}: {', '.join(map(code, named[:MOST_NAMED]))}{more}."]


def _missing(words: Sequence[str], found: FoundWords) -> str:
    missing = [word for word in words if word not in found.words]
    return f"; nowhere {_listed(missing)}" if missing else ""


def _listed(words: Sequence[str]) -> str:
    return " or ".join(map(sought, words))


def _beginning(report: str, most: int) -> str:
    """The opening of a report and its first items."""
    opening, *bullets = (line for line in report.split("\n") if line)
    return "\n".join([opening, "", *bullets[:most]])
