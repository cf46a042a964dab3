"""The parts of a code base: which folders there are, how many files each has, and which of them hold text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from code_assistant.llm.offline.calls import ALL_FILES, find_files, list_folder, read
from code_assistant.llm.offline.folders import divided, joined
from code_assistant.llm.offline.languages import (
    PROSE_FOLDERS,
    SIDE_FOLDERS,
    TEST_FOLDERS,
    is_binary_name,
    is_code,
    is_generated,
    name_of,
)
from code_assistant.llm.offline.steps import Outcome, Part, Step
from code_assistant.llm.offline.survey import folder_of
from code_assistant.llm.offline.tool_texts import Listing, Paths, failure, files_read, is_blocked, listing_in, paths_in

ENOUGH_PARTS = 3
MOST_FOLDERS_MEASURED = 40
MOST_SPLITS = 4
SAMPLES_OF_A_PART = 3
MOST_READ, READ_AT_ONCE = 40, 20


@dataclass(frozen=True, slots=True)
class FolderPart:
    """A folder, or only the files directly in it: how many files it has, and some of their paths."""

    folder: str
    is_flat: bool
    files: int
    sample: tuple[str, ...]

    @property
    def rank(self) -> tuple[int, int]:
        """Code first, then tests, then prose, then the rest; within these the largest first."""
        name = name_of(self.folder).lower()
        sides = (TEST_FOLDERS, PROSE_FOLDERS, SIDE_FOLDERS)
        aside = next((place for place, names in enumerate(sides, 1) if name in names), 0)
        has_code = any(is_code(path) for path in self.sample)
        return aside or (0 if has_code else len(sides) + 1), -self.files


@dataclass(frozen=True, slots=True)
class Layout:
    """What is at the top, how many files there are in all, and the parts that can be looked at by themselves."""

    top: Listing
    paths: Paths
    parts: tuple[FolderPart, ...] = ()
    problem: str = ""


def read_layout() -> Part[Layout]:
    listed, found = yield Step((list_folder("."), find_files(ALL_FILES)), "I look at the layout first.")
    if found.failed:
        return Layout(Listing(), Paths(), problem=failure(found))
    top, paths = listing_in(listed), paths_in(found)
    if paths.is_cut:
        parts = yield from _measured_parts(top)
    else:
        groups = divided(dict.fromkeys(paths.paths, 1), enough=ENOUGH_PARTS)
        parts = [FolderPart(each.folder, each.is_flat, len(each.weights), tuple(each.weights)) for each in groups]
    with_text = yield from _with_text(sorted(parts, key=lambda part: part.rank))
    return Layout(top, paths, tuple(with_text))


def _measured_parts(top: Listing) -> Part[list[FolderPart]]:
    """The same for a tree too large for one list: each folder is counted by itself."""
    parts = yield from _inside(".", top)
    for _ in range(MOST_SPLITS):
        divisible = [part for part in parts if not part.is_flat]
        if len(parts) >= ENOUGH_PARTS or not divisible:
            break
        largest = max(divisible, key=lambda part: part.files)
        (listed,) = yield Step((list_folder(largest.folder),))
        inner = yield from _inside(largest.folder, listing_in(listed))
        if all(part.is_flat for part in inner):
            break
        parts = [*(part for part in parts if part is not largest), *inner]
    return parts


def _inside(folder: str, listing: Listing) -> Part[list[FolderPart]]:
    folders = [joined(folder, name) for name in listing.folders[:MOST_FOLDERS_MEASURED]]
    outcomes: Sequence[Outcome] = ()
    if folders:
        outcomes = yield Step(tuple(find_files(ALL_FILES, each) for each in folders))
    counted = [(each, paths_in(outcome)) for each, outcome in zip(folders, outcomes, strict=True)]
    parts = [FolderPart(each, False, found.total, found.paths) for each, found in counted if found.total]
    files = tuple(joined(folder, name) for name in listing.files)
    return [*parts, FolderPart(folder, True, len(files), files)] if files else parts


def _with_text(parts: Sequence[FolderPart]) -> Part[list[FolderPart]]:
    """Only parts of which some file was seen to hold text: of the others nobody could report a line."""
    samples = {part: _readable(part) for part in parts}
    paths = [path for sample in samples.values() for path in sample][:MOST_READ]
    if not paths:
        return []
    ranges = [f"{path}:1-1" for path in paths]
    outcomes = yield Step(tuple(read(ranges[at : at + READ_AT_ONCE]) for at in range(0, len(ranges), READ_AT_ONCE)))
    if any(map(is_blocked, outcomes)):
        return list(parts)
    read_ones = {file.path for outcome in outcomes for file in files_read(outcome)}
    return [part for part in parts if not read_ones.isdisjoint(samples[part])]


def _readable(part: FolderPart) -> tuple[str, ...]:
    """Files that look most like text, from different folders where there are some."""
    likely = [path for path in part.sample if not is_binary_name(path) and not is_generated(path)]
    likely.sort(key=lambda path: (not is_code(path), name_of(path).startswith("__init__")))
    first: dict[str, str] = {}
    for path in likely:
        first.setdefault(folder_of(path), path)
    return tuple(dict.fromkeys((*first.values(), *likely)))[:SAMPLES_OF_A_PART]


def without_known(parts: Sequence[FolderPart], known: frozenset[str]) -> list[FolderPart]:
    """Parts of loose files without those that are looked at anyway; parts that have nothing else are left out."""
    kept: list[FolderPart] = []
    for part in parts:
        sample = tuple(path for path in part.sample if path not in known)
        if not part.is_flat:
            kept.append(part)
        elif any(is_code(path) for path in sample):
            kept.append(replace(part, sample=sample))
    return kept
