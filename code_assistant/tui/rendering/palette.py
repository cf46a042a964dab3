"""The styles of everything that is drawn, made once from the colours of a theme."""

from __future__ import annotations

from colorsys import hls_to_rgb, rgb_to_hls
from dataclasses import dataclass

from rich.color import Color
from rich.style import Style

from code_assistant.tui.themes.colors import contrast, luminance, readable, rgb

AGENT_COLOURS = 10
# Of the terminal's own, those that tell no state and can be read on black and on white alike come first.
TERMINAL_AGENTS = ("cyan", "magenta", "blue", "green", "yellow")
# Each hue as far from those before it as can be.
HUE_STEP = 0.382


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
    agents: tuple[Style, ...]

    def agent(self, colour: int | None) -> Style:
        """The style of an agent's name; names differ, too, so that two may share it."""
        return self.strong if colour is None else self.agents[colour % len(self.agents)]


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
        agents=tuple(on(color, bold=True) for color in agent_colors(colors)),
    )


def agent_colors(colors: ThemeColors) -> tuple[str, ...]:
    """Ten colours that can be told apart, each as easy to read as the theme's own texts."""
    if colors.background == "default":
        return tuple(TERMINAL_AGENTS[number % len(TERMINAL_AGENTS)] for number in range(AGENT_COLOURS))
    grounds = (colors.background, colors.panel)
    ratio = min(7.0, max(4.5, min(contrast(colors.muted, ground) for ground in grounds)))
    red, green, blue = (value / 255 for value in rgb(colors.primary))
    hue, _, _ = rgb_to_hls(red, green, blue)
    # Light and dark in turns, for eyes that do not see all hues.
    lights = (0.6, 0.7) if luminance(colors.background) < 0.5 else (0.38, 0.3)
    found: list[str] = []
    for number in range(AGENT_COLOURS):
        shade = hls_to_rgb((hue + number * HUE_STEP) % 1, lights[number % 2], 0.65)
        color = "#" + "".join(f"{round(value * 255):02x}" for value in shade)
        found.append(readable(color, colors.foreground, grounds, ratio))
    return tuple(found)
