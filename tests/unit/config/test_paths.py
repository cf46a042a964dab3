from __future__ import annotations

from pathlib import Path

import pytest

from code_assistant.config.paths import config_folder, state_folder, themes_folder
from code_assistant.errors import UsageError


def test_folders_below_home_without_xdg_variables() -> None:
    environ = {"HOME": "/home/ada"}
    assert config_folder(environ) == Path("/home/ada/.config/code-assistant")
    assert state_folder(environ) == Path("/home/ada/.local/state/code-assistant")


def test_xdg_variables_win() -> None:
    environ = {"HOME": "/home/ada", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s"}
    assert config_folder(environ) == Path("/c/code-assistant")
    assert state_folder(environ) == Path("/s/code-assistant")


@pytest.mark.parametrize("value", ["", "relative/folder", "~/x"])
def test_relative_and_empty_xdg_values_are_ignored(value: str) -> None:
    environ = {"HOME": "/home/ada", "XDG_CONFIG_HOME": value, "XDG_STATE_HOME": value}
    assert config_folder(environ) == Path("/home/ada/.config/code-assistant")
    assert state_folder(environ) == Path("/home/ada/.local/state/code-assistant")


def test_a_missing_home_variable_falls_back_to_the_account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/accounts/ada"))
    assert config_folder({"HOME": "not/absolute"}) == Path("/accounts/ada/.config/code-assistant")


def test_an_unknown_home_is_a_usage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError

    monkeypatch.setattr(Path, "home", no_home)
    with pytest.raises(UsageError, match="Set HOME"):
        state_folder({})


def test_themes_come_from_the_package_else_from_the_checkout(tmp_path: Path) -> None:
    package = tmp_path / "code_assistant"
    package.mkdir()
    assert themes_folder(package) == tmp_path / "themes"
    (package / "themes").mkdir()
    assert themes_folder(package) == package / "themes"


def test_the_themes_folder_exists_here() -> None:
    assert themes_folder().is_dir()
