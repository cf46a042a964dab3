"""Which files have most to do with some words: rare words say more than common ones, names of files the most."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from code_assistant.llm.offline.calls import count_matches, find_files, whole_part, word_start
from code_assistant.llm.offline.languages import TEST_FOLDERS, is_binary_name, is_generated, is_test, name_of, stem_of
from code_assistant.llm.offline.markdown import code
from code_assistant.llm.offline.names import is_plain_name
from code_assistant.llm.offline.steps import Call, Outcomes
from code_assistant.llm.offline.survey import folder_of
from code_assistant.llm.offline.tool_texts import Counts, counts_in, paths_in

SHORTEST_BEGINNING = 4
MOST_HITS_OF_A_FILE = 16
IN_NAME, IN_FOLDER = 3.0, 0.5
ASIDE = 0.3
# Of what the best file promises; what promises less only has a common word.
LEAST_SHARE = 0.15


@dataclass(frozen=True, slots=True)
class Ranked:
    """A file, how much it promises, and how many of the words its name holds."""

    path: str
    score: float
    in_name: int


@dataclass(frozen=True, slots=True)
class FoundWords:
    """In which files each word stands, the word that says most first, and which files are named after one."""

    counts: Mapping[str, Counts]
    named: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(self.counts)


def word_pattern(word: str) -> str:
    """What counts as a word: whatever begins so; of a short word, which begins much else, only itself."""
    return word_start(word) if len(word) >= SHORTEST_BEGINNING else whole_part(word)


def sought(word: str) -> str:
    """A word as it was looked for."""
    return code(f"{word}…" if len(word) >= SHORTEST_BEGINNING else word)


def ranking_calls(words: Sequence[str], folder: str = ".") -> tuple[Call, ...]:
    names = [each for word in words if is_plain_name(word) and "," not in word for each in (word, word.capitalize())]
    pattern = f"*{{{','.join(dict.fromkeys(names))}}}*"
    by_name = [find_files(pattern, folder)] if names else []
    return (*(count_matches(word_pattern(word), folder) for word in words), *by_name)


def found_words(words: Sequence[str], outcomes: Outcomes, *, in_order: bool = False) -> FoundWords:
    """What came of the calls. The rarest word is first, unless an order was given by who has seen more."""
    counts = {word: counts_in(outcome) for word, outcome in zip(words, outcomes, strict=False)}
    ordered = words if in_order else sorted(words, key=lambda word: counts[word].total or math.inf)
    named = paths_in(outcomes[-1]).paths if len(outcomes) > len(words) else ()
    seen = {word: counts[word] for word in ordered if counts[word].by_path or in_order}
    return FoundWords(seen, tuple(path for path in named if not is_binary_name(path)))


def ranked(found: FoundWords) -> list[Ranked]:
    """The files that promise something beside the best one, the most promising first."""
    weights = word_weights(found)
    patterns = {word: re.compile(word_pattern(word)) for word in weights}
    wants_tests = any(word.lower().rstrip("s") in TEST_FOLDERS for word in weights)
    paths = {path: None for counts in found.counts.values() for path in counts.by_path}
    paths |= dict.fromkeys(found.named)
    files = [_ranked(path, found, weights, patterns, wants_tests=wants_tests) for path in paths]
    least = LEAST_SHARE * max((file.score for file in files), default=0)
    kept = [file for file in files if file.score and file.score >= least]
    return sorted(kept, key=lambda file: (file.in_name < len(weights), -file.score, file.path))


def word_weights(found: FoundWords) -> dict[str, float]:
    """How much each word says: the fewer files hold it, the more; none says more than those before it."""
    files = len({path for counts in found.counts.values() for path in counts.by_path})
    files = max(files, *(counts.total for counts in found.counts.values()), 1)
    weights: dict[str, float] = {}
    highest = math.inf
    for word, counts in found.counts.items():
        highest = min(highest, math.log2(1 + files / max(counts.total, 1)))
        weights[word] = highest
    return weights


def _ranked(
    path: str,
    found: FoundWords,
    weights: Mapping[str, float],
    patterns: Mapping[str, re.Pattern[str]],
    *,
    wants_tests: bool,
) -> Ranked:
    score = 0.0
    words = in_name = 0
    stem, folder = stem_of(name_of(path)), folder_of(path)
    for word, weight in weights.items():
        hits = min(found.counts[word].by_path.get(path, 0), MOST_HITS_OF_A_FILE)
        is_named = patterns[word].search(stem) is not None
        text = 1 + math.log2(hits) / 4 if hits else 0.0
        name = IN_NAME if is_named else IN_FOLDER if hits and patterns[word].search(folder) else 0.0
        score += weight * (text + name)
        words += bool(hits or is_named)
        in_name += is_named
    is_aside = is_generated(path) or (is_test(path) and not wants_tests)
    return Ranked(path, score * words * (ASIDE if is_aside else 1), 0 if is_aside else in_name)
