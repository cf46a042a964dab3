"""The checks of the set-up that need no network: what each says of what is in order and of what is not."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail

from code_assistant.config.key_store import KeyStore
from code_assistant.config.project_files import ProjectFiles, trusted
from code_assistant.doctor import sandbox
from code_assistant.doctor.finding import Finding
from code_assistant.doctor.folders import check_config_folder, check_state_folder
from code_assistant.doctor.keys import check_keyring, check_keys
from code_assistant.doctor.program import check_git, check_program, check_ripgrep
from code_assistant.doctor.sandbox import check_sandbox
from code_assistant.doctor.settings import check_models, check_settings
from code_assistant.doctor.terminal import TerminalFacts, check_terminal
from code_assistant.doctor.themes import ThemesSeen, check_themes
from tests.rows import each_row

KEY = "sk-test-0123456789"


class Ring(KeyringBackend):
    """Holds keys, or has lost them."""

    priority = 1.0  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]
    name = "Test ring"  # pyright: ignore[reportAssignmentType]

    def __init__(self) -> None:
        super().__init__()
        self.held: dict[str, str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.held.get(username)

    def set_password(self, service: str, username: str, password: str) -> None:
        self.held[username] = password


@pytest.fixture
def no_ring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyring, "get_keyring", fail.Keyring)


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch) -> Ring:
    found = Ring()
    monkeypatch.setattr(keyring, "get_keyring", lambda: found)
    monkeypatch.setattr(keyring, "get_password", found.get_password)
    monkeypatch.setattr(keyring, "set_password", found.set_password)
    return found


def levels(findings: tuple[Finding, ...]) -> list[str]:
    return [each.level for each in findings]


def home(tmp_path: Path) -> tuple[dict[str, str], Path]:
    folder = tmp_path / ".config" / "code-assistant"
    folder.mkdir(parents=True)
    return {"HOME": str(tmp_path)}, folder


def test_the_program_says_what_it_is() -> None:
    found = check_program()
    assert found.level == "ok"
    assert "Python 3." in found.words


def test_settings(tmp_path: Path) -> None:
    environ, folder = home(tmp_path)
    (tmp_path / "project" / ".code-assistant").mkdir(parents=True)
    project = ProjectFiles(tmp_path / "project", trusted)
    (fresh,), loaded = check_settings(environ, folder, project)
    assert (fresh.level, loaded is not None) == ("ok", True)
    assert "the defaults" in fresh.words
    (folder / "config.toml").write_text('model = "haiku"\n')
    (good,), loaded = check_settings(environ, folder, project)
    assert (good.level, good.words) == ("ok", f"read from {folder / 'config.toml'}")
    assert loaded is not None
    assert loaded.settings.model == "haiku"
    (folder / "config.toml").write_text('modle = "haiku"\n')
    (tmp_path / "project" / ".code-assistant" / "config.toml").write_text("nonsense = 1\n")
    odd, loaded = check_settings(environ, folder, project)
    assert (levels(odd), loaded is not None) == (["note", "note"], True)
    assert "did you mean model?" in odd[0].words
    (folder / "config.toml").write_text("model = \n")
    (bad,), loaded = check_settings(environ, folder, project)
    assert (bad.level, loaded) == ("problem", None)
    assert "is not valid TOML" in bad.words


def test_models(tmp_path: Path) -> None:
    environ, folder = home(tmp_path)
    (tmp_path / "project" / ".code-assistant").mkdir(parents=True)
    project = ProjectFiles(tmp_path / "project", trusted)
    (fresh,), catalogue = check_models(environ, folder, project)
    assert fresh.level == "ok"
    (folder / "models.toml").write_text('[models.mine]\nprovider = "ollama"\n')
    (good,), mine = check_models(environ, folder, project)
    assert good.level == "ok"
    assert len(mine.models) == len(catalogue.models) + 1
    (tmp_path / "project" / ".code-assistant" / "models.toml").write_text("")
    assert levels(check_models(environ, folder, project)[0]) == ["ok"]
    untrusted = ProjectFiles(tmp_path / "project", lambda _: False)
    assert levels(check_models(environ, folder, untrusted)[0]) == ["ok", "note"]
    (folder / "models.toml").write_text('[models.mine]\nprovider = "nobody"\n')
    (bad,), builtin = check_models(environ, folder, project)
    assert bad.level == "problem"
    assert "there is no provider 'nobody'" in bad.words
    assert len(builtin.models) == len(catalogue.models)


@pytest.mark.usefixtures("no_ring")
def test_keys_by_their_names_only(tmp_path: Path) -> None:
    environ, folder = home(tmp_path)
    (none,), credentials = check_keys(environ, folder, ())
    assert none.level == "note"
    assert credentials is not None
    KeyStore(folder).keep("OPENAI_API_KEY", f"{KEY}-openai")
    environ |= {"ANTHROPIC_API_KEY": KEY, "MINE": f"{KEY}-mine"}
    (found,), credentials = check_keys(environ, folder, ["MINE"])
    assert found.level == "ok"
    assert (
        found.words == f"ANTHROPIC_API_KEY (environment), OPENAI_API_KEY ({folder / 'keys.json'}), MINE (environment)"
    )
    assert KEY not in found.words
    (bad,), credentials = check_keys({**environ, "ANTHROPIC_API_KEY": "k\u00e9y-0123456"}, folder, ())
    assert (bad.level, credentials) == ("problem", None)
    (folder / "keys.json").write_text("[]")
    (damaged,), _ = check_keys(environ, folder, ())
    assert damaged.level == "problem"
    assert "is damaged" in damaged.words
    assert check_keyring().level == "ok"


def test_keys_of_the_keyring(tmp_path: Path, ring: Ring) -> None:
    environ, folder = home(tmp_path)
    KeyStore(folder).keep("OPENAI_API_KEY", KEY)
    (found,), _ = check_keys(environ, folder, ())
    assert found.words == "OPENAI_API_KEY (the system's keyring)"
    assert check_keyring().words == "Test ring"
    ring.held.clear()
    lost, _ = check_keys(environ, folder, ())
    assert levels(lost) == ["note", "note"]
    assert "which does not give it" in lost[0].words


def test_the_state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "state"
    assert (check_state_folder(folder).level, folder.exists()) == ("ok", False)
    folder.mkdir(mode=0o700)
    assert check_state_folder(folder).level == "ok"
    assert list(folder.iterdir()) == []
    folder.chmod(0o755)
    assert check_state_folder(folder).level == "note"
    assert f"chmod 700 {folder}" in check_state_folder(folder).words
    link = tmp_path / "link"
    link.symlink_to(folder)
    assert check_state_folder(link).level == "problem"
    file = tmp_path / "file"
    file.touch()
    assert check_state_folder(file).level == "problem"
    assert check_state_folder(file / "below").level == "problem"
    # Nobody can make files there.
    assert check_state_folder(Path("/proc")).level == "problem"
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert "another user" in check_state_folder(folder).words


def test_the_config_folder(tmp_path: Path) -> None:
    folder = tmp_path / "config"
    assert levels(check_config_folder(folder)) == ["ok"]
    folder.mkdir(mode=0o755)
    assert levels(check_config_folder(folder)) == ["ok"]
    keys = folder / "keys.json"
    keys.write_text("{}")
    keys.chmod(0o600)
    assert levels(check_config_folder(folder)) == ["ok", "ok"]
    keys.chmod(0o644)
    assert levels(check_config_folder(folder)) == ["ok", "problem"]
    assert f"chmod 600 {keys}" in check_config_folder(folder)[1].words
    folder.chmod(0o777)
    assert levels(check_config_folder(folder)) == ["problem", "problem"]


def test_safe_s4_the_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "find_bubblewrap", lambda: "/usr/bin/bwrap")
    monkeypatch.setattr(sandbox, "bubblewrap_works", lambda *_: True)
    assert check_sandbox() == Finding("ok", "sandbox", "/usr/bin/bwrap")
    assert "turned off by sandbox.enabled" in check_sandbox(turned_off_by="sandbox.enabled").words
    monkeypatch.setattr(sandbox, "bubblewrap_works", lambda *_: False)
    for works, words in ((True, "Landlock"), (False, "can do all that you can")):
        monkeypatch.setattr(sandbox, "landlock_works", lambda works=works: works)
        found = check_sandbox()
        assert found.level == "note"
        assert words in found.words
        assert "may not be used" in found.words
    monkeypatch.setattr(sandbox, "find_bubblewrap", lambda: None)
    assert "Install bubblewrap" in check_sandbox().words


def test_git_and_ripgrep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("git", "rg"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    assert check_git({"PATH": str(tmp_path)}) == Finding("ok", "git", str(tmp_path / "git"))
    assert check_git({"PATH": ""}).level == "note"
    monkeypatch.setattr("sys.executable", str(tmp_path / "elsewhere" / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert check_ripgrep(tmp_path / "work") == Finding("ok", "ripgrep", str(tmp_path / "rg"))
    # Not one that the project brought along.
    assert check_ripgrep(tmp_path).level == "note"


@each_row(
    ("environ", "size", "encoding", "level", "words"),
    [
        ({"TERM": "xterm-256color"}, (120, 40), "utf-8", "ok", "xterm-256color, 256 colours, 120 by 40, UTF-8"),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, (80, 24), "UTF8", "ok", "all colours"),
        ({"TERM": "xterm"}, (80, 24), "utf-8", "ok", "16 colours"),
        ({"TERM": "xterm", "NO_COLOR": ""}, (80, 24), "utf-8", "ok", "no colours"),
        ({"TERM": "dumb"}, (80, 24), "utf-8", "problem", "TERM=dumb"),
        ({}, (80, 24), "utf-8", "problem", "(unset)"),
        ({"TERM": "xterm"}, (80, 24), "ascii", "note", "text is ascii"),
        ({"TERM": "xterm"}, (80, 24), "", "note", "LANG"),
        ({"TERM": "xterm"}, (30, 24), "utf-8", "note", "30 by 24 is small"),
        ({"TERM": "xterm"}, (0, 0), "utf-8", "ok", "of unknown size"),
        ({"TERM": "xterm"}, None, "utf-8", "note", "there is none here"),
    ],
)
def test_the_terminal(
    environ: Mapping[str, str], size: tuple[int, int] | None, encoding: str, level: str, words: str
) -> None:
    (found,) = check_terminal(environ, TerminalFacts(size, encoding))
    assert found.level == level
    assert words in found.words


@each_row(
    ("problems", "wanted", "expected"),
    [
        ((), "harbor-dark", ["ok"]),
        ((), None, ["ok"]),
        ((), "gone", ["note"]),
        (("theme mine.toml: it is not TOML",), "harbor-dark", ["note"]),
        (("theme mine.toml: it is not TOML",), "mine", ["note", "note"]),
    ],
)
def test_themes(problems: tuple[str, ...], wanted: Any, expected: list[str]) -> None:
    assert levels(check_themes(ThemesSeen({"harbor-dark"}, problems), wanted)) == expected
