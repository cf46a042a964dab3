"""What a project says about itself: README, manifests, and where its programs begin."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from code_assistant.llm.offline.calls import read, search
from code_assistant.llm.offline.languages import STARTING_NAMES, is_test, language_of, stem_of
from code_assistant.llm.offline.manifests import Fact, FactKind, facts_of, is_readme
from code_assistant.llm.offline.markdown import code, plain, quoted, reference
from code_assistant.llm.offline.self_descriptions import heading_and_paragraph, self_description
from code_assistant.llm.offline.steps import Plan, Step
from code_assistant.llm.offline.survey import own_words
from code_assistant.llm.offline.tool_texts import FileText, Matches, files_read, matches_in, problems_in

IDENTITY, RUNNING, ENTRIES, NEEDS = "What it is", "Run and test", "Entry points", "Needs"
README_LINES = 60
LONGEST_PARAGRAPH = 300
MOST_ENTRIES = 5
NO_MATCHES = Matches()
ENTRY_PATTERN = (
    r"^if __name__ == .__main__.|^func main\(|^\s*(?:pub\s+)?(?:async\s+)?fn main\(|^\s*public static void main\("
    r"|^(?:int|void) main\(|^fun main\("
)


def project_plan(paths: Sequence[str]) -> Plan:
    (texts,) = yield Step((read([f"{path}:1-{README_LINES}" if is_readme(path) else path for path in paths]),))
    (found,) = yield Step((search(ENTRY_PATTERN, limit=100),))
    files = files_read(texts)
    facts = [fact for file in files for fact in facts_of(file)]
    unread = [f"- {plain(problem)}" for problem in problems_in(texts)]
    sections = fact_sections(facts, files, matches_in(found))
    return "\n\n".join([*sections, section("Not read", unread)] if unread else sections)


def fact_sections(facts: Sequence[Fact], files: Sequence[FileText] = (), programs: Matches = NO_MATCHES) -> list[str]:
    """What manifests tell; where the texts of a README and lines in which programs begin are given, these too."""
    sections = (
        (IDENTITY, [*_identity(files, facts)]),
        (RUNNING, [*_commands(facts)]),
        (ENTRIES, [*_entries(facts, programs)]),
        (NEEDS, [*_needs(facts)]),
    )
    return [section(title, lines) for title, lines in sections if lines]


def section(title: str, lines: Sequence[str]) -> str:
    return "\n".join((f"**{title}**", "", *lines))


def sections_of(answer: str) -> dict[str, list[str]]:
    """An answer taken apart again, by the titles of its sections."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in answer.split("\n"):
        if title := re.fullmatch(r"\*\*([A-Z][a-z ]+)\*\*", line):
            lines = found.setdefault(title[1], [])
        elif line.strip():
            lines.append(line)
    return found


def _of(kind: FactKind, facts: Sequence[Fact]) -> list[Fact]:
    return [fact for fact in facts if fact.kind == kind]


def _identity(files: Sequence[FileText], facts: Sequence[Fact]) -> Iterator[str]:
    for fact in _of("name", facts)[:1]:
        yield f"- name: {code(fact.text)} ({reference(fact.path, fact.line)})"
    for fact in _of("description", facts)[:1]:
        yield f"- {quoted(fact.text, LONGEST_PARAGRAPH)} ({reference(fact.path, fact.line)})"
    for file in files:
        if is_readme(file.path):
            yield from _readme(file, {fact.text for fact in _of("description", facts)})
            return
    if not _of("description", facts):
        yield from (f"- {_words(file)}" for file in files[:1])


def _words(file: FileText) -> str:
    description = self_description(file)
    return own_words(description) if description is not None else reference(file.path, file.lines[0].number)


def _readme(file: FileText, known: set[str]) -> Iterator[str]:
    heading, paragraph = heading_and_paragraph(file.lines)
    text = " ".join(line.text.strip() for line in paragraph)
    if text and text not in known:
        place = reference(file.path, paragraph[0].number, paragraph[-1].number)
        yield f"- {quoted(text, LONGEST_PARAGRAPH)} ({place})"
    elif heading is not None and not known:
        yield f"- {quoted(heading.text)} ({reference(file.path, heading.number)})"


def _commands(facts: Sequence[Fact]) -> Iterator[str]:
    """A line for each manifest with commands."""
    commands = _of("command", facts)
    for path in dict.fromkeys(fact.path for fact in commands):
        own = [fact for fact in commands if fact.path == path]
        place = reference(path, min(fact.line for fact in own), max(fact.line for fact in own))
        yield f"- {', '.join(code(fact.text) for fact in own)} ({place})"


def _entries(facts: Sequence[Fact], found: Matches) -> Iterator[str]:
    for fact in _of("entry", facts)[:MOST_ENTRIES]:
        runs = f" runs {code(fact.detail)}" if fact.detail else ""
        yield f"- {code(fact.text)}{runs} ({reference(fact.path, fact.line)})"
    programs = [file for file in found.files if file.lines and language_of(file.path) and not is_test(file.path)]
    programs.sort(key=lambda file: (stem_of(file.path).lower() not in STARTING_NAMES, file.path.count("/"), file.path))
    if programs:
        named = ", ".join(reference(file.path, file.lines[0].number) for file in programs[:MOST_ENTRIES])
        more = f" and {len(programs) - MOST_ENTRIES:,} more" if len(programs) > MOST_ENTRIES else ""
        yield f"- run by themselves: {named}{more}"


def _needs(facts: Sequence[Fact]) -> Iterator[str]:
    for fact in _of("needs", facts):
        yield f"- {code(fact.text)} ({reference(fact.path, fact.line)})"
    for fact in _of("dependencies", facts)[:3]:
        yield f"- packages: {plain(fact.text, LONGEST_PARAGRAPH)} ({reference(fact.path, fact.line)})"
