"""What the tests of the shell analyser share."""

from __future__ import annotations

from collections.abc import Sequence

from code_assistant.permissions.shell.analysing import analyse
from code_assistant.permissions.shell.analysis import Verdict
from code_assistant.permissions.shell.globs import Names
from code_assistant.permissions.shell.judging import judge

SYSTEM = "/usr/bin/"


class Everything:
    """A system that has every program, in one folder."""

    def is_of_system(self, name: str) -> bool:
        return "/" not in name or name.removeprefix(SYSTEM).count("/") == 0


class Files:
    """A folder with these files; globs match whatever begins or ends as they do."""

    def __init__(self, *names: str, folders: Sequence[str] = ()) -> None:
        self._names = names
        self._folders = folders

    def matching(self, pattern: str) -> Sequence[str] | None:
        beginning, _, end = pattern.partition("*")
        return [name for name in self._names if name.startswith(beginning) and name.endswith(end)]

    def may_be_folder(self, path: str) -> bool:
        return path in self._folders


def verdict(command: str, names: Names | None = None) -> Verdict:
    return judge(analyse(command), Everything(), names or Files())
