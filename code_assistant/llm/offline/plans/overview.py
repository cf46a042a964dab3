"""An overview of a code base: sub-agents look at its parts side by side, and what they report is put together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from code_assistant.llm.offline.briefs import FolderTask, ProjectTask, Task
from code_assistant.llm.offline.calls import COUNTED_FILES, count_lines, find_files
from code_assistant.llm.offline.delegation import MOST_AGENTS, Report, delegated, problems
from code_assistant.llm.offline.languages import extension_of, language_of
from code_assistant.llm.offline.markdown import code, plain
from code_assistant.llm.offline.plans.layout import Layout, read_layout, without_known
from code_assistant.llm.offline.plans.project_facts import project_files
from code_assistant.llm.offline.steps import Call, Outcomes, Plan
from code_assistant.llm.offline.survey import counted, languages_line
from code_assistant.llm.offline.tasks.project import ENTRIES, IDENTITY, NEEDS, RUNNING, section, sections_of
from code_assistant.llm.offline.tool_texts import counts_in, paths_in

BULLETS_OF_FIRST_PART = 8
BULLETS_OF_A_PART = 3
MOST_EXTENSIONS = 6
NAMED_AT_TOP = 12
_NAME = re.compile(r"- name: (`+.+?`+) \(")
_DEFINED = re.compile(r"defines `(\w+)` \(line")


def overview_plan(tools: frozenset[str]) -> Plan:
    layout = yield from read_layout()
    if layout.problem:
        return f"This folder could not be looked at: {plain(layout.problem)}"
    if not layout.paths.total:
        return _nothing(layout)
    tasks = _tasks(layout)
    if not tasks:
        return _no_text(layout)
    said = f"{counted(len(tasks), 'sub-agent')} look at the parts side by side." if len(tasks) > 1 else ""
    reports, sizes = yield from delegated(tasks, tools, said, _size_calls(layout))
    return "\n\n".join(_answer(layout, reports, sizes))


def _tasks(layout: Layout) -> list[Task]:
    """What the project says about itself, and its largest parts."""
    own = project_files(layout.top)
    project: list[Task] = [ProjectTask(own)] if own else []
    parts = without_known(layout.parts, frozenset(own)) or ([] if project else list(layout.parts))
    return [*project, *(FolderTask(part.folder, part.is_flat) for part in parts[: MOST_AGENTS - len(project)])]


def _size_calls(layout: Layout) -> tuple[Call, ...]:
    """Lines can be counted for all files up to a number; of more, files by their endings."""
    if layout.paths.total <= COUNTED_FILES:
        return (count_lines(),)
    return tuple(find_files(f"*.{extension}") for extension in _extensions(layout))


def _extensions(layout: Layout) -> list[str]:
    seen = Counter(
        extension_of(path)
        for path in (*layout.paths.paths, *(path for part in layout.parts for path in part.sample))
        if language_of(path) is not None and extension_of(path).isalnum()
    )
    return [extension for extension, _ in seen.most_common(MOST_EXTENSIONS)]


def _answer(layout: Layout, reports: Sequence[Report], sizes: Outcomes) -> Iterator[str]:
    project = sections_of("\n".join(each.answer for each in reports if isinstance(each.task, ProjectTask)))
    yield from _identity(project)
    yield _size(layout, sizes)
    for title in (RUNNING, ENTRIES, NEEDS):
        if title in project:
            yield section(title, project[title])
    folders = [each for each in reports if isinstance(each.task, FolderTask) and each.answer]
    parts = [line for place, each in enumerate(folders) for line in _part(each, is_first=place == 0)]
    if parts:
        yield section("Layout", [*parts, *_others(layout, reports)])
    told = problems(reports)
    if told:
        yield section("Not everything could be told", told)
    yield _next(reports)


def _identity(project: dict[str, list[str]]) -> Iterator[str]:
    lines = project.get(IDENTITY, [])
    name = next((found[1] for line in lines if (found := _NAME.match(line))), None)
    words = [line.removeprefix("- ") for line in lines if not _NAME.match(line)]
    if name is not None:
        yield f"## {name}"
    yield from words


def _size(layout: Layout, sizes: Outcomes) -> str:
    total = layout.paths.total
    if total <= COUNTED_FILES:
        lines = counts_in(sizes[0]).by_path if sizes else {}
        if not lines:
            return f"**Size**: {counted(total, 'file')}."
        rest = total - len(lines)
        other = f", and {counted(rest, 'empty or binary file', 'empty or binary files')}" if rest > 0 else ""
        return (
            f"**Size**: {counted(len(lines), 'text file')} with {counted(sum(lines.values()), 'line')} "
            f"({languages_line(lines)}){other}."
        )
    by_language: Counter[str] = Counter()
    for extension, outcome in zip(_extensions(layout), sizes, strict=False):
        by_language[language_of(f"x.{extension}") or extension] += paths_in(outcome).total
    named = ", ".join(f"{name} {number:,}" for name, number in by_language.most_common() if number)
    return f"**Size**: {counted(total, 'file')}{f' ({named})' if named else ''}; too many to count their lines here."


def _part(report: Report, *, is_first: bool) -> Iterator[str]:
    """A part's report as an item of a list, the first of its own items below it. What they define is for later."""
    first, *rest = report.answer.split("\n")
    yield f"- {first}"
    bullets = [line.partition(" · defines ")[0] for line in rest if line.startswith("- ")]
    yield from (f"  {line}" for line in bullets[: BULLETS_OF_FIRST_PART if is_first else BULLETS_OF_A_PART])


def _others(layout: Layout, reports: Sequence[Report]) -> Iterator[str]:
    """Folders at the top that nobody looked into."""
    seen = {each.task.folder.split("/")[0] for each in reports if isinstance(each.task, FolderTask)}
    others = [name for name in layout.top.folders if name not in seen]
    if others:
        named = ", ".join(code(f"{name}/") for name in others[:NAMED_AT_TOP])
        more = f" and {len(others) - NAMED_AT_TOP:,} more" if len(others) > NAMED_AT_TOP else ""
        yield f"- not looked into: {named}{more}"


def _next(reports: Sequence[Report]) -> str:
    folder = next((each.task.folder for each in reports if isinstance(each.task, FolderTask) and each.answer), None)
    name = next((found[1] for each in reports if (found := _DEFINED.search(each.answer))), None)
    asks = [
        *([f"*what does {plain(folder)}/ hold?*"] if folder not in (None, ".") else []),
        *([f"*where is {plain(name)} defined and used?*"] if name else []),
        "*find TODO*",
    ]
    return f"Ask next: {', '.join(asks)}"


def _nothing(layout: Layout) -> str:
    if layout.top.has_ignored:
        return "There is nothing here but what .gitignore or .ignore leaves out."
    if layout.top.folders:
        return (
            f"There are folders here, but no files in them: {', '.join(map(code, layout.top.folders[:NAMED_AT_TOP]))}."
        )
    return "There is nothing here yet: the folder is empty. Once there are files, ask me again."


def _no_text(layout: Layout) -> str:
    endings = Counter(f".{extension_of(path)}" if extension_of(path) else "no ending" for path in layout.paths.paths)
    named = ", ".join(f"{code(ending)} {number:,}" for ending, number in endings.most_common(NAMED_AT_TOP))
    sampled = " of those I looked at" if layout.paths.is_cut else ""
    return (
        f"There {'is' if layout.paths.total == 1 else 'are'} {counted(layout.paths.total, 'file')} here, "
        f"and none{sampled} holds text that I can read: {named}."
    )
