"""What something holds: a folder, a file, or whatever else has the name."""

from __future__ import annotations

from code_assistant.llm.offline.calls import find_files
from code_assistant.llm.offline.intents import Symbols
from code_assistant.llm.offline.languages import name_of
from code_assistant.llm.offline.markdown import code
from code_assistant.llm.offline.names import is_plain_name, looks_like_path
from code_assistant.llm.offline.plans.file import file_plan
from code_assistant.llm.offline.plans.symbols import symbols_plan
from code_assistant.llm.offline.steps import Plan, Step
from code_assistant.llm.offline.tasks.folder import folder_plan
from code_assistant.llm.offline.tool_texts import Paths, paths_in

MOST_OTHERS = 6


def describe_plan(target: str, tools: frozenset[str]) -> Plan:
    path = target.removeprefix("./").rstrip("/") or target
    if path in (".", "./"):
        return (yield from folder_plan("."))
    if path.startswith(("/", "~", "..")) or not is_plain_name(path):
        # Outside of this folder only reading itself can tell, and asks.
        return (yield from file_plan(path))
    files, below = yield Step((find_files(_files_pattern(path)), find_files(f"**/{path}/**")))
    folders = _folders(path, paths_in(below))
    if folders and (path in folders or target.endswith("/") or not paths_in(files).paths):
        return _with_others((yield from folder_plan(folders[0])), [f"{each}/" for each in folders[1:]])
    found = sorted(paths_in(files).paths, key=lambda each: (name_of(each) != path, each.count("/"), each))
    if found:
        return _with_others((yield from file_plan(found[0])), found[1:])
    if looks_like_path(path):
        return (yield from file_plan(path))
    return (yield from symbols_plan(Symbols((path,)), tools))


def _files_pattern(path: str) -> str:
    return path if looks_like_path(path) else f"{{{path},{path}.*}}"


def _folders(path: str, below: Paths) -> list[str]:
    """The folders of this name that the found files lie in, the outermost first."""
    ending = f"/{path}/"
    found = {each[: (f"/{each}".index(ending)) + len(path)] for each in below.paths if ending in f"/{each}"}
    return sorted(found, key=lambda each: (each.count("/"), each))


def _with_others(answer: str, others: list[str]) -> str:
    if not others:
        return answer
    named = ", ".join(map(code, others[:MOST_OTHERS]))
    more = f" and {len(others) - MOST_OTHERS:,} more" if len(others) > MOST_OTHERS else ""
    return f"{answer}\n\nAlso of this name: {named}{more}."
