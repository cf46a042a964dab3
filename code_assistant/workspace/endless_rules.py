"""Ignore files that a program would wait for, or never come to the end of: pipes, devices, and what is far too large.

ripgrep opens whatever has such a name, links included, and reads it whole.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.ignore import RULE_FILES, names_of_rules_in
from code_assistant.workspace.names import plain_name
from code_assistant.workspace.threads import StopFlag
from code_assistant.workspace.walk import Walk
from code_assistant.workspace.walked_folder import WalkedFolder

# ripgrep takes most of a second for as many rules, and many times the memory.
MAXIMUM_SIZE = 1 << 20
MAXIMUM_LINE = 4096
# To all appearances ordinary and empty, but some of them are waited for.
OF_THE_KERNEL = ("/proc/", "/sys/")
# Nobody is waited for, should it be a pipe by now; links count, as they do for ripgrep.
LINE_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
WORK_TREE = "gitdir: "


class EndlessRules(WorkspaceError):
    """An ignore file is in the way of whoever reads them all."""


def endless_rules(folder: Path, flag: StopFlag) -> str | None:
    """Which ignore file is in the way of a search in the folder, and what it is; looked for as the search goes."""
    for searched in _folders(folder, flag):
        for path in _rule_files(searched, folder):
            kind = _kind_in_the_way(path)
            if kind is not None:
                return f"the ignore file {plain_name(path)} is {kind}"
    return None


def _folders(folder: Path, flag: StopFlag) -> Iterator[str]:
    """Those above, whose rules count, too, and then level by level those that are not ignored."""
    yield from map(str, folder.parents)
    walk = Walk(flag)
    waiting = deque([(str(folder), walk.rules_for(folder))])
    while waiting:
        path, rules = waiting.popleft()
        yield path
        with WalkedFolder(path) as opened:
            entries, inner = walk.entries(opened, rules)
        waiting.extend((entry.path, inner) for entry in entries if entry.is_folder)


def _rule_files(searched: str, working_folder: Path) -> Iterator[str]:
    """All that ripgrep opens for the rules of a folder; what git calls a work tree has some of them elsewhere."""
    if not names_of_rules_in(searched):
        return
    yield from (f"{searched}/{name}" for name in RULE_FILES)
    line = _first_line(f"{searched}/.git")
    if line.startswith(WORK_TREE):
        git_folder = working_folder / line.removeprefix(WORK_TREE)
        yield f"{git_folder}/commondir"
        common = _first_line(f"{git_folder}/commondir")
        yield f"{(git_folder if common.startswith('.') else working_folder) / common}/info/exclude"


def _kind_in_the_way(path: str) -> str | None:
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        # What is not there, or leads nowhere, is not read either.
        return None
    if stat.S_ISFIFO(status.st_mode):
        return "a named pipe"
    if stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode):
        return "a device"
    if os.path.realpath(path).startswith(OF_THE_KERNEL):
        return "a file of the kernel"
    if stat.S_ISREG(status.st_mode) and status.st_size > MAXIMUM_SIZE:
        return f"larger than {MAXIMUM_SIZE >> 20} MB"
    return None


def _first_line(path: str) -> str:
    """Empty where there is no ordinary file to read it from."""
    try:
        if not stat.S_ISREG(Path(path).stat().st_mode):
            return ""
        descriptor = os.open(path, LINE_FLAGS)
    except (OSError, ValueError):
        return ""
    try:
        line = os.read(descriptor, MAXIMUM_LINE).partition(b"\n")[0]
    except OSError:
        return ""
    finally:
        os.close(descriptor)
    return os.fsdecode(line.removesuffix(b"\r"))
