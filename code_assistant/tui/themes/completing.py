"""From the few colours that a theme file must have to all of them."""

from __future__ import annotations

from collections.abc import Mapping

from code_assistant.tui.rendering.palette import ThemeColors
from code_assistant.tui.themes.colors import blend, luminance, quiet_ground, readable
from code_assistant.tui.themes.screen_theme import ScreenTheme

TEXT_RATIO = 4.5
_SIGNALS_ON_DARK = {"success": "#7cc88f", "warning": "#e5c07b", "error": "#f07f7f"}
_SIGNALS_ON_LIGHT = {"success": "#1f7a3d", "warning": "#8a5a00", "error": "#b3261e"}
_TERMINAL = {
    "foreground": "default",
    "background": "default",
    "surface": "default",
    "panel": "default",
    "primary": "blue",
    "secondary": "cyan",
    "accent": "magenta",
    "success": "green",
    "warning": "yellow",
    "error": "red",
    "muted": "bright_black",
    # A coloured ground cannot be had in sixteen colours without hiding text somewhere; the letters are coloured.
    "added": "default",
    "removed": "default",
}


def completed(
    name: str, description: str, given: Mapping[str, str], *, is_ansi: bool, is_dark: bool | None
) -> ScreenTheme:
    """`given` has been checked: hexadecimal colours with at least the required ones, or names of the terminal's."""
    if is_ansi:
        full = {**_TERMINAL, **given}
        return ScreenTheme(name, description, is_dark is not False, True, _theme_colors(full), full["surface"])
    if is_dark is None:
        is_dark = luminance(given["background"]) < luminance(given["foreground"])
    full = _full_colors(given, is_dark)
    return ScreenTheme(name, description, is_dark, False, _theme_colors(full), full["surface"])


def _full_colors(given: Mapping[str, str], is_dark: bool) -> dict[str, str]:
    foreground, background, primary = given["foreground"], given["background"], given["primary"]
    full = {
        "surface": blend(background, foreground, 0.04),
        "panel": blend(background, foreground, 0.08),
        "secondary": blend(foreground, primary, 0.35),
        "accent": primary,
        **given,
    }
    grounds = (background, full["panel"])
    full.setdefault("muted", readable(blend(foreground, background, 0.45), foreground, grounds, TEXT_RATIO))
    for signal, color in (_SIGNALS_ON_DARK if is_dark else _SIGNALS_ON_LIGHT).items():
        full.setdefault(signal, readable(color, foreground, grounds, TEXT_RATIO))
    full.setdefault("added", quiet_ground(background, full["success"], full["success"], TEXT_RATIO))
    full.setdefault("removed", quiet_ground(background, full["error"], full["error"], TEXT_RATIO))
    return full


def _theme_colors(full: Mapping[str, str]) -> ThemeColors:
    return ThemeColors(
        foreground=full["foreground"],
        background=full["background"],
        panel=full["panel"],
        primary=full["primary"],
        secondary=full["secondary"],
        accent=full["accent"],
        success=full["success"],
        warning=full["warning"],
        error=full["error"],
        muted=full["muted"],
        added=full["added"],
        removed=full["removed"],
    )
