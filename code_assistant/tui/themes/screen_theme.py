"""A theme in full: every colour known, for the transcript and for Textual."""

from __future__ import annotations

from dataclasses import dataclass

from textual.theme import Theme

from code_assistant.tui.rendering.palette import ThemeColors
from code_assistant.tui.themes.colors import blend


@dataclass(frozen=True, slots=True)
class ScreenTheme:
    """Colours are `#rrggbb`; those of an ANSI theme are names of the terminal's own sixteen, or `default`."""

    name: str
    description: str
    is_dark: bool
    is_ansi: bool
    shades: ThemeColors
    surface: str

    def colors(self) -> ThemeColors:
        """What the transcript is drawn with."""
        return self.shades

    def textual(self) -> Theme:
        """What the widgets are drawn with, by the names that their CSS uses."""
        shades = self.shades
        return Theme(
            name=self.name,
            primary=self._css(shades.primary),
            secondary=self._css(shades.secondary),
            warning=self._css(shades.warning),
            error=self._css(shades.error),
            success=self._css(shades.success),
            accent=self._css(shades.accent),
            foreground=self._css(shades.foreground),
            background=self._css(shades.background),
            surface=self._css(self.surface),
            panel=self._css(shades.panel),
            dark=self.is_dark,
            ansi=self.is_ansi,
            variables=self._ansi_variables() if self.is_ansi else self._variables(),
        )

    def _css(self, color: str) -> str:
        return f"ansi_{color}" if self.is_ansi else color

    def _variables(self) -> dict[str, str]:
        shades = self.shades
        quiet = blend(shades.background, shades.foreground, 0.22)
        return {
            # Textual would compute these anew by way of another colour space, one shade off the transcript's.
            "foreground": shades.foreground,
            "background": shades.background,
            "surface": self.surface,
            "panel": shades.panel,
            "primary": shades.primary,
            "secondary": shades.secondary,
            "accent": shades.accent,
            "success": shades.success,
            "warning": shades.warning,
            "error": shades.error,
            "text-muted": shades.muted,
            "text-disabled": blend(shades.muted, shades.background, 0.35),
            "foreground-muted": shades.muted,
            "border": shades.primary,
            "border-blurred": quiet,
            "block-cursor-foreground": shades.background,
            "block-cursor-background": shades.primary,
            "input-cursor-background": shades.foreground,
            "input-cursor-foreground": shades.background,
            "input-selection-background": f"{shades.primary} 35%",
            "screen-selection-background": f"{shades.primary} 35%",
            "scrollbar": quiet,
            "scrollbar-hover": blend(shades.background, shades.foreground, 0.35),
            "scrollbar-active": shades.primary,
            "scrollbar-background": shades.background,
            "scrollbar-background-hover": shades.background,
            "scrollbar-background-active": shades.background,
            "scrollbar-corner-color": shades.background,
        }

    def _ansi_variables(self) -> dict[str, str]:
        """Nothing here may assume a dark or a light terminal: where Textual would, text is reversed instead."""
        shades = self.shades
        muted = self._css(shades.muted)
        plain, background = self._css(shades.foreground), self._css(shades.background)
        return {
            "text-muted": muted,
            "text-disabled": muted,
            "foreground-muted": muted,
            "border": self._css(shades.primary),
            "border-blurred": muted,
            "block-cursor-foreground": plain,
            "block-cursor-background": background,
            "block-cursor-text-style": "reverse",
            "screen-selection-background": self._css(shades.primary),
            "screen-selection-foreground": "ansi_black",
            "input-selection-background": self._css(shades.primary),
            "input-selection-foreground": "ansi_black",
            "scrollbar": muted,
            "scrollbar-hover": self._css(shades.primary),
            "scrollbar-active": self._css(shades.primary),
            "scrollbar-background": background,
            "scrollbar-background-hover": background,
            "scrollbar-background-active": background,
            "link-color-hover": plain,
            "link-background-hover": "transparent",
            "link-style-hover": "bold",
            # Textual 8.2.8 makes these for themes in full colour only, but its own CSS names them.
            "ansi-background": background,
            "ansi-foreground": plain,
            "foreground-disabled": muted,
            "surface-active": "transparent",
        }
