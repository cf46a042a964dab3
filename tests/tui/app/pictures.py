"""Pictures of the screen as text: what is shown, and in which styles, in a dark and a light theme at once.

A picture has three parts: the rows; for each row its runs of cells of one style (`b12` are twelve cells in style b);
and what the letters stand for, in the one theme and in the other. It is stored below `snapshots/` and compared exactly.
With UPDATE_PICTURES=1 in the environment the stored ones are replaced; look at the difference before committing it.
With SVG_FOLDER=… pictures to look at are left there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from difflib import unified_diff
from itertools import groupby
from pathlib import Path

import pytest
from textual.strip import Strip

from tests.tui.app.harness import Scene

SNAPSHOTS = Path(__file__).with_name("snapshots")
SIZES = ((40, 24), (80, 24), (120, 30))
THEMES = ("harbor-dark", "harbor-light")
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


async def show_one_sandbox(s: Scene) -> None:
    """Which one there is depends on the machine."""
    await s.until(lambda: s.app.state.sandbox is not None or s.app.core.session is None, "what sandbox there is")
    s.app.state.sandbox = "bubblewrap"


async def check_pictures(s: Scene, name: str) -> None:
    """Compare the screen as it is now, in all sizes and both themes, with what is stored."""
    # A picture is taken between two blinks.
    s.app.composer.cursor_blink = False
    await show_one_sandbox(s)
    problems: list[str] = []
    for width, height in SIZES:
        await s.pilot.resize_terminal(width, height)
        strips = [await _in_theme(s, theme, f"{name}-{width}") for theme in THEMES]
        problems += problems_of(SNAPSHOTS / f"{name}-{width}.txt", drawn(*strips))
    s.app.set_screen_theme(THEMES[0])
    if problems:
        pytest.fail("\n".join(problems), pytrace=False)


async def _in_theme(s: Scene, theme: str, name: str) -> list[Strip]:
    s.app.set_screen_theme(theme)
    await s.painted()
    folder = os.environ.get("SVG_FOLDER")
    if folder:
        svg = s.app.export_screenshot().replace("Fira Code", "DejaVu Sans Mono")
        (Path(folder) / f"{name}-{theme}.svg").write_text(svg)
    return s.app.screen._compositor.render_strips(s.app.size)


def drawn(dark: list[Strip], light: list[Strip]) -> str:
    """Both as one text; they differ in nothing but their colours."""
    rows = [strip.text.rstrip() for strip in dark]
    assert rows == [strip.text.rstrip() for strip in light]
    letters: dict[tuple[str, str], str] = {}
    runs: list[str] = []
    for number, pair in enumerate(zip(dark, light, strict=True), start=1):
        cells = zip(_cell_styles(pair[0]), _cell_styles(pair[1]), strict=True)
        named = [letters.setdefault(styles, LETTERS[len(letters)]) for styles in cells]
        runs.append(f"{number:2} " + " ".join(f"{letter}{len(list(group))}" for letter, group in groupby(named)))
    legend = [f"{letter}  {one} | {other}" for (one, other), letter in letters.items()]
    return "\n".join([*rows, "---", *runs, "---", *legend, ""])


def _cell_styles(strip: Strip) -> Iterator[str]:
    for segment in strip:
        for _ in range(segment.cell_length):
            yield str(segment.style)


def problems_of(file: Path, actual: str) -> list[str]:
    expected = file.read_text(encoding="utf-8") if file.exists() else ""
    if actual == expected:
        return []
    if os.environ.get("UPDATE_PICTURES"):
        file.write_text(actual, encoding="utf-8")
        return []
    words = "is different" if expected else "is new"
    difference = unified_diff(expected.splitlines(), actual.splitlines(), "stored", "now", lineterm="")
    return [f"{file.name} {words} (UPDATE_PICTURES=1 keeps it):", *difference]
