"""The table of programs that are known to change files: `changers.toml` says what each of its words means."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from code_assistant.permissions.shell.name_filters import NameFilter
from code_assistant.permissions.shell.name_lists import names


@dataclass(frozen=True, slots=True)
class Changer:
    """A line of the table."""

    operands: str = "all"
    options: frozenset[str] = frozenset()
    also: frozenset[str] = frozenset()
    into: frozenset[str] = frozenset()
    when: re.Pattern[str] | None = None
    unless: re.Pattern[str] | None = None
    still: re.Pattern[str] | None = None
    below: str = ""
    all_when: re.Pattern[str] | None = None
    here: str = ""
    here_when: re.Pattern[str] | None = None
    links_when: re.Pattern[str] | None = None
    moves_when: re.Pattern[str] | None = None
    is_remote: bool = False
    files: NameFilter | None = None

    def applies(self, texts: Sequence[str]) -> bool:
        """Whether it is so for these words, after those that say what is to be done."""
        if self.still is not None and self.still.fullmatch(" ".join(texts)):
            return False
        if has(self.unless, texts):
            return False
        return self.when is None or has(self.when, texts)


def has(pattern: re.Pattern[str] | None, texts: Sequence[str]) -> bool:
    """Whether one of the options is like this; what stands after `--` is none."""
    options = texts[: texts.index("--")] if "--" in texts else texts
    return pattern is not None and any(map(pattern.fullmatch, options))


@lru_cache(maxsize=1)
def changers() -> Mapping[str, Changer]:
    read = tomllib.loads((Path(__file__).parent / "changers.toml").read_text(encoding="utf-8"))
    return {name.strip(): _changer(entry) for entry in read["changer"] for name in entry["names"].split(",")}


def _changer(entry: Mapping[str, Any]) -> Changer:
    files = NameFilter((re.compile(entry["files"]),), takes_below=False) if "files" in entry else None
    return Changer(
        operands=entry.get("operands", "all"),
        options=names(entry.get("options", "")),
        also=names(entry.get("also", "")),
        into=names(entry.get("into", "")),
        when=_pattern(entry.get("when")),
        unless=_pattern(entry.get("unless")),
        still=_pattern(entry.get("still")),
        below=entry.get("below", ""),
        all_when=_pattern(entry.get("all_when")),
        here=entry.get("here", ""),
        here_when=_pattern(entry.get("here_when")),
        links_when=_pattern(entry.get("links_when")),
        moves_when=_pattern(entry.get("moves_when")),
        is_remote=entry.get("remote", False),
        files=files,
    )


def _pattern(text: str | None) -> re.Pattern[str] | None:
    return None if text is None else re.compile(text, re.DOTALL)
