"""Bash asked what words it would give to each program: no program is there, so that it tells instead of running any."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

# What the shell does itself tells, too. Whatever is not found ends up in the handler.
_PROLOGUE = r"""
tell() { builtin printf '%s\0' "$#" "$@" >> "$TOLD"; }
command_not_found_handle() { tell "$@"; }
for name in echo printf cd pwd true false test [ type command; do
  builtin eval "$name() { tell $name \"\$@\"; }"
done
"""


def words_given(commands: Sequence[str], folder: Path) -> list[list[list[str]]]:
    """For each command the words of every program it would start, in no certain order."""
    places = [folder / str(number) for number in range(len(commands))]
    parts = [
        f"TOLD={place}\n(\n{command}\n) </dev/null >/dev/null 2>&1\n"
        for place, command in zip(places, commands, strict=True)
    ]
    empty = folder / "empty"
    empty.mkdir()
    environment = {"PATH": str(empty), "LANG": os.environ.get("LANG", "C.UTF-8"), "HOME": str(empty)}
    script = _PROLOGUE + "".join(parts)
    subprocess.run(["/bin/bash", "-s"], input=script.encode(), cwd=empty, env=environment, check=False)
    return [_told(place) for place in places]


def _told(place: Path) -> list[list[str]]:
    if not place.exists():
        return []
    rest = place.read_bytes().decode().split("\0")[:-1]
    found: list[list[str]] = []
    while rest:
        count = int(rest[0])
        found.append(rest[1 : count + 1])
        rest = rest[count + 1 :]
    return found
