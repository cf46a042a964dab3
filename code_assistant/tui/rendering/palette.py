"""The styles of everything that is drawn, made once from the colours of a theme."""

from __future__ import annotations

from dataclasses import dataclass

from rich.color import Color
from rich.style import Style


@dataclass(frozen=True, slots=True)
class ThemeColors:
    """What a theme says, as colours that Rich understands: `#rrggbb`, or names of the terminal's own sixteen."""

    foreground: str
    background: str
    panel: str
    primary: str
    secondary: str
    accent: str
    success: str
    warning: str
    error: str
    muted: str
    added: str
    removed: str


@dataclass(frozen=True, slots=True, eq=False)
class Palette:
    """One role, one style. Every style has the background, so that a row needs no further treatment."""

    text: Style
    muted: Style
    strong: Style
    heading: Style
    inline_code: Style
    link: Style
    quote: Style
    cursor: Style
    success: Style
    warning: Style
    error: Style
    running: Style
    added: Style
    removed: Style
    hunk: Style
    selected: Style
    code: Style
    keyword: Style
    string: Style
    comment: Style
    number: Style
    name: Style


def _selected(colors: ThemeColors) -> Style:
    # Where the terminal's own background is not known, only reversing is sure to be seen.
    if colors.background == "default":
        return Style(reverse=True)
    return Style(color=Color.parse(colors.background), bgcolor=Color.parse(colors.primary))


def palette_of(colors: ThemeColors) -> Palette:
    def on(
        color: str,
        background: str = colors.background,
        *,
        bold: bool | None = None,
        italic: bool | None = None,
        underline: bool | None = None,
    ) -> Style:
        return Style(
            color=Color.parse(color),
            bgcolor=Color.parse(background),
            bold=bold,
            italic=italic,
            underline=underline,
        )

    panel = colors.panel
    return Palette(
        text=on(colors.foreground),
        muted=on(colors.muted),
        strong=on(colors.foreground, bold=True),
        heading=on(colors.primary, bold=True),
        inline_code=on(colors.accent),
        link=on(colors.primary, underline=True),
        quote=on(colors.secondary, italic=True),
        cursor=on(colors.accent, bold=True),
        success=on(colors.success),
        warning=on(colors.warning),
        error=on(colors.error),
        running=on(colors.accent),
        added=on(colors.success, colors.added),
        removed=on(colors.error, colors.removed),
        hunk=on(colors.secondary),
        selected=_selected(colors),
        code=on(colors.foreground, panel),
        keyword=on(colors.primary, panel),
        string=on(colors.success, panel),
        comment=on(colors.muted, panel, italic=True),
        number=on(colors.accent, panel),
        name=on(colors.secondary, panel),
    )
