"""Lines that a search found, as lists for people: by file, the most telling first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from code_assistant.llm.offline.definitions import Definition
from code_assistant.llm.offline.folders import Group
from code_assistant.llm.offline.languages import is_code, is_generated, is_test
from code_assistant.llm.offline.markdown import code, reference
from code_assistant.llm.offline.survey import counted
from code_assistant.llm.offline.tool_texts import FileText, Line

MOST_FILES = 12
FURTHER_LINES = 6


def by_interest(files: Iterable[FileText]) -> list[FileText]:
    """Code before prose, prose before tests, generated files last; within these the most matches first."""
    return sorted(files, key=lambda file: (*kind_rank(file.path), -len(file.lines), file.path))


def kind_rank(path: str) -> tuple[bool, bool, bool]:
    return is_generated(path), is_test(path), not is_code(path)


def hit_lines(files: Sequence[FileText], most: int = MOST_FILES) -> list[str]:
    """A bullet for each file: its first line in full, and the numbers of the others."""
    bullets = [_hit(file.path, file.lines) for file in files[:most] if file.lines]
    rest = files[most:]
    if rest:
        matches = sum(len(file.lines) for file in rest)
        bullets.append(f"- and {counted(matches, 'match', 'matches')} in {counted(len(rest), 'more file')}")
    return bullets


def _hit(path: str, lines: Sequence[Line]) -> str:
    first, *others = lines
    numbers = ", ".join(f"{line.number}" for line in others[:FURTHER_LINES])
    more = " …" if len(others) > FURTHER_LINES else ""
    further = f" · also line{'s' if len(others) > 1 else ''} {numbers}{more}" if others else ""
    return f"- {reference(path, first.number)} {code(first.text)}{further}"


def definition_line(definition: Definition) -> str:
    return f"- {definition.kind} {code(definition.name)} at {reference(definition.path, definition.line)}"


def without_definitions(files: Iterable[FileText], definitions: Iterable[Definition]) -> list[FileText]:
    """The same files without the lines that define, and without files of which none is left."""
    defining = {(each.path, each.line) for each in definitions}
    kept = (
        FileText(file.path, tuple(line for line in file.lines if (file.path, line.number) not in defining))
        for file in files
    )
    return [file for file in kept if file.lines]


def elsewhere(files: Sequence[FileText], groups: Sequence[Group]) -> list[str]:
    """What lies in none of the folders that were given to others."""
    covered = {path for group in groups for path in group.weights}
    rest = [file for file in files if file.path not in covered]
    return ["\n".join(["Elsewhere:", "", *hit_lines(rest)])] if rest else []


def joined_lines(lines: Sequence[str]) -> list[str]:
    """Lines as one paragraph or list; none where there are no lines."""
    return ["\n".join(lines)] if lines else []
