"""What a theme file may say, and how it is told what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from difflib import get_close_matches

from code_assistant.sanitize import sanitize_line
from code_assistant.tui.themes.colors import TERMINAL_COLORS, contrast, full_hex, is_hex
from code_assistant.tui.themes.completing import completed
from code_assistant.tui.themes.screen_theme import ScreenTheme

REQUIRED = ("foreground", "background", "primary")
COLORS = (
    *REQUIRED,
    *("secondary", "accent", "surface", "panel", "success", "warning", "error", "muted", "added", "removed"),
)
FLAGS = ("dark", "ansi")
WORDS = ("name", "description")
KEYS = (*WORDS, *FLAGS, *COLORS)
# Below this nobody can read anything, and the way back would have to be found blind.
LEAST_CONTRAST = 2.0
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_SHOWN = 60


class BadTheme(Exception):
    """The theme cannot be used; each problem is one sentence."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


def checked(data: Mapping[str, object], file_stem: str) -> tuple[ScreenTheme, list[str]]:
    """The theme and what in its file was ignored. Raises BadTheme with all that is wrong at once."""
    ignored = [_unknown(key) for key in data if key not in KEYS]
    problems: list[str] = []
    is_ansi, is_dark = _flag(data, "ansi", problems), _flag(data, "dark", problems)
    name, description = _name(data, file_stem, problems), _description(data, problems)
    given = _colors(data, is_ansi is True, problems)
    if is_ansi is not True:
        problems += [f"{key} is missing: {_allowed(False)}" for key in REQUIRED if key not in data]
    if not problems and is_ansi is not True:
        problems += _unreadable(given)
    if problems:
        raise BadTheme([*problems, *ignored])
    return completed(name, description, given, is_ansi=is_ansi is True, is_dark=is_dark), ignored


def shown(text: str) -> str:
    """Something out of a file, short and safe to show."""
    return sanitize_line(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")


def _flag(data: Mapping[str, object], key: str, problems: list[str]) -> bool | None:
    value = data.get(key)
    if value is None or isinstance(value, bool):
        return value
    problems.append(f"{key} is {_quoted(value)}: it must be true or false")
    return None


def _name(data: Mapping[str, object], file_stem: str, problems: list[str]) -> str:
    name = data.get("name", file_stem)
    if isinstance(name, str) and _NAME.fullmatch(name):
        return name
    what = "name is" if "name" in data else "the file has no name and would be called"
    problems.append(f"{what} {_quoted(name)}: a name is made of a-z, 0-9, - and _, at most 40 of them")
    return ""


def _description(data: Mapping[str, object], problems: list[str]) -> str:
    description = data.get("description", "")
    if not isinstance(description, str):
        problems.append(f"description is {_quoted(description)}: it must be a text")
        return ""
    return shown(description)


def _colors(data: Mapping[str, object], is_ansi: bool, problems: list[str]) -> dict[str, str]:
    colors: dict[str, str] = {}
    for key in COLORS:
        if key not in data:
            continue
        value = data[key]
        color = _color(value, is_ansi)
        if color is None:
            problems.append(f"{key} is {_quoted(value)}: {_allowed(is_ansi)}{_meant(value, is_ansi)}")
        else:
            colors[key] = color
    return colors


def _color(value: object, is_ansi: bool) -> str | None:
    if not isinstance(value, str):
        return None
    if not is_ansi:
        return full_hex(value) if is_hex(value) else None
    name = value.removeprefix("ansi_")
    return name if name in TERMINAL_COLORS else None


def _allowed(is_ansi: bool) -> str:
    if is_ansi:
        return f"an ANSI theme has one of {', '.join(TERMINAL_COLORS)}"
    return "a colour is written #rrggbb or #rgb"


def _meant(value: object, is_ansi: bool) -> str:
    if not isinstance(value, str):
        return ""
    if is_ansi:
        return _nearest(value.removeprefix("ansi_"), TERMINAL_COLORS)
    if value.removeprefix("ansi_") in TERMINAL_COLORS and value.startswith(("ansi_", "bright_", "default")):
        return " (the terminal's own colours need ansi = true)"
    if value and is_hex("#" + value):
        return f' (did you mean "#{value}"?)'
    known = _web_color(value)
    return f' (did you mean "{known}"?)' if known else ""


def _web_color(name: str) -> str | None:
    from textual.color import Color, ColorParseError

    try:
        color = Color.parse(name.strip().lower())
    except ColorParseError:
        return None
    return color.hex6.lower()


def _unreadable(given: Mapping[str, str]) -> list[str]:
    ratio = contrast(given["foreground"], given["background"])
    if ratio >= LEAST_CONTRAST:
        return []
    return [
        f"foreground {given['foreground']} cannot be read on background {given['background']}: "
        f"their contrast is {ratio:.1f}, it must be {LEAST_CONTRAST:.0f} or more"
    ]


def _unknown(key: str) -> str:
    found = _nearest(key[:_SHOWN], KEYS)
    return f"unknown key {_quoted(key)} is ignored{found or ', known are ' + ', '.join(KEYS)}"


def _nearest(word: str, known: Collection[str]) -> str:
    found = get_close_matches(word.strip().lower(), known, n=1, cutoff=0.6)
    return f" (did you mean {found[0]}?)" if found else ""


def _quoted(value: object) -> str:
    """A text as it is; of anything else the kind, because its own form may be endless."""
    match value:
        case str():
            return f'"{shown(value)}"'
        case bool():
            return "true" if value else "false"
        case int() | float():
            return "a number"
        case dict():
            return "a table"
        case list():
            return "a list"
        case _:
            return "a date"
