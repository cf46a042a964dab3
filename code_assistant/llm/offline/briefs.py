"""What the explorer asks of its sub-agents: tasks as words that a person can read, and read back by the sub-agent."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from code_assistant.llm.offline.markdown import one_line

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_LONGEST_DESCRIPTION = 80
_REFERRING = "Point to the lines you have seen."


@dataclass(frozen=True, slots=True)
class FolderTask:
    """Look at a folder with all below it, or only at the files that lie directly in it."""

    folder: str
    is_flat: bool = False


@dataclass(frozen=True, slots=True)
class ProjectTask:
    """Read what the project says about itself, in these files."""

    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SymbolTask:
    """Where a name is defined and used, below a folder."""

    name: str
    folder: str


@dataclass(frozen=True, slots=True)
class FindTask:
    """Where a text stands, below a folder."""

    text: str
    folder: str


@dataclass(frozen=True, slots=True)
class TopicTask:
    """Which places below a folder have to do with these words."""

    folder: str
    words: tuple[str, ...]


Task: TypeAlias = FolderTask | ProjectTask | SymbolTask | FindTask | TopicTask


def brief(task: Task) -> str:
    """The first line has the task and all its names, as JSON writes strings; the second says more to people."""
    match task:
        case FolderTask(folder, is_flat):
            what = "the files directly in the folder" if is_flat else "the folder"
            return (
                f"Explore {what} {_text(folder)}.\n"
                "Count files and lines, read the beginnings of the main files, and say in their own words what "
                f"they hold and what they define. {_REFERRING}"
            )
        case ProjectTask(files):
            return (
                f"Read what the project says about itself in {_listed(files)}.\n"
                "Say what it is, what it needs, how it is run and tested, and find its entry points. "
                f"Quote, do not guess. {_REFERRING}"
            )
        case SymbolTask(name, folder):
            return (
                f"Find where {_text(name)} is defined and used in the folder {_text(folder)}.\n"
                f"Tell definitions from uses, and group them by file. {_REFERRING}"
            )
        case FindTask(text, folder):
            return (
                f"Find the text {_text(text)} in the folder {_text(folder)}.\nGroup what you find by file. {_REFERRING}"
            )
        case TopicTask(folder, words):
            return (
                f"Find the places in the folder {_text(folder)} that have to do with {_listed(words)}.\n"
                "Look at names of files, definitions and text, read the best places, and list them, the most telling "
                f"first. {_REFERRING}"
            )
        case _:
            assert_never(task)


def description(task: Task) -> str:
    """A few words for the person who watches."""
    match task:
        case FolderTask(folder, is_flat):
            words = f"Explore {'the files directly in ' if is_flat else ''}{_shown(folder)}"
        case ProjectTask():
            words = "Read README, manifests and entry points"
        case SymbolTask(name, "."):
            words = f"Find {name}"
        case SymbolTask(name, folder) | FindTask(name, folder):
            words = f"Find {one_line(name, 40)} in {_shown(folder)}"
        case TopicTask(folder, words_):
            words = f"Look for {one_line(', '.join(words_), 40)} in {_shown(folder)}"
        case _:
            assert_never(task)
    return one_line(words, _LONGEST_DESCRIPTION)


def read_brief(text: str) -> Task | None:
    """The task that a text is the brief of; None for any other text."""
    line = text.partition("\n")[0]
    try:
        names = tuple(str(json.loads(found[0])) for found in _STRING.finditer(line))
    except ValueError:
        return None
    task = _task(line, names)
    return task if task is not None and brief(task).partition("\n")[0] == line else None


def _task(line: str, names: tuple[str, ...]) -> Task | None:
    """What the line may mean; it is that only if the task's own brief is the very same line."""
    match names:
        case (folder,) if line.startswith("Explore "):
            return FolderTask(folder, line.startswith("Explore the files directly in "))
        case (_, *_) if line.startswith("Read what the project says about itself in "):
            return ProjectTask(names)
        case (name, folder) if line.startswith("Find where "):
            return SymbolTask(name, folder)
        case (found, folder) if line.startswith("Find the text "):
            return FindTask(found, folder)
        case (folder, _, *_) if line.startswith("Find the places in the folder "):
            return TopicTask(folder, names[1:])
        case _:
            return None


def _text(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(map(_text, names))


def _shown(folder: str) -> str:
    return "the top folder" if folder == "." else f"{folder}/"
