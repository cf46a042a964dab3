"""Colours for tests of what is drawn."""

from __future__ import annotations

from code_assistant.tui.rendering.palette import Palette, ThemeColors, palette_of

COLORS = ThemeColors(
    foreground="#d7dde5",
    background="#14181d",
    panel="#232a33",
    primary="#6cb6ff",
    secondary="#a5b4c8",
    accent="#f2b866",
    success="#7cc88f",
    warning="#e5c07b",
    error="#f07f7f",
    muted="#7b8694",
    added="#1d3325",
    removed="#3a2224",
)


def a_palette() -> Palette:
    return palette_of(COLORS)


PALETTE = a_palette()
