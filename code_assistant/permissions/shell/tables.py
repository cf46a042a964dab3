"""The tables of programs, read from their files on first use."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from code_assistant.permissions.shell.name_lists import names

_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Table:
    """What one program may be given; `programs.toml` says what each of these means."""

    flags: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()
    pairs: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    joined: frozenset[str] = frozenset()
    last: frozenset[str] = frozenset()
    refused: Mapping[str, str] = field(default_factory=dict[str, str])
    forms: Mapping[str, re.Pattern[str]] = field(default_factory=dict[str, re.Pattern[str]])
    operands: str = "paths"
    pattern: frozenset[str] = frozenset()
    listing: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    form: re.Pattern[str] | None = None
    never: re.Pattern[str] | None = None
    least: int = 0
    most: int | None = None
    numbers: bool = False
    default: bool = False
    walks: bool = False
    walking: frozenset[str] = frozenset()
    files: bool = False
    globs: bool = False
    separate: bool = False
    raw: bool = False
    builtin: bool = False
    looks: str = ""
    lists: bool = False
    naming: frozenset[str] | None = None
    naming_needs: frozenset[str] = frozenset()
    names_always: bool = False

    def names_only(self, options: Set[str]) -> bool:
        """Whether with these options it tells of files no more than their names."""
        if self.names_always:
            return True
        if self.naming is None or not options <= self.naming:
            return False
        return not self.naming_needs or not self.naming_needs.isdisjoint(options)


@lru_cache(maxsize=1)
def program_tables() -> Mapping[str, Table]:
    read = _read("programs.toml")
    return {
        name: _table(entry if "like" not in entry else {**read[entry["like"]], **entry}) for name, entry in read.items()
    }


@lru_cache(maxsize=1)
def git_tables() -> Mapping[str, Table]:
    read = _read("git.toml")
    shared: Mapping[str, Any] = read.pop("shared")
    return {name: _table(_with_shared(entry, shared)) for name, entry in read.items()}


@lru_cache(maxsize=1)
def version_queries() -> Mapping[str, frozenset[str]]:
    return {name: names(queries) for name, queries in _read("versions.toml").items()}


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((_HERE / name).read_text(encoding="utf-8"))


def _with_shared(entry: Mapping[str, Any], shared: Mapping[str, Any]) -> Mapping[str, Any]:
    if "like" not in entry:
        return entry
    base: Mapping[str, Any] = shared[entry["like"]]
    return {**base, **entry, "flags": f"{base['flags']} {entry.get('flags', '')}"}


def _table(entry: Mapping[str, Any]) -> Table:
    walks: bool | list[str] = entry.get("walks", False)
    return Table(
        flags=_letters(entry.get("flags", "")),
        values=names(entry.get("values", "")),
        paths=names(entry.get("paths", "")),
        pairs=names(entry.get("pairs", "")),
        named=names(entry.get("named", "")),
        optional=names(entry.get("optional", "")),
        joined=names(entry.get("joined", "")),
        last=names(entry.get("last", "")),
        refused=entry.get("refused", {}),
        forms={option: re.compile(form) for option, form in entry.get("forms", {}).items()},
        operands=entry.get("operands", "paths"),
        pattern=names(entry.get("pattern", "")),
        listing=names(entry.get("listing", "")),
        needs=frozenset(entry.get("needs", ())),
        form=_pattern(entry.get("form")),
        never=_pattern(entry.get("never")),
        least=entry.get("least", 0),
        most=entry.get("most"),
        numbers=entry.get("numbers", False),
        default=entry.get("default", False),
        walks=walks is True,
        walking=frozenset(walks) if isinstance(walks, list) else frozenset(),
        files=entry.get("files", False),
        globs=entry.get("globs", False),
        separate=entry.get("separate", False),
        raw=entry.get("raw", False),
        builtin=entry.get("builtin", False),
        looks=entry.get("looks", ""),
        lists=entry.get("lists", False),
        naming=_letters(entry["names"]) if "names" in entry else None,
        names_always=entry.get("names") == "all",
        naming_needs=_letters(entry.get("names_need", "")),
    )


def _letters(text: str) -> frozenset[str]:
    """The names in a text; several letters behind one dash are as many options, but for words of an expression."""
    is_expression = "( )" in text
    found: set[str] = set()
    for name in text.split():
        if name.startswith("--") or not name.startswith("-") or is_expression:
            found.add(name)
        else:
            found.update(f"-{letter}" for letter in name[1:])
    return frozenset(found)


def _pattern(text: str | None) -> re.Pattern[str] | None:
    return None if text is None else re.compile(text)
