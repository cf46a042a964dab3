"""A folder and the folders below it as an indented listing, the upper levels first when it must be cut."""

from __future__ import annotations

import stat
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from code_assistant.workspace.ignore import IgnoreRules
from code_assistant.workspace.names import counted, plain_name, plain_size
from code_assistant.workspace.walk import Walk
from code_assistant.workspace.walked_folder import Entry, WalkedFolder

MAXIMUM_ENTRIES = 500
SPECIAL_KINDS = ((stat.S_ISFIFO, "named pipe"), (stat.S_ISSOCK, "socket"))


@dataclass(slots=True)
class _Node:
    """A line of the listing and what is listed below it."""

    line: str
    children: list[_Node] = field(default_factory=list["_Node"])
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    text: str
    entries: int
    is_cut: bool


@dataclass(frozen=True, slots=True)
class _Waiting:
    node: _Node
    folder: str
    rules: IgnoreRules
    level: int


def list_folder(folder: Path, shown: str, depth: int, walk: Walk) -> Listing:
    """List a resolved folder down to a depth; the walk says what to leave out and counts it."""
    root = _Node(f"{plain_name(shown).rstrip('/')}/")
    waiting = deque([_Waiting(root, str(folder), walk.rules_for(folder), 1)])
    remaining = MAXIMUM_ENTRIES
    is_cut = False
    while waiting:
        place = waiting.popleft()
        if remaining == 0:
            place.node.remark = "not listed"
            is_cut = True
            continue
        with WalkedFolder(place.folder) as opened:
            entries, rules = walk.entries(opened, place.rules)
            if walk.unreadable and walk.unreadable[-1] == place.folder:
                place.node.remark = "cannot be read"
            entries.sort(key=lambda entry: not entry.is_folder)
            for entry in entries[:remaining]:
                node = _Node(_line(entry))
                place.node.children.append(node)
                if place.level < depth and entry.is_folder:
                    waiting.append(_Waiting(node, entry.path, rules, place.level + 1))
        if len(entries) > remaining:
            place.node.children.append(_Node(f"… {counted(len(entries) - remaining, 'more entry', 'more entries')}"))
            is_cut = True
        remaining -= min(remaining, len(entries))
    lines = [*_lines(root, 0), *_end(walk, root, is_cut)]
    return Listing("\n".join(lines), MAXIMUM_ENTRIES - remaining, is_cut)


def _line(entry: Entry) -> str:
    name = plain_name(entry.name)
    if entry.is_folder:
        return f"{name}/"
    try:
        if entry.is_link:
            return f"{name} -> {plain_name(entry.leads_to())}"
        status = entry.status()
    except OSError as error:
        return f"{name}  ({error.strerror})"
    if stat.S_ISREG(status.st_mode):
        return f"{name}  {plain_size(status.st_size)}"
    kind = next((words for is_kind, words in SPECIAL_KINDS if is_kind(status.st_mode)), "device")
    return f"{name}  ({kind})"


def _lines(node: _Node, indent: int) -> Iterator[str]:
    yield "  " * indent + node.line + (f"  ({node.remark})" if node.remark else "")
    for child in node.children:
        yield from _lines(child, indent + 1)


def _end(walk: Walk, root: _Node, is_cut: bool) -> Iterator[str]:
    if not root.children and not root.remark:
        left_out = [words for words, count in (("ignored", walk.ignored), ("hidden", walk.hidden)) if count]
        yield f"  (nothing but {' and '.join(left_out)} entries)" if left_out else "  (empty)"
    if is_cut:
        yield (
            f"Cut after {MAXIMUM_ENTRIES} entries: list a folder marked as not listed by its own path; "
            "in a folder with more entries, find them with glob_files and the beginning of their names."
        )
    if walk.ignored:
        words = counted(walk.ignored, "ignored entry", "ignored entries")
        yield f"{words} left out; include_ignored=true lists them."
    if walk.hidden:
        yield f"{counted(walk.hidden, 'entry', 'entries')} hidden by a rule."
