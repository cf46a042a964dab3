"""From the text of a settings file to dotted keys, with what is unknown kept apart."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

from code_assistant.config.keys import KEYS, SECTIONS
from code_assistant.config.values import shown
from code_assistant.errors import UsageError
from code_assistant.sanitize import sanitize_line

# Below this depth there are no keys of ours; a file may nest tables far deeper than Python may recurse.
_MAX_DEPTH = 4
_MAX_LINE = 2000
# Lists of rules, which are read apart from the settings.
RULES_SECTION = "permissions"


class FileKeys(NamedTuple):
    """The known dotted keys of a file with their unchecked values, and the names that are not keys."""

    known: dict[str, object]
    unknown: tuple[str, ...]


def parse_toml(text: str, file: Path) -> dict[str, Any]:
    """Parse one of our files; raises UsageError with line and column where it is not TOML."""
    name = sanitize_line(str(file))
    if any(len(line) > _MAX_LINE for line in text.splitlines()):
        # The parser's time grows with the square of a dotted key's length.
        raise UsageError(f"{name} has a line longer than {_MAX_LINE} characters. Shorten it.")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise UsageError(f"{name} nests values too deeply to be settings.") from error
    except ValueError as error:
        raise UsageError(f"{name} is not valid TOML: {_with_position(str(error), text)}. Correct it.") from error


def parse_settings(text: str, file: Path) -> FileKeys:
    """The keys of a settings file; raises UsageError where it is none."""
    document = {name: value for name, value in parse_toml(text, file).items() if name != RULES_SECTION}
    known: dict[str, object] = {}
    unknown: list[str] = []
    for name, value in _leaves(document, "", 1):
        if name in KEYS:
            known[name] = value
        elif name in SECTIONS:
            source = sanitize_line(str(file))
            raise UsageError(f"{source}: {name} is {shown(value)}, but it is a section; write [{name}] and its keys.")
        else:
            unknown.append(name)
    return FileKeys(known, tuple(unknown))


def _leaves(table: dict[str, Any], prefix: str, depth: int) -> Iterator[tuple[str, object]]:
    for part, value in table.items():
        name = prefix + part
        below = cast("dict[str, Any]", value) if isinstance(value, dict) and name not in KEYS else None
        if below == {} and name in SECTIONS:
            continue
        if below and depth < _MAX_DEPTH:
            yield from _leaves(below, f"{name}.", depth + 1)
        else:
            yield name, value


def _with_position(message: str, text: str) -> str:
    """The parser says line and column, except at the end of the file."""
    if re.search(r"at line \d+, column \d+", message):
        return message
    line, column = text.count("\n") + 1, len(text) - (text.rfind("\n") + 1) + 1
    return f"{message.replace(' (at end of document)', '')} (at line {line}, column {column}, the end of the file)"
