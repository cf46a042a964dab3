"""`code-assistant trust`: keeps trust, lists it, takes it back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from code_assistant.cli import run
from code_assistant.config.folder_trust import FolderTrust
from code_assistant.doctor.trust import check_trust
from tests.repositories import make_repository_mark


def test_the_command_keeps_trust_and_takes_it_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "shop"
    (folder / "src").mkdir(parents=True)
    make_repository_mark(folder)
    (folder / ".mcp.json").write_text("{}")
    environ = {"HOME": str(tmp_path / "home")}
    monkeypatch.chdir(folder / "src")

    def said(*arguments: str) -> str:
        assert run(["trust", *arguments], environ) == 0
        return capsys.readouterr().out

    kept = said()
    assert kept.splitlines()[:2] == [f"{folder} is trusted.", "  MCP servers (not started by this version): .mcp.json"]
    assert said("--list") == f"{folder}\n"
    assert check_trust(FolderTrust(folder, environ))[0].level == "ok"
    (folder / ".mcp.json").write_text("{ }")
    (changed,) = check_trust(FolderTrust(folder, environ))
    assert "this has changed: .mcp.json" in changed.words
    assert said(str(folder), "--remove") == f"{folder} is trusted no longer.\n"
    assert said("--remove") == f"{folder} is not trusted, and was not.\n"
    assert run(["trust", "--list"], environ) == 0
    assert capsys.readouterr() == ("", "No folder is trusted.\n")
    gone = folder / "gone"
    gone.mkdir()
    make_repository_mark(gone)
    said()
    said(str(gone))
    shutil.rmtree(gone / ".git")
    gone.rmdir()
    assert said(str(gone), "--remove") == f"{gone} is trusted no longer.\n"
    assert said("--list") == f"{folder}\n"


def test_what_cannot_be_trusted_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".mcp.json").mkdir()
    (tmp_path / ".mcp.json" / "loop").symlink_to(".")
    assert run(["trust"], {"HOME": str(tmp_path / "home")}) == 2
    assert "This folder cannot be trusted" in capsys.readouterr().err
    assert run(["trust", "nowhere"], {"HOME": str(tmp_path / "home")}) == 2
    told = capsys.readouterr().err
    assert "There is no folder 'nowhere'" in told
    assert "-p" not in told


def test_with_a_folder_of_that_name_it_is_about_trust_only_where_more_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "trust").mkdir()
    environ = {"HOME": str(tmp_path / "home")}
    monkeypatch.chdir(tmp_path)
    for arguments in ([], ["--model", "no-such-model"]):
        assert run(["trust", *arguments], environ) != 0
        assert "The screen needs a terminal" in capsys.readouterr().err, arguments
    for arguments, said in (
        (["."], f"{tmp_path} is trusted."),
        (["--list"], str(tmp_path)),
        (["./trust"], f"{tmp_path / 'trust'} is trusted."),
        (["--remove"], f"{tmp_path} is trusted no longer."),
    ):
        assert run(["trust", *arguments], environ) == 0, arguments
        assert capsys.readouterr().out.splitlines()[0] == said
