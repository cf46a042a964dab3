"""Writing in the person's own editor."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from code_assistant.errors import AssistantError, UsageError
from code_assistant.tui.composer.external_editor import edited, editor_command


def editor(tmp_path: Path, code: str) -> list[str]:
    """An editor that is a few lines of Python; `path` is the file."""
    script = tmp_path / "editor.py"
    script.write_text(f"import pathlib, sys, os, stat\npath = pathlib.Path(sys.argv[1])\n{code}\n")
    return [sys.executable, str(script)]


def test_the_editor_is_the_one_that_was_set() -> None:
    assert editor_command({"VISUAL": "code --wait", "EDITOR": "vi"}) == ["code", "--wait"]
    assert editor_command({"VISUAL": " ", "EDITOR": "emacs -nw"}) == ["emacs", "-nw"]
    assert editor_command({}, lambda name: f"/bin/{name}") == ["/bin/vi"]
    assert editor_command({}, lambda name: "/bin/nano" if name == "nano" else None) == ["/bin/nano"]


@pytest.mark.parametrize("environ", [{}, {"EDITOR": "'unclosed"}])
def test_without_an_editor_that_is_told(environ: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        editor_command(environ, lambda _: None)


@pytest.mark.parametrize("text", ["hello", "", "ends\n", "é \x1b \r\n x", "\udc80"])
async def test_text_goes_there_and_back(tmp_path: Path, text: str) -> None:
    assert await edited(text, editor(tmp_path, "")) == text
    changed = await edited(text, editor(tmp_path, "path.write_bytes(b'new: ' + path.read_bytes())"))
    assert changed == f"new: {text}"


async def test_the_last_line_end_of_the_editor_is_not_the_persons(tmp_path: Path) -> None:
    command = editor(tmp_path, "path.write_text('a\\n')")
    assert await edited("x", command) == "a"
    assert await edited("x\n", command) == "a\n"


async def test_the_file_is_private_and_gone_afterwards(tmp_path: Path) -> None:
    note = tmp_path / "note"
    code = (
        f"modes = oct(stat.S_IMODE(path.stat().st_mode)), oct(stat.S_IMODE(path.parent.stat().st_mode))\n"
        f"path.with_suffix('.md~').write_text('copy')\n"
        f"pathlib.Path({str(note)!r}).write_text(' '.join([str(path), *modes]))"
    )
    await edited("x", editor(tmp_path, code))
    path, file_mode, folder_mode = note.read_text().split()
    assert (file_mode, folder_mode) == ("0o600", "0o700")
    assert not Path(path).parent.exists()


@pytest.mark.parametrize("code", ["sys.exit(1)", "path.unlink()"])
async def test_a_failing_editor_is_told(tmp_path: Path, code: str) -> None:
    with pytest.raises(AssistantError):
        await edited("x", editor(tmp_path, code))


async def test_a_missing_editor_is_told() -> None:
    with pytest.raises(AssistantError, match="no-such-editor"):
        await edited("x", ["/no-such-editor"])
