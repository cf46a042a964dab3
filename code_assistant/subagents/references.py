"""Checking the file references of an answer against the real files, and the words for those that do not hold."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from code_assistant.errors import WorkspaceError
from code_assistant.file_references import BEYOND_ALL_LINES, FileReference, find_references
from code_assistant.sanitize import sanitize_line
from code_assistant.workspace.encodings import SNIFFED_BYTES, is_binary
from code_assistant.workspace.ledger import FileLedger
from code_assistant.workspace.names import counted
from code_assistant.workspace.opening import OpenFile, regular_file
from code_assistant.workspace.ranges import LineRange
from code_assistant.workspace.reading import pieces_of, read_lines
from code_assistant.workspace.threads import NOBODY_STOPS, StopFlag
from code_assistant.workspace.workspace import Workspace

MAXIMUM_CHECKED = 200
MAXIMUM_IN_CORRECTION = 50
MAXIMUM_REFERENCE_CHARACTERS = 160

NO_REFERENCE = "the answer has no file reference at all"
NO_SUCH_FILE = "no such file in the workspace"
NOT_READABLE = "is not a file that can be read"
NOT_TEXT = "is not a text file, so it has no lines"
NOT_MET = "was not read, matched or written by this agent"
BACKWARDS = "the last line is before the first"
FROM_ONE = "lines are counted from 1"

# Begins with the blank line that parts it from the instructions.
REFERENCE_SUFFIX = """

Support your answer with file references. Write each as `path:line` or `path:first-last`, the path relative to the \
workspace and the lines as read_files and search_files number them, for example `src/app.py:10` or `src/app.py:10-20`.
Your answer needs at least one, and every one in it is checked against the real files: the file must be in the \
workspace, the lines must be in the file, and only files count that you have read, searched with matches, or written \
here yourself. So look before you answer, and refer to nothing from memory."""

WARNING_OPENING = "Unverified file references:"


@dataclass(frozen=True, slots=True)
class ReferenceProblem:
    """A reference that does not hold, as it was written; empty where the answer as a whole is meant."""

    reference: str
    reason: str

    def __str__(self) -> str:
        """One line, whatever the reference holds."""
        reference = sanitize_line(_shortened(self.reference))
        return f"{reference} ({self.reason})" if reference else self.reason


def reference_problems(
    answer: str, workspace: Workspace, ledger: FileLedger, flag: StopFlag = NOBODY_STOPS
) -> tuple[ReferenceProblem, ...]:
    """Why the references of an answer do not all hold; none when they do. It reads files: call it in a thread."""
    by_lines: dict[tuple[str, int, int], FileReference] = {}
    for each in find_references(answer, lambda path: _is_file(path, workspace)):
        by_lines.setdefault((each.path, each.first, each.last), each)
    distinct = list(by_lines.values())
    if not distinct:
        return (ReferenceProblem("", NO_REFERENCE),)
    files = _Files(workspace, ledger, flag)
    problems = [
        ReferenceProblem(each.written, reason) for each in distinct[:MAXIMUM_CHECKED] if (reason := files.problem(each))
    ]
    if (more := len(distinct) - MAXIMUM_CHECKED) > 0:
        reason = (
            f"{counted(more, 'more reference was', 'more references were')} not checked: give {MAXIMUM_CHECKED} at most"
        )
        problems.append(ReferenceProblem("", reason))
    return tuple(problems)


def correction(problems: Sequence[ReferenceProblem]) -> str:
    """What the sub-agent is told about an answer that does not pass."""
    lines = [f"- {problem}" for problem in problems[:MAXIMUM_IN_CORRECTION]]
    if (more := len(problems) - MAXIMUM_IN_CORRECTION) > 0:
        lines.append(f"- and {more} more")
    listed = "\n".join(lines)
    return (
        f"The file references in your answer were checked, and it cannot be passed on like this:\n{listed}\n\n"
        "Read or search the files in question where you have to. Then give the whole answer again, complete in itself, "
        "with at least one reference like `path:10` or `path:10-20`, and only with such as hold. "
        "Leave out what you cannot support."
    )


def warning_line(problems: Sequence[ReferenceProblem]) -> str:
    """The one line that follows an answer whose references still do not hold."""
    return f"{WARNING_OPENING} {'; '.join(map(str, problems))}"


class _Files:
    """What is known of the files that an answer refers to, each looked at once."""

    def __init__(self, workspace: Workspace, ledger: FileLedger, flag: StopFlag) -> None:
        self._workspace = workspace
        self._ledger = ledger
        self._flag = flag
        self._known: dict[Path, _File] = {}

    def problem(self, reference: FileReference) -> str | None:
        """Why a reference does not hold, in a few words; None when it does."""
        if min(reference.first, reference.last) < 1:
            return FROM_ONE
        if not reference.is_possible:
            return BACKWARDS
        self._flag.check()
        real = _inside(reference.path, self._workspace)
        if real is None:
            return NO_SUCH_FILE
        if real not in self._known:
            self._known[real] = self._looked_at(real)
        return self._known[real].problem(reference.last)

    def _looked_at(self, real: Path) -> _File:
        try:
            with regular_file(real, str(real)) as file:
                return self._opened(real, file)
        except (WorkspaceError, OSError):
            return _File(NOT_READABLE if os.path.lexists(real) else NO_SUCH_FILE)

    def _opened(self, real: Path, file: OpenFile) -> _File:
        if is_binary(os.pread(file.descriptor, SNIFFED_BYTES, 0)):
            return _File(NOT_TEXT)
        if not self._ledger.has_met(real):
            return _File(NOT_MET)
        # A line that no file has: all the others are counted, in the way and as far as read_files does it.
        part = read_lines(pieces_of(file), LineRange(BEYOND_ALL_LINES), self._flag)
        return _File(None, part.counted, part.is_counted_to_the_end)


@dataclass(frozen=True, slots=True)
class _File:
    refused: str | None
    lines: int = 0
    is_counted_to_the_end: bool = True

    def problem(self, last: int) -> str | None:
        if self.refused is not None or last <= self.lines:
            return self.refused
        if not self.is_counted_to_the_end:
            return f"is too large to look further than line {self.lines}"
        return f"has only {counted(self.lines, 'line')}" if self.lines else "is empty"


def _inside(path: str, workspace: Workspace) -> Path | None:
    """The resolved path, unless it is none or leads out of the workspace."""
    try:
        target = workspace.resolve(path)
    except WorkspaceError:
        return None
    return target.path if target.inside else None


def _is_file(path: str, workspace: Workspace) -> bool:
    real = _inside(path, workspace)
    return real is not None and os.path.isfile(real)  # noqa: PTH113


def _shortened(reference: str) -> str:
    """The end is kept: it has the lines and the file's own name."""
    if len(reference) <= MAXIMUM_REFERENCE_CHARACTERS:
        return reference
    return f"…{reference[-MAXIMUM_REFERENCE_CHARACTERS:]}"
