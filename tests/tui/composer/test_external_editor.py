"""Writing in the person's own editor."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from code_assistant.errors import AssistantError, UsageError
from code_assistant.secrets import Masker
from code_assistant.tui.composer.external_editor import edited, editor_command, editor_environment


def editor(tmp_path: Path, code: str) -> list[str]:
    """An editor that is a few lines of Python; `path` is the file."""
    script = tmp_path / "editor.py"
    script.write_text(f"import pathlib, sys, os, stat\npath = pathlib.Path(sys.argv[1])\n{code}\n")
    return [sys.executable, str(script)]


def program(folder: Path, name: str, target: Path | None = None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    if target is not None:
        file.symlink_to(target)
        return file
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    return file


def test_the_editor_is_the_one_that_was_set() -> None:
    assert editor_command({"VISUAL": "code --wait", "EDITOR": "vi"}) == ["code", "--wait"]
    assert editor_command({"VISUAL": " ", "EDITOR": "emacs -nw"}) == ["emacs", "-nw"]


def test_without_one_that_was_set_it_is_one_of_the_usual_ones(tmp_path: Path) -> None:
    nano = program(tmp_path, "nano")
    environ = {"PATH": str(tmp_path)}
    assert editor_command(environ) == [str(nano)]
    vi = program(tmp_path, "vi")
    assert editor_command(environ) == [str(vi)]


@pytest.mark.parametrize("environ", [{}, {"EDITOR": "'unclosed"}])
def test_without_an_editor_that_is_told(environ: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        editor_command(environ)


def test_safe_b4_no_editor_is_taken_from_where_others_could_have_put_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop, cache = tmp_path / "shop", tmp_path / "cache"
    untrusted = (shop, cache)
    for name in ("vi", "pen"):
        program(cache, name)
        program(tmp_path / "linked", name, target=program(shop / "bin", name))
    monkeypatch.chdir(shop)
    hostile = ["", ".", "bin", str(shop / "bin"), str(cache), str(tmp_path / "linked")]
    with pytest.raises(UsageError):
        editor_command({"PATH": ":".join(hostile)}, untrusted)
    good = [program(tmp_path / "good", name) for name in ("vi", "pen")]
    path = ":".join([*hostile, str(tmp_path / "good")])
    assert editor_command({"PATH": path}, untrusted) == [str(good[0])]
    assert editor_command({"PATH": path, "EDITOR": "pen -w"}, untrusted) == [str(good[1]), "-w"]
    # What the person chose, and is nowhere else, is left to them.
    assert editor_command({"PATH": str(cache), "EDITOR": "pen"}, untrusted) == ["pen"]
    assert editor_command({"PATH": path, "EDITOR": f"{shop}/bin/pen"}, untrusted) == [f"{shop}/bin/pen"]


async def test_safe_k1_an_editor_gets_everything_but_keys(tmp_path: Path) -> None:
    others = {"PATH": "/usr/bin:/bin", "DISPLAY": ":0", "LANG": "C.UTF-8"}
    keys = {"OPENAI_API_KEY": "short", "PROXY": "http://me:sk-hush-0815@proxy", "ANTHROPIC_API_KEY": "sk-hush-0815"}
    environ = editor_environment(
        {**others, **keys}, ("ANTHROPIC_API_KEY", "OPENAI_API_KEY"), Masker(("sk-hush-0815", "short"))
    )
    assert environ == others
    told = tmp_path / "told"
    await edited("x", editor(tmp_path, f"pathlib.Path({str(told)!r}).write_text(repr(dict(os.environ)))"), environ)
    assert "sk-hush-0815" not in told.read_text()
    assert "'DISPLAY': ':0'" in told.read_text()


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
