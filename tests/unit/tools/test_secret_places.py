"""Tools in an opened home folder: what lies where keys are kept is read after a yes, and found by nobody before."""

from __future__ import annotations

import pytest

from code_assistant.errors import PermissionDenied, ToolError
from code_assistant.tools.glob_files import GlobFiles
from code_assistant.tools.list_files import ListFiles
from code_assistant.tools.read_files import ReadFiles
from code_assistant.tools.search_files import SearchFiles
from tests.unit.tools.support import Bench

SEARCHES = [SearchFiles(), SearchFiles(lambda _: None)]


@pytest.fixture
def home(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setenv("HOME", str(bench.root))
    bench.write(".ssh/id_rsa", "hush\n")
    bench.write(".config/gh/hosts.yml", "hush\n")
    bench.write("notes.txt", "hush, they said\n")
    return bench


async def test_safe_p1_nothing_secret_is_found_on_the_way(home: Bench) -> None:
    for tool in SEARCHES:
        assert await home.text(tool, pattern="hush", mode="files") == "notes.txt\n\n1 file."
        # An engine that may take long, so that it runs in a process of its own.
        assert await home.text(tool, pattern="(h|h)+ush", mode="files") == "notes.txt\n\n1 file."
    assert await home.text(GlobFiles(), pattern="**/*") == "notes.txt"
    listed = await home.text(ListFiles(), depth=3)
    assert "notes.txt" in listed
    assert not any(name in listed for name in (".ssh", "id_rsa", "hosts.yml"))
    # Of a name that is not there it is told where else one is.
    with pytest.raises(ToolError, match=r"\Ahosts\.yml does not exist\.\Z"):
        await home.text(ReadFiles(), paths=["hosts.yml"])
    assert home.approver.requests == []


async def test_safe_p1_named_directly_it_is_asked_about_and_then_there(home: Bench) -> None:
    assert "hush" in await home.text(ReadFiles(), paths=[".ssh/id_rsa"])
    for tool in SEARCHES:
        assert "id_rsa" in await home.text(tool, pattern="hush", path=".ssh")
        assert "hush" in await home.text(tool, pattern="hush", path=".ssh/id_rsa")
    assert "id_rsa" in await home.text(ListFiles(), path=".ssh")
    assert ".ssh/id_rsa" in await home.text(GlobFiles(), pattern="*", path=".ssh")
    assert len(home.approver.requests) == 7
    home.approver.allowed = False
    with pytest.raises(PermissionDenied):
        await home.text(ReadFiles(), paths=[".config/gh/hosts.yml"])
