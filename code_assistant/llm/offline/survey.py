"""What is worth reading among many files, and what there is to say of them once they were read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from code_assistant.llm.offline.definitions import Definition, definitions_in
from code_assistant.llm.offline.folders import joined
from code_assistant.llm.offline.languages import (
    STARTING_NAMES,
    TELLING_NAMES,
    is_binary_name,
    is_code,
    is_generated,
    is_test,
    language_of,
    stem_of,
)
from code_assistant.llm.offline.markdown import code, quoted, reference
from code_assistant.llm.offline.self_descriptions import SelfDescription, self_description
from code_assistant.llm.offline.tool_texts import FileText

MOST_LANGUAGES = 6
NAMED_DEFINITIONS = 4
FILES_OF_ONE_FOLDER = 4


def counted(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def telling(path: str) -> int:
    """How well a file tells what its folder is about, 0 the best; larger than all of these for other files."""
    stem = stem_of(path).lower()
    return TELLING_NAMES.index(stem) if stem in TELLING_NAMES else len(TELLING_NAMES)


def folder_of(path: str) -> str:
    return path.rpartition("/")[0] or "."


def is_telling(path: str) -> bool:
    return telling(path) < len(TELLING_NAMES) and not is_binary_name(path)


def telling_files(folders: Iterable[str], lines: Mapping[str, int]) -> list[str]:
    """Of each folder the file that tells best what it is about, where there is one that is not empty."""
    best: dict[str, str] = {}
    for path in sorted(
        (path for path in lines if is_telling(path) and lines[path]), key=lambda path: (telling(path), path)
    ):
        best.setdefault(folder_of(path), path)
    return [best[folder] for folder in folders if folder in best]


def main_files(lines: Mapping[str, int], most: int) -> list[str]:
    """The files to read for an impression: where programs begin, then the largest, spread over folders."""
    readable = [path for path in lines if not is_binary_name(path) and not is_generated(path)] or list(lines)
    in_tests = all(is_test(path) for path in readable if is_code(path))
    readable.sort(
        key=lambda path: (
            not is_code(path),
            is_test(path) and not in_tests,
            stem_of(path).lower() not in STARTING_NAMES,
            -lines[path],
            path,
        )
    )
    taken: Counter[str] = Counter()
    spread: list[str] = []
    for path in readable:
        if taken[folder_of(path)] < FILES_OF_ONE_FOLDER:
            spread.append(path)
            taken[folder_of(path)] += 1
    chosen = spread[:most]
    return chosen + [path for path in readable if path not in chosen][: most - len(chosen)]


def languages_line(lines: Mapping[str, int]) -> str:
    """`Python 12, Markdown 3`: how many files there are in each language, the most first."""
    files = Counter(language_of(path) or "other" for path in lines)
    other = files.pop("other", 0)
    named = [f"{name} {number:,}" for name, number in files.most_common(MOST_LANGUAGES)]
    other += sum(number for _, number in files.most_common()[MOST_LANGUAGES:])
    return ", ".join([*named, f"other {other:,}"] if other else named)


def size_words(lines: Mapping[str, int]) -> str:
    return f"{counted(len(lines), 'file')}, {counted(sum(lines.values()), 'line')}"


def own_words(description: SelfDescription) -> str:
    return f"{quoted(description.text)} ({reference(description.path, description.first, description.last)})"


def folder_description(folder: str, files: Iterable[FileText]) -> SelfDescription | None:
    """What a folder says about itself, in the most telling of the files that lie directly in it."""
    inside = sorted((file for file in files if folder_of(file.path) == folder), key=lambda file: telling(file.path))
    for file in inside:
        if is_telling(file.path) and (found := self_description(file)) is not None:
            return found
    return None


def file_line(file: FileText, lines: int | None = None) -> str:
    """A bullet for one file: a line to look at, its own words, and what it defines at the outermost level."""
    description = self_description(file)
    outermost = [each for each in definitions_in(file) if each.is_outermost and each.is_for_others]
    first = description.first if description else outermost[0].line if outermost else file.lines[0].number
    last = description.last if description else None
    total = lines if lines is not None else file.total
    size = f" ({counted(total, 'line')})" if total else ""
    words = f": {quoted(description.text)}" if description else ""
    return f"- {reference(file.path, first, last)}{size}{words}{_defined(outermost)}"


def _defined(definitions: Sequence[Definition]) -> str:
    if not definitions:
        return ""
    named = ", ".join(f"{code(each.name)} (line {each.line})" for each in definitions[:NAMED_DEFINITIONS])
    more = " …" if len(definitions) > NAMED_DEFINITIONS else ""
    return f" · defines {named}{more}"


def shown_folder(folder: str) -> str:
    return "this folder" if folder == "." else code(f"{folder.rstrip('/')}/")


def beginning(folder: str) -> str:
    """The same at the beginning of a sentence."""
    return "This folder" if folder == "." else shown_folder(folder)


def names_in_folder(folder: str, names: Iterable[str]) -> list[str]:
    return [joined(folder, name) for name in names]
