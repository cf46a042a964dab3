"""A stand-in for the `.git` of a repository: links to what is in it, and a configuration that only we can write.

Git reads the configuration whenever it is run. A command that may write in the repository, as under Landlock, could
change it after we have looked at it, and have its program started by us, without walls. Nothing of it is read again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from code_assistant.private_files import private_descriptor
from code_assistant.workspace.git_configuration import ConfigEntry
from code_assistant.workspace.git_folders import SHARED_INDEX
from code_assistant.workspace.opening import regular_file

# What files are compared with; none of it names a program.
LINKED = frozenset({"index", "info", "objects", "packed-refs", "refs", "reftable", "shallow"})
MAXIMUM_HEAD = 4096
# In names a tab stands for itself, and there is no line end.
ESCAPED_IN_NAMES = {"\\": "\\\\", '"': '\\"'}
ESCAPED_IN_VALUES = {**ESCAPED_IN_NAMES, "\n": "\\n", "\t": "\\t", "\b": "\\b"}


def fill_stand_in(place: Path, git_folder: Path, entries: Iterable[ConfigEntry]) -> None:
    """Make a repository of an empty folder; raises OSError, or WorkspaceError where `HEAD` is no ordinary file."""
    for part in git_folder.iterdir():
        if part.name in LINKED or part.name.startswith(SHARED_INDEX):
            (place / part.name).symlink_to(part)
    # Git takes no repository for one whose HEAD is a link.
    with regular_file(git_folder / "HEAD", "HEAD") as head:
        (place / "HEAD").write_bytes(os.read(head.descriptor, MAXIMUM_HEAD))
    text = "".join(map(_written, entries))
    # Addresses in it may hold passwords.
    with os.fdopen(private_descriptor(place / "config"), "wb") as file:
        file.write(text.encode("utf-8", "surrogateescape"))


def _written(entry: ConfigEntry) -> str:
    """One entry as in a file of git's; a name between section and key may be empty, and still makes another key."""
    before, _, word = entry.key.rpartition(".")
    section, has_middle, middle = before.partition(".")
    header = f"[{section} {_quoted(middle, ESCAPED_IN_NAMES)}]" if has_middle else f"[{section}]"
    value = "" if entry.value is None else f" = {_quoted(entry.value, ESCAPED_IN_VALUES)}"
    return f"{header}\n\t{word}{value}\n"


def _quoted(text: str, escaped: Mapping[str, str]) -> str:
    return f'"{"".join(escaped.get(letter, letter) for letter in text)}"'
