"""Where a name is defined and used: one search, told apart by what definitions look like in each language."""

from __future__ import annotations

import re
from dataclasses import dataclass

from code_assistant.llm.offline.calls import read, search, whole_word
from code_assistant.llm.offline.definitions import Definition, broad_pattern, definitions_in
from code_assistant.llm.offline.hits import (
    by_interest,
    definition_line,
    hit_lines,
    joined_lines,
    kind_rank,
    without_definitions,
)
from code_assistant.llm.offline.languages import language_of
from code_assistant.llm.offline.markdown import LONGEST_CODE, code, fenced, plain
from code_assistant.llm.offline.steps import Part, Plan, Step
from code_assistant.llm.offline.survey import counted, shown_folder
from code_assistant.llm.offline.tool_texts import FileText, failure, files_read, matches_in

SEARCH_LIMIT = 1000
MOST_DEFINITIONS = 8
MOST_USES = 6
SNIPPET_LINES = 10
_OWNED = re.compile(r"(?:.*(?:\.|::|->|#))?(?P<owner>[\w$]+)(?:\.|::|->|#)(?P<name>[\w$]+)\Z")


@dataclass(frozen=True, slots=True)
class FoundSymbol:
    """`searched` is what was looked for: of `Owner.name` the last part. `total` counts all lines, as far as known."""

    name: str
    searched: str
    definitions: tuple[Definition, ...] = ()
    uses: tuple[FileText, ...] = ()
    total: int = 0
    is_cut: bool = False
    problem: str = ""

    @property
    def use_count(self) -> int:
        return max(self.total - len(self.definitions), 0)

    @property
    def use_words(self) -> str:
        """In how many lines of how many files it is used."""
        more = "more than " if self.is_cut else ""
        more_lines = more if self.name != self.searched else ""
        return f"{more_lines}{counted(self.use_count, 'further line')} of {more}{counted(len(self.uses), 'file')}"


def last_part(name: str) -> str:
    """Of `Owner.name` the name."""
    owned = _OWNED.match(name)
    return owned["name"] if owned else name


def found_symbol(name: str, folder: str) -> Part[FoundSymbol]:
    owned = _OWNED.match(name)
    searched = last_part(name)
    (outcome,) = yield Step((search(whole_word(searched), folder, limit=SEARCH_LIMIT),))
    if outcome.failed:
        return FoundSymbol(name, searched, problem=failure(outcome))
    matches = matches_in(outcome)
    definitions = [each for file in matches.files for each in definitions_in(file, searched)]
    if matches.is_cut:
        # Among so many lines the definition may be one that is not shown.
        (more,) = yield Step((search(broad_pattern(searched), folder),))
        seen = {(each.path, each.line) for each in definitions}
        further = (each for file in matches_in(more).files for each in definitions_in(file, searched))
        definitions += [each for each in further if (each.path, each.line) not in seen]
    if owned and definitions:
        definitions = yield from _defined_with(owned["owner"], definitions, folder)
    definitions.sort(key=lambda each: (*kind_rank(each.path), each.kind == "variable", each.path))
    uses = by_interest(without_definitions(matches.files, definitions))
    total = matches.total
    if owned and (reached := _reached_through_an_owner(searched, uses)):
        uses = reached
        total = len(definitions) + sum(len(file.lines) for file in uses)
    return FoundSymbol(name, searched, tuple(definitions), tuple(uses), total, matches.is_cut)


def _reached_through_an_owner(name: str, files: list[FileText]) -> list[FileText]:
    """Lines in which something stands before the name that it may belong to."""
    pattern = re.compile(rf"(?:\.|::|->|#){re.escape(name)}\b")
    kept = (FileText(file.path, tuple(line for line in file.lines if pattern.search(line.text))) for file in files)
    return [file for file in kept if file.lines]


def _defined_with(owner: str, definitions: list[Definition], folder: str) -> Part[list[Definition]]:
    """Of `Owner.name` those definitions of the name that lie in a file which defines the owner, where there are any."""
    (outcome,) = yield Step((search(broad_pattern(owner), folder),))
    owners = {each.path for file in matches_in(outcome).files for each in definitions_in(file, owner)}
    return [each for each in definitions if each.path in owners] or definitions


def symbol_in_folder(name: str, folder: str) -> Plan:
    found = yield from found_symbol(name, folder)
    if found.problem:
        return f"{code(name)} could not be searched for: {plain(found.problem)}"
    if folder == ".":
        definitions = yield from shown_definitions(found)
    else:
        definitions = joined_lines([definition_line(each) for each in found.definitions[:MOST_DEFINITIONS]])
    defined = counted(len(found.definitions), "definition") if found.definitions else "no definition"
    opening = f"{code(found.searched)} in {shown_folder(folder)}: {defined}, {found.use_words}."
    return "\n\n".join((opening, *definitions, *joined_lines(hit_lines(found.uses, MOST_USES))))


def shown_definitions(found: FoundSymbol) -> Part[list[str]]:
    """The definitions, below the first one its first lines as code."""
    if not found.definitions:
        return []
    first, *others = found.definitions[:MOST_DEFINITIONS]
    (outcome,) = yield Step((read([f"{first.path}:{first.line}-{first.line + SNIPPET_LINES - 1}"]),))
    file = next(iter(files_read(outcome)), None)
    lines = [line.text[:LONGEST_CODE] for line in file.lines] if file is not None else []
    block = fenced(_beginning(lines), (language_of(first.path) or "").lower()) if lines else None
    more = len(found.definitions) - MOST_DEFINITIONS
    rest = [*map(definition_line, others), *([f"- and {more:,} more"] if more > 0 else [])]
    return [definition_line(first), *([block] if block else []), *joined_lines(rest)]


def _beginning(lines: list[str]) -> list[str]:
    """Up to the first blank line or the next thing on the same level, once a few lines are there."""
    indent = len(lines[0]) - len(lines[0].lstrip())
    for place, line in enumerate(lines[1:], 1):
        is_outside = bool(line.strip()) and len(line) - len(line.lstrip()) <= indent and line.strip()[0] not in ")]}{"
        if is_outside or (not line.strip() and place >= 3):
            return lines[:place]
    return lines
