"""What one file holds: its own words, what it defines, and who imports it. A folder is looked at as one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from code_assistant.llm.offline.calls import literal, read, search
from code_assistant.llm.offline.definitions import Definition, definitions_in
from code_assistant.llm.offline.hits import by_interest
from code_assistant.llm.offline.languages import TELLING_NAMES, is_code, language_of, name_of, stem_of
from code_assistant.llm.offline.manifests import facts_of
from code_assistant.llm.offline.markdown import code, fenced, plain, quoted, reference
from code_assistant.llm.offline.self_descriptions import heading_and_paragraph, self_description
from code_assistant.llm.offline.steps import Outcome, Plan, Step
from code_assistant.llm.offline.survey import counted, folder_of, own_words
from code_assistant.llm.offline.tasks.folder import folder_plan
from code_assistant.llm.offline.tasks.project import LONGEST_PARAGRAPH, fact_sections
from code_assistant.llm.offline.tool_texts import (
    FileText,
    Line,
    Matches,
    denial_in,
    files_read,
    matches_in,
    problems_in,
)

MOST_DEFINITIONS = 25
MOST_METHODS = 8
MOST_IMPORTERS = 8
MOST_HEADINGS = 25
FIRST_LINES = 12
_IS_FOLDER = "is a folder; use list_files"
_HEADING = re.compile(r"(#{1,6})\s+(\S.*)")
_KEYS = {
    "TOML": re.compile(r"\[\[?([^\]]+)\]\]?"),
    "INI": re.compile(r"\[([^\]]+)\]"),
    "YAML": re.compile(r"([A-Za-z_][\w.-]*):"),
    "JSON": re.compile(r'(?: {2}| {4}|\t)"([^"]+)"\s*:'),
}


def file_plan(path: str) -> Plan:
    (outcome,) = yield Step((read([path]),))
    file = next(iter(files_read(outcome)), None)
    if file is None and _IS_FOLDER in outcome.text:
        return (yield from folder_plan(path))
    if file is None:
        return _not_text(outcome)
    importers = Matches()
    if is_code(file.path) and stem_of(file.path).lower() not in TELLING_NAMES:
        (found,) = yield Step((search(_import_pattern(file.path), limit=200),))
        importers = matches_in(found)
    parts = [_opening(file), _own_words(file), *_contents(file), *_importers(file, importers)]
    return "\n\n".join(part for part in parts if part)


def _import_pattern(path: str) -> str:
    """Lines that import a file by its name, behind that of its folder where it lies in one."""
    stem, folder = literal(stem_of(path)), literal(name_of(folder_of(path)))
    named = rf"\b{stem}\b" if folder == r"\." else rf"\b{folder}(?:\.|/|::|\s+import\s+(?:.*\b)?){stem}\b"
    return rf"^\s*(?:import|from|require|#?include|use|mod|const|export)\b.*(?:{named}|[\"'/.]{stem}(?:\.\w+)?[\"'])"


def _opening(file: FileText) -> str:
    language = language_of(file.path)
    kind = f", {language}" if language else ""
    shown = f" (I saw the first {len(file.lines):,})" if file.total and file.total > len(file.lines) else ""
    size = counted(file.total, "line") if file.total else f"more than {counted(len(file.lines), 'line')}"
    return f"{code(file.path)}: {size}{kind}{shown}."


def _own_words(file: FileText) -> str:
    if language_of(file.path) == "Markdown":
        _, paragraph = heading_and_paragraph(file.lines)
        text = " ".join(line.text.strip() for line in paragraph)
        place = reference(file.path, paragraph[0].number, paragraph[-1].number) if paragraph else ""
        return f"{quoted(text, LONGEST_PARAGRAPH)} ({place})" if paragraph else ""
    description = self_description(file)
    return own_words(description) if description is not None else ""


def _contents(file: FileText) -> list[str]:
    language = language_of(file.path)
    definitions = list(definitions_in(file)) if is_code(file.path) else []
    if definitions:
        return [_outline(definitions)]
    if facts := facts_of(file):
        return fact_sections(facts)
    if language == "Markdown":
        headings = [(line, found) for line in _outside_fences(file.lines) if (found := _HEADING.match(line.text))]
        bullets = [
            f"{'  ' * (min(len(found[1]), 3) - 1)}- {plain(found[2])} ({reference(file.path, line.number)})"
            for line, found in headings[:MOST_HEADINGS]
        ]
        return ["\n".join(["**Headings**", "", *bullets, *_more(len(headings) - MOST_HEADINGS)])] if bullets else []
    if keys := _KEYS.get(language or ""):
        found_keys = [(line.number, found[1]) for line in file.lines if (found := keys.match(line.text))]
        if found_keys:
            bullets = [f"- {code(key)} ({reference(file.path, number)})" for number, key in found_keys[:MOST_HEADINGS]]
            return ["\n".join(["**Sections and keys**", "", *bullets, *_more(len(found_keys) - MOST_HEADINGS)])]
    return _first_lines(file)


def _first_lines(file: FileText) -> list[str]:
    last = file.lines[:FIRST_LINES][-1].number
    place = reference(file.path, file.lines[0].number, last)
    block = fenced([line.text[:120] for line in file.lines[:FIRST_LINES]])
    return [
        f"It begins so ({place}):\n\n{block}" if block else f"Its first line ({place}): {quoted(file.lines[0].text)}"
    ]


def _outside_fences(lines: Sequence[Line]) -> list[Line]:
    kept: list[Line] = []
    fence = False
    for line in lines:
        if line.text.lstrip().startswith(("```", "~~~")):
            fence = not fence
        elif not fence:
            kept.append(line)
    return kept


def _outline(definitions: Sequence[Definition]) -> str:
    """The outermost definitions, each with what is defined inside it; variables only where there is nothing else."""
    has_more = any(each.kind != "variable" for each in definitions)
    outer: list[tuple[Definition, list[str]]] = []
    for each in definitions:
        if each.kind == "variable" and has_more:
            continue
        if each.is_outermost or not outer:
            outer.append((each, []))
        else:
            outer[-1][1].append(each.name)
    bullets = [
        f"- {each.kind} {code(each.name)} ({reference(each.path, each.line)}){_inner(names)}" for each, names in outer
    ]
    return "\n".join(["**Defines**", "", *bullets[:MOST_DEFINITIONS], *_more(len(bullets) - MOST_DEFINITIONS)])


def _inner(names: Sequence[str]) -> str:
    if not names:
        return ""
    more = " …" if len(names) > MOST_METHODS else ""
    return f": {', '.join(map(code, names[:MOST_METHODS]))}{more}"


def _more(number: int) -> list[str]:
    return [f"- and {number:,} more"] if number > 0 else []


def _importers(file: FileText, found: Matches) -> list[str]:
    others = [each for each in by_interest(found.files) if each.path != file.path and each.lines]
    if not others:
        return []
    named = ", ".join(reference(each.path, each.lines[0].number) for each in others[:MOST_IMPORTERS])
    more = f" and {len(others) - MOST_IMPORTERS:,} more" if len(others) > MOST_IMPORTERS else ""
    return [f"Imports that name it: {named}{more}."]


def _not_text(outcome: Outcome) -> str:
    denial = denial_in(outcome)
    if denial is not None:
        return plain(denial, 300)
    problems = problems_in(outcome)
    if problems:
        return plain(" ".join(problems), 600)
    told = plain(outcome.text.split("\n")[0].removesuffix(":"), 300)
    return f"{told}. I can read no more of it without a language model." if "(image/" in outcome.text else f"{told}."
