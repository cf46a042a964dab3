"""The theme that the screen has, out of those that could be loaded."""

from __future__ import annotations

from collections.abc import Iterator

from textual.theme import Theme

from code_assistant.tui.rendering.palette import Palette, palette_of
from code_assistant.tui.themes.loading import LoadedThemes

DEFAULT_THEME = "harbor-dark"


class ChosenTheme:
    """Knows what is chosen; that it is shown everywhere is up to the app."""

    def __init__(self, loaded: LoadedThemes, wanted: str) -> None:
        self._themes = loaded.themes
        self._name = wanted if wanted in loaded.themes else DEFAULT_THEME
        names = ", ".join(loaded.themes)
        unknown = () if wanted in loaded.themes else (f"There is no theme {wanted!r}. There are: {names}.",)
        self.problems = (*loaded.problems, *unknown)

    @property
    def name(self) -> str:
        return self._name

    @property
    def palette(self) -> Palette:
        return palette_of(self._themes[self._name].colors())

    @property
    def choices(self) -> list[tuple[str, str]]:
        """Names, each with what it is like."""
        return [(theme.name, theme.description) for theme in self._themes.values()]

    def choose(self, name: str) -> Palette:
        """Another of those that there are; gives what the transcript is drawn with from now on."""
        theme = self._themes[name]
        self._name = name
        return palette_of(theme.colors())

    def for_textual(self) -> Iterator[Theme]:
        """All of them, as widgets use them."""
        return (theme.textual() for theme in self._themes.values())
