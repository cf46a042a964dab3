"""Theme files: ours and the person's own. One that is broken is reported and left out, never more than that."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from code_assistant.tui.themes.checking import BadTheme, checked, shown
from code_assistant.tui.themes.screen_theme import ScreenTheme

LARGEST_FILE = 64 * 1024
MOST_FILES = 200


@dataclass(frozen=True, slots=True)
class LoadedThemes:
    """By name, ours first. `problems` are sentences that are safe to show."""

    themes: dict[str, ScreenTheme]
    problems: tuple[str, ...]


def load_themes(builtin: Path, own: Path) -> LoadedThemes:
    """All themes. One of the person's own takes the place of ours with the same name."""
    themes: dict[str, ScreenTheme] = {}
    problems: list[str] = []
    for folder in (builtin, own):
        themes |= _themes_in(folder, problems)
    return LoadedThemes(themes, tuple(problems))


def _themes_in(folder: Path, problems: list[str]) -> dict[str, ScreenTheme]:
    themes: dict[str, ScreenTheme] = {}
    files: dict[str, Path] = {}
    for path in _files(folder, problems):
        where = shown(path.name)
        try:
            theme, ignored = checked(_read(path), path.stem)
        except BadTheme as error:
            problems += [f"theme {where}: {problem}" for problem in error.problems]
            continue
        problems += [f"theme {where}: {problem}" for problem in ignored]
        if theme.name in files:
            problems.append(f'theme {where}: the name "{theme.name}" is taken by {shown(files[theme.name].name)}')
            continue
        themes[theme.name], files[theme.name] = theme, path
    return themes


def _files(folder: Path, problems: list[str]) -> Iterator[Path]:
    try:
        found = sorted(folder.glob("*.toml"))
    except OSError as error:
        problems.append(f"the theme folder {shown(str(folder))} cannot be read: {shown(error.strerror or str(error))}")
        return
    if len(found) > MOST_FILES:
        problems.append(f"the theme folder {shown(str(folder))} has more than {MOST_FILES} files; the rest is ignored")
    yield from found[:MOST_FILES]


def _read(path: Path) -> dict[str, object]:
    try:
        # Opening a pipe or a device could wait for ever.
        if not path.is_file():
            raise BadTheme(["it is not a file"])
        with path.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise BadTheme([f"it cannot be read: {shown(error.strerror or str(error))}"]) from error
    if len(content) > LARGEST_FILE:
        raise BadTheme([f"it is larger than {LARGEST_FILE // 1024} KB, which no theme is"])
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadTheme([f"it is not UTF-8 text (byte {error.start})"]) from error
    # Numbers with thousands of digits are plain ValueErrors.
    except (ValueError, RecursionError) as error:
        raise BadTheme([f"it is not TOML: {shown(str(error))}"]) from error
