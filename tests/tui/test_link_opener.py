"""Opening addresses: which program does it, and what it gets of ours."""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path

import pytest

from code_assistant.tui.link_opener import find_opener, open_address
from tests.hang_guard import HANG_GUARD

DISPLAY = {"DISPLAY": ":0"}
ADDRESS = "https://docs.example.org/tax"
TELL = """#!{python}
import json, os, sys
names = [os.path.realpath(f"/proc/self/fd/{{each}}") for each in range(3)]
facts = dict(arguments=sys.argv[1:], files=names, session=os.getsid(0), environ=dict(os.environ), folder=os.getcwd())
json.dump(facts, open({file!r}, "w"))
"""


def program(folder: Path, name: str, text: str = "#!/bin/sh\n") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(text)
    file.chmod(0o755)
    return file


def until_over() -> None:
    for thread in threading.enumerate():
        if thread.name == "link":
            thread.join(HANG_GUARD)
            assert not thread.is_alive()


@pytest.mark.parametrize(
    ("environ", "platform", "found"),
    [
        (DISPLAY, "linux", "xdg-open"),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", "xdg-open"),
        ({}, "linux", None),
        ({"WSL_DISTRO_NAME": "Debian"}, "linux", "wslview"),
        ({}, "darwin", "open"),
    ],
)
def test_only_programs_with_windows_are_used(
    tmp_path: Path, environ: dict[str, str], platform: str, found: str | None
) -> None:
    for name in ("xdg-open", "open", "wslview", "www-browser", "lynx"):
        program(tmp_path / "bin", name)
    wanted = None if found is None else str(tmp_path / "bin" / found)
    assert find_opener({**environ, "PATH": str(tmp_path / "bin")}, platform, [tmp_path / "shop"]) == wanted


def test_nothing_of_the_workspace_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = tmp_path / "shop"
    inside = program(shop / "bin", "xdg-open")
    (tmp_path / "linked").symlink_to(shop / "bin")
    (tmp_path / "single").mkdir()
    (tmp_path / "single" / "xdg-open").symlink_to(inside)
    monkeypatch.chdir(shop)
    hostile = [str(shop / "bin"), "bin", "", ".", str(tmp_path / "linked"), str(tmp_path / "single")]
    assert find_opener({**DISPLAY, "PATH": ":".join(hostile)}, "linux", [shop]) is None
    good = program(tmp_path / "bin", "xdg-open")
    assert find_opener({**DISPLAY, "PATH": ":".join([*hostile, str(good.parent)])}, "linux", [shop]) == str(good)


def test_it_gets_the_address_and_nothing_of_our_terminal_or_our_keys(tmp_path: Path) -> None:
    told = tmp_path / "told.json"
    opener = program(tmp_path / "bin", "xdg-open", TELL.format(python=sys.executable, file=str(told)))
    shop = tmp_path / "shop"
    path = f"{shop}/bin:.:{opener.parent}"
    environ = {**DISPLAY, "PATH": path, "HOME": str(tmp_path), "ANTHROPIC_API_KEY": "secret", "BROWSER": "lynx"}
    failures: list[bool] = []
    open_address(str(opener), ADDRESS, environ, [shop], lambda: failures.append(True))
    until_over()
    facts = json.loads(told.read_text())
    assert facts["arguments"] == [ADDRESS]
    assert facts["files"] == ["/dev/null"] * 3
    assert facts["session"] != os.getsid(0)
    assert facts["folder"] == "/"
    passed = facts["environ"]
    assert (passed["DISPLAY"], passed["PATH"]) == (":0", str(opener.parent))
    assert not {"ANTHROPIC_API_KEY", "BROWSER"} & set(passed)
    assert failures == []


@pytest.mark.parametrize("text", ["#!/bin/sh\nexit 3\n", "#!/nowhere\n"])
def test_one_that_fails_is_told(tmp_path: Path, text: str) -> None:
    opener = program(tmp_path / "bin", "xdg-open", text)
    failures: list[bool] = []
    open_address(str(opener), ADDRESS, {"PATH": "/usr/bin:/bin"}, [], lambda: failures.append(True))
    until_over()
    assert failures == [True]
