"""What is said of theme files that are wrong, and that none of them stops anything."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from code_assistant.tui.themes.colors import contrast
from code_assistant.tui.themes.loading import LARGEST_FILE, LoadedThemes, load_themes
from tests.tui.hostile import is_safe

GOOD = 'foreground = "#dddddd"\nbackground = "#111111"\nprimary = "#88aaff"\n'
ANSI = "ansi = true\n"


def load(own: Path, **files: str) -> LoadedThemes:
    for name, text in files.items():
        (own / f"{name}.toml").write_text(text)
    return load_themes(own / "none", own)


# The file, whether the theme can be used all the same, and words that must be said about it.
BROKEN: list[tuple[str, bool, list[str]]] = [
    ("this is not TOML", False, ["not TOML", "line 1"]),
    ('foreground = "#ddd', False, ["not TOML"]),
    ("", False, ["foreground is missing", "background is missing", "primary is missing", "#rrggbb"]),
    (GOOD.replace("primary", "primry"), False, ['unknown key "primry"', "did you mean primary?", "primary is missing"]),
    (GOOD.replace("#88aaff", "#88aaf"), False, ['primary is "#88aaf"', "#rrggbb or #rgb"]),
    (GOOD.replace("#88aaff", "88aaff"), False, ['primary is "88aaff"', 'did you mean "#88aaff"?']),
    (GOOD.replace("#88aaff", "red"), False, ['primary is "red"', 'did you mean "#ff0000"?']),
    (GOOD.replace("#88aaff", "rgb(1,2,3)"), False, ['did you mean "#010203"?']),
    (GOOD.replace("#88aaff", "#88aaff80"), False, ['did you mean "#88aaff"?']),
    (GOOD.replace("#88aaff", "ansi_blue"), False, ["ansi = true"]),
    (GOOD.replace('"#88aaff"', "5"), False, ["primary is a number"]),
    (GOOD.replace('"#88aaff"', "true"), False, ["primary is true"]),
    (GOOD.replace('"#88aaff"', '["#88aaff"]'), False, ["primary is a list"]),
    (GOOD.replace('"#88aaff"', "2020-01-01"), False, ["primary is a date"]),
    (GOOD + '[error]\ncolor = "#ff0000"\n', False, ["error is a table"]),
    (GOOD + 'dark = "yes"\n', False, ['dark is "yes"', "true or false"]),
    (GOOD + "ansi = 1\n", False, ["ansi is a number", "true or false"]),
    (GOOD + 'name = "My Theme"\n', False, ['name is "My Theme"', "a-z, 0-9, - and _"]),
    (GOOD + 'name = ""\n', False, ['name is ""']),
    (GOOD + f'name = "{"x" * 41}"\n', False, ["at most 40"]),
    (GOOD + "description = 3\n", False, ["description is a number", "a text"]),
    (GOOD + 'acent = "#ffffff"\n', True, ['unknown key "acent" is ignored', "did you mean accent?"]),
    (GOOD + 'Accent = "#ffffff"\n', True, ["did you mean accent?"]),
    (GOOD + "luminosity_spread = 0.3\n", True, ['unknown key "luminosity_spread"', "known are name, description"]),
    (GOOD + '[variables]\nborder = "red"\n', True, ['unknown key "variables" is ignored']),
    (GOOD.replace("#dddddd", "#121212"), False, ["#121212 cannot be read on background #111111", "1.0"]),
    (ANSI + 'primary = "blu"\n', False, ['primary is "blu"', "bright_black", "did you mean blue?"]),
    (ANSI + 'primary = "ansi_bluee"\n', False, ["did you mean blue?"]),
    (ANSI + 'primary = "#88aaff"\n', False, ['primary is "#88aaff"', "an ANSI theme has one of default"]),
    (GOOD + 'muted = "\\u001b[31m\\u202e"\n', False, ["muted is", "␛[31m⟨U+202E⟩"]),
    (GOOD + '"\\u001b]0;x" = 1\n', True, ["unknown key", "␛]0;x"]),
    (GOOD + f'error = "{"x" * 3000}"\n', False, ["error is", "…"]),
    (GOOD + f"error = {'9' * 5000}\n", False, ["not TOML"]),
    (GOOD + f"error = 0x{'f' * 9000}\n", False, ["error is a number"]),
    (GOOD + f"error = {'[' * 3000}{']' * 3000}\n", False, ["theme broken.toml"]),
    ("#" * (LARGEST_FILE + 1), False, ["larger than 64 KB"]),
    (GOOD + GOOD, False, ["not TOML", "overwrite"]),
]


@pytest.mark.parametrize(("text", "is_usable", "words"), BROKEN)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, is_usable: bool, words: list[str]) -> None:
    loaded = load(tmp_path, broken=text, fine=GOOD)
    assert ("broken" in loaded.themes) is is_usable
    assert "fine" in loaded.themes
    said = "\n".join(loaded.problems)
    for word in words:
        assert word in said
    for problem in loaded.problems:
        assert problem.startswith("theme broken.toml: ")
        assert is_safe(problem)
        assert len(problem) < 400


def test_every_mistake_is_said_at_once(tmp_path: Path) -> None:
    problems = load(tmp_path, bad='primary = 1\ndark = 2\nfoo = 3\nname = "A"').problems
    assert len(problems) == 6


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    assert "not UTF-8" in load(tmp_path).problems[0]
    (tmp_path / "bytes.toml").write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert load(tmp_path).problems == ()


def test_things_that_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "folder.toml").mkdir()
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "dangling.toml").symlink_to(tmp_path / "nowhere")
    loaded = load(tmp_path, good=GOOD)
    assert list(loaded.themes) == ["good"]
    assert [problem.partition(": ")[2] for problem in loaded.problems] == ["it is not a file"] * 3


def test_file_names_are_shown_safely(tmp_path: Path) -> None:
    (tmp_path / "\x1b]0;x\x07\u202e.toml").write_text(GOOD)
    (problem,) = load(tmp_path).problems
    assert is_safe(problem)
    assert "a name is made of" in problem


def test_missing_folders_are_no_problem(tmp_path: Path) -> None:
    assert load_themes(tmp_path / "a", tmp_path / "b") == LoadedThemes({}, ())


def test_own_themes_take_the_place_of_ours_but_not_of_each_other(tmp_path: Path) -> None:
    ours, own = tmp_path / "ours", tmp_path / "own"
    ours.mkdir()
    own.mkdir()
    (ours / "same.toml").write_text(GOOD)
    (own / "mine.toml").write_text(GOOD.replace("#88aaff", "#ffffff") + 'name = "same"')
    (own / "twin.toml").write_text(GOOD + 'name = "same"')
    loaded = load_themes(ours, own)
    assert loaded.themes["same"].colors().primary == "#ffffff"
    assert loaded.problems == ('theme twin.toml: the name "same" is taken by mine.toml',)


def test_three_colours_make_a_theme(tmp_path: Path) -> None:
    light = GOOD.replace("#dddddd", "#222").replace("#111111", "#fefefe").replace("#88aaff", "#0044aa")
    loaded = load(tmp_path, night=GOOD, day=light)
    assert loaded.problems == ()
    for name, is_dark in (("night", True), ("day", False)):
        theme = loaded.themes[name]
        colors = theme.colors()
        assert theme.is_dark is is_dark
        for text in (colors.foreground, colors.muted, colors.success, colors.warning, colors.error):
            assert contrast(text, colors.background) >= 4.5
            assert contrast(text, colors.panel) >= 4.5
        assert contrast(colors.success, colors.added) >= 4.5
        assert contrast(colors.error, colors.removed) >= 4.5
        assert len({colors.background, colors.panel, theme.surface, colors.added, colors.removed}) == 5


def test_short_colours_are_written_out(tmp_path: Path) -> None:
    assert load(tmp_path, short=GOOD + 'error = "#F0a"').themes["short"].colors().error == "#ff00aa"


def test_an_ansi_theme_needs_no_colours_at_all(tmp_path: Path) -> None:
    theme = load(tmp_path, mine=ANSI + 'primary = "ansi_bright_cyan"').themes["mine"]
    assert theme.colors().primary == "bright_cyan"
    assert theme.textual().primary == "ansi_bright_cyan"
    assert theme.colors().background == theme.colors().foreground == "default"
