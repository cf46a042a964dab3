"""The themes that come with the program: complete, readable, and accepted by Textual."""

from __future__ import annotations

from dataclasses import astuple, fields
from pathlib import Path

import pytest
from rich.color import Color, ColorType
from textual.theme import Theme

from code_assistant.config.paths import themes_folder
from code_assistant.tui.rendering.palette import ThemeColors, palette_of
from code_assistant.tui.themes.colors import blend, contrast
from code_assistant.tui.themes.loading import load_themes
from code_assistant.tui.themes.no_color import ansi_color
from code_assistant.tui.themes.screen_theme import ScreenTheme
from tests.rows import each_row
from tests.tui.frame.states import TODO, FrameApp, strips_of, working_state

LOADED = load_themes(themes_folder(), Path("/none"))
NAMES = ["ember", "harbor-dark", "harbor-light", "high-contrast", "meadow", "terminal"]
FIXED = [name for name in NAMES if name != "terminal"]
INKS = ("foreground", "primary", "secondary", "accent", "success", "warning", "error")


def same(color: Color) -> tuple[object, ...]:
    """A colour without the name that it was written with."""
    return color.type, color.number, color.triplet


def test_all_six_load() -> None:
    assert LOADED.problems == ()
    assert sorted(LOADED.themes) == NAMES
    assert {name for name, theme in LOADED.themes.items() if not theme.is_dark} == {"harbor-light", "meadow"}
    assert {name for name, theme in LOADED.themes.items() if theme.is_ansi} == {"terminal"}
    assert all(theme.description for theme in LOADED.themes.values())


def test_a_file_is_named_as_its_theme() -> None:
    assert sorted(path.stem for path in themes_folder().glob("*.toml")) == NAMES


def test_the_folder_in_a_checkout_and_in_an_installed_package(tmp_path: Path) -> None:
    package = tmp_path / "code_assistant"
    package.mkdir()
    assert themes_folder(package) == tmp_path / "themes"
    (package / "themes").mkdir()
    assert themes_folder(package) == package / "themes"


@each_row("name", FIXED)
def test_contrast(name: str) -> None:
    colors = LOADED.themes[name].colors()
    least = 7.0 if name == "high-contrast" else 4.5
    grounds = (colors.background, colors.panel, LOADED.themes[name].surface)
    for ink in INKS:
        for ground in grounds:
            assert contrast(getattr(colors, ink), ground) >= least, ink
    for ground in grounds:
        assert contrast(colors.muted, ground) >= (7.0 if name == "high-contrast" else 4.5)
    assert contrast(colors.success, colors.added) >= least
    assert contrast(colors.error, colors.removed) >= least
    assert contrast(colors.background, colors.primary) >= least
    # The highlighted row of a picker.
    assert contrast(colors.foreground, blend(LOADED.themes[name].surface, colors.primary, 0.2)) >= least


@each_row("name", FIXED)
def test_signals_can_be_told_apart(name: str) -> None:
    colors = LOADED.themes[name].colors()
    signals = (colors.success, colors.warning, colors.error, colors.primary)
    assert len(set(signals)) == len(signals)


@pytest.mark.parametrize("theme", LOADED.themes.values(), ids=NAMES)
def test_rich_understands_every_colour(theme: ScreenTheme) -> None:
    kinds = {Color.parse(color).type for color in astuple(theme.colors())}
    assert kinds <= ({ColorType.DEFAULT, ColorType.STANDARD} if theme.is_ansi else {ColorType.TRUECOLOR})
    palette_of(theme.colors())


@pytest.mark.parametrize("theme", LOADED.themes.values(), ids=NAMES)
def test_textual_gets_every_variable_that_its_css_may_name(theme: ScreenTheme) -> None:
    usual = Theme("usual", primary="#ffffff").to_color_system().generate()
    ours = theme.textual().to_color_system().generate()
    assert usual.keys() <= ours.keys()
    assert ours["text-muted"].lower().endswith(theme.colors().muted)


@pytest.mark.parametrize("name", NAMES)
async def test_the_frame_is_drawn_with_the_colours_of_the_theme(name: str) -> None:
    theme = LOADED.themes[name]
    app = FrameApp()
    app.register_theme(theme.textual())
    app.theme = name
    async with app.run_test(size=(100, 24)) as pilot:
        app.show(working_state(todo=TODO, mode="yolo", queue=[("1", "later")]))
        await pilot.pause()
        colors = {same(Color.parse(color)) for color in astuple(theme.colors())}
        for widget in app.query("DrawnRows").results():
            for strip in strips_of(widget):
                for segment in strip:
                    assert segment.style is not None
                    assert segment.style.bgcolor == Color.parse(theme.colors().background)
                    assert segment.style.color is not None and same(segment.style.color) in colors


async def test_themes_change_while_the_program_runs() -> None:
    app = FrameApp()
    for theme in LOADED.themes.values():
        app.register_theme(theme.textual())
    async with app.run_test(size=(100, 24)) as pilot:
        app.show(working_state())
        for name in (*NAMES, *reversed(NAMES)):
            app.theme = name
            await pilot.pause()
            (strip,) = strips_of(app.query_one("StatusLine"))
            expected = Color.parse(LOADED.themes[name].colors().background)
            assert {segment.style.bgcolor for segment in strip if segment.style} == {expected}


@pytest.mark.parametrize("name", NAMES)
async def test_no_color_means_none(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = FrameApp(ansi_color=ansi_color({"NO_COLOR": "1"}))
    for theme in LOADED.themes.values():
        app.register_theme(theme.textual())
    async with app.run_test(size=(100, 24)) as pilot:
        app.theme = name
        app.show(working_state(todo=TODO, mode="yolo"))
        await pilot.pause()
        loud: list[str] = []
        for widget in app.query("DrawnRows").results():
            for strip in strips_of(widget):
                for segment in strip:
                    assert segment.style is not None
                    assert segment.style.color is not None and segment.style.color.is_default
                    assert segment.style.bgcolor is not None and segment.style.bgcolor.is_default
                    loud += [segment.text] if segment.style.reverse else []
        assert loud == [" YOLO "]


def test_without_no_color_each_theme_decides() -> None:
    assert ansi_color({}) is None
    assert ansi_color({"NO_COLOR": ""}) is True


def test_every_field_of_the_colours_is_filled() -> None:
    for theme in LOADED.themes.values():
        assert all(getattr(theme.colors(), field.name) for field in fields(ThemeColors))
