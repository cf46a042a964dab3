"""Check and use are the same object: a folder that becomes a link in between leads no tool outside."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from code_assistant.errors import AssistantError
from code_assistant.permissions.approver import Decision, PermissionRequest
from code_assistant.tools.delete_files import DeleteFiles
from code_assistant.tools.edit import Edit
from code_assistant.tools.execute_command import ExecuteCommand
from code_assistant.tools.glob_files import GlobFiles
from code_assistant.tools.list_files import ListFiles
from code_assistant.tools.read_files import ReadFiles
from code_assistant.tools.search_files import SearchFiles
from code_assistant.tools.tool import Tool
from code_assistant.tools.write_file import WriteFile
from code_assistant.workspace import changes, opening
from code_assistant.workspace.attachments import attachments_in
from code_assistant.workspace.completion_files import workspace_files
from code_assistant.workspace.ripgrep import find_ripgrep
from code_assistant.workspace.threads import StopFlag
from code_assistant.workspace.walk import Walk
from code_assistant.workspace.walked_folder import Entry, WalkedFolder
from code_assistant.workspace.workspace import ResolvedPath, Workspace
from tests.unit.tools.support import Bench, RecordingPerson

PIXEL = (
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDATx\x9cc\xf8\xff\xff?\0"
    b"\x05\xfe\x02\xfe\xa75\x81\x84\0\0\0\0IEND\xaeB`\x82"
)


def no_ripgrep(_: object) -> None:
    return None


SEARCHES = {"rg": SearchFiles(), "own search": SearchFiles(no_ripgrep)}
CALLS: dict[str, tuple[Tool[Any], dict[str, Any]]] = {
    "read_files": (ReadFiles(), {"paths": ["sub/deep/secret.txt"]}),
    "read_files, missing": (ReadFiles(), {"paths": ["sub/deep/secret.tx"]}),
    "list_files": (ListFiles(), {"path": "sub/deep"}),
    "glob_files": (GlobFiles(), {"pattern": "**/*", "path": "sub/deep"}),
    "edit": (Edit(), {"path": "sub/deep/secret.txt", "edits": [{"old_text": "secret", "new_text": "gone"}]}),
    "write_file": (WriteFile(), {"path": "sub/deep/new.txt", "content": "x"}),
    "write_file, new folders": (WriteFile(), {"path": "sub/deep/a/b/new.txt", "content": "x"}),
    "delete_files": (DeleteFiles(), {"paths": ["sub/deep/secret.txt"]}),
    "execute_command": (ExecuteCommand(), {"command": "cat secret.txt; touch evil", "cwd": "sub/deep"}),
}
for _name, _tool in SEARCHES.items():
    CALLS[f"{_name}, folder"] = (_tool, {"pattern": "secret", "path": "sub/deep"})
    CALLS[f"{_name}, file"] = (_tool, {"pattern": "secret", "path": "sub/deep/secret.txt"})
    CALLS[f"{_name}, slow pattern"] = (_tool, {"pattern": r"(s|se)*ecret(?: |$)", "path": "sub/deep"})
WALKS: dict[str, tuple[Tool[Any], dict[str, Any]]] = {
    "list_files": (ListFiles(), {"depth": 5}),
    "glob_files": (GlobFiles(), {"pattern": "**/*"}),
    "own search": (SearchFiles(no_ripgrep), {"pattern": "secret"}),
}


class KeepsInside(RecordingPerson):
    """Says yes, but not to what is outside by the words of the prompt."""

    async def decide(self, request: PermissionRequest) -> Decision:
        decision = await super().decide(request)
        return replace(decision, allowed="outside the workspace" not in request.action)


class Tree:
    """`sub/deep` inside, and outside a folder that looks the same but for what is in its files."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        bench.approver = KeepsInside()
        self.outside = bench.root.parent / "outside"
        (self.outside / "deep").mkdir()
        (self.outside / "deep" / "secret.txt").write_text("the secret outside\n")
        (self.outside / "deep" / "only-outside.txt").write_text("the secret outside\n")
        (self.outside / "deep" / "shot.png").write_bytes(PIXEL)
        bench.write("sub/deep/secret.txt", "a harmless secret\n")
        self.before = self.state()

    def swap(self) -> None:
        """Whoever works beside us puts a link in the place of the folder."""
        folder = self.bench.root / "sub"
        if not folder.is_symlink():
            folder.rename(self.bench.root.parent / "moved-away")
            folder.symlink_to(self.outside)

    def state(self) -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in self.outside.rglob("*") if path.is_file()}

    async def told_by(self, tool: Tool[Any], arguments: dict[str, Any]) -> str:
        try:
            return await self.bench.text(tool, **arguments)
        except AssistantError as error:
            return f"{error.model}\n{error.person}"

    def require_untouched(self, told: str = "") -> None:
        assert (self.bench.root / "sub").is_symlink(), "nothing was swapped, so nothing was tried"
        assert "the secret outside" not in told
        assert "only-outside" not in told
        assert self.state() == self.before


@pytest.fixture
def tree(running_bench: Bench) -> Tree:
    return Tree(running_bench)


@pytest.fixture(params=["openat2", "part by part"])
def each_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one step, and as on kernels that cannot do that."""
    if request.param == "part by part":
        monkeypatch.setattr(opening, "open_in_one_step", lambda path, flags: None)


def swap_after_resolving(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    resolve = Workspace.resolve

    def resolve_and_swap(workspace: Workspace, text: str) -> ResolvedPath:
        resolved = resolve(workspace, text)
        tree.swap()
        return resolved

    monkeypatch.setattr(Workspace, "resolve", resolve_and_swap)


def swap_after_listing(tree: Tree, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """As soon as a folder of that name was read."""
    entries = WalkedFolder.entries

    def list_and_swap(folder: WalkedFolder) -> list[Entry]:
        found = entries(folder)
        if Path(folder.path).name == name:
            tree.swap()
        return found

    monkeypatch.setattr(WalkedFolder, "entries", list_and_swap)


@pytest.mark.usefixtures("each_way")
async def test_safe_p2_a_folder_swapped_after_the_check_leads_no_tool_outside(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    if find_ripgrep() is None:
        pytest.skip("needs ripgrep")
    swap_after_resolving(tree, monkeypatch)
    folder = tree.bench.root / "sub"
    for name, (tool, arguments) in CALLS.items():
        told = await tree.told_by(tool, arguments)
        try:
            tree.require_untouched(told)
        except AssertionError as error:
            error.add_note(name)
            raise
        folder.unlink()
        (tree.bench.root.parent / "moved-away").rename(folder)


@pytest.mark.usefixtures("each_way")
@pytest.mark.parametrize("name", ["workspace", "sub"])
@pytest.mark.parametrize(("tool", "arguments"), WALKS.values(), ids=WALKS)
async def test_safe_p2_a_folder_swapped_during_a_walk_is_not_entered(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, name: str, tool: Tool[Any], arguments: dict[str, Any]
) -> None:
    tree.bench.write("zz.txt", "a secret after it\n")
    swap_after_listing(tree, monkeypatch, name)
    told = await tree.told_by(tool, arguments)
    assert "zz.txt" in told
    tree.require_untouched(told)


def test_safe_p2_a_folder_swapped_while_its_files_are_read_gives_none_of_the_others(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder was listed and is entered again after its own sub-folder."""
    tree.bench.write("sub/deep/below/x.txt", "x\n")
    swap_after_listing(tree, monkeypatch, "below")
    opened: list[str] = []
    for entry in Walk(StopFlag()).files(tree.bench.root):
        if entry.name == "secret.txt":
            with pytest.raises(OSError, match=r"symbolic links|Not a directory"):
                entry.opened()
            opened.append(entry.path)
    assert opened
    tree.require_untouched()


@pytest.mark.parametrize("name", ["workspace", "sub"])
def test_safe_p2_completion_offers_nothing_from_a_folder_that_was_swapped(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    swap_after_listing(tree, monkeypatch, name)
    tree.require_untouched("\n".join(workspace_files(Workspace(tree.bench.root))))


def test_safe_p2_a_mention_takes_no_image_from_a_folder_that_was_swapped(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.bench.write("sub/deep/shot.png", PIXEL)
    assert attachments_in("see @sub/deep/shot.png", Workspace(tree.bench.root)).images
    swap_after_resolving(tree, monkeypatch)
    assert not attachments_in("see @sub/deep/shot.png", Workspace(tree.bench.root)).images
    tree.require_untouched()


LYING_RIPGREP = """#!/bin/sh
printf './sub/deep/only-outside.txt\\0001:1:0:the secret outside\\n\\n./zz.txt\\0001:1:0:a secret\\n'
"""


@pytest.mark.parametrize("link", ["sub", "sub/deep/only-outside.txt"])
async def test_safe_p2_what_ripgrep_finds_through_a_link_is_dropped(tree: Tree, tmp_path: Path, link: str) -> None:
    """It goes by names: this one says what it would say had it met the folder before it was swapped back and forth."""
    program = tmp_path / "rg"
    program.write_text(LYING_RIPGREP)
    program.chmod(0o755)
    tree.bench.write("zz.txt", "a secret\n")
    if link == "sub":
        tree.swap()
    else:
        (tree.bench.root / link).symlink_to(tree.outside / "deep" / "only-outside.txt")
    told = await tree.bench.text(SearchFiles(lambda _: program), pattern="secret")
    assert "zz.txt" in told
    assert "outside" not in told


async def test_safe_p2_folders_made_for_a_file_that_fails_are_taken_back_where_they_were_made(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not by their names, which may lead to folders of others by then."""
    (tree.outside / "a" / "b").mkdir(parents=True)

    def swap_and_fail(*_: Any) -> None:
        tree.swap()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(changes, "create_file", swap_and_fail)
    told = await tree.told_by(WriteFile(), {"path": "sub/a/b/new.txt", "content": "x"})
    assert "No space left" in told
    tree.require_untouched(told)
    assert (tree.outside / "a" / "b").is_dir()
    assert not (tree.bench.root.parent / "moved-away" / "a").exists()
    shutil.rmtree(tree.outside / "a")


def opened_paths(open_it: Callable[[str, int], int], root: Path) -> list[str]:
    """Which of some paths can be opened."""
    names = ("real/a.txt", "real", "real/", "to-real/a.txt", "a-link", "real/../real/a.txt", "missing")
    found: list[str] = []
    for name in names:
        try:
            os.close(open_it(f"{root}/{name}", os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW))
        except OSError:
            continue
        found.append(name)
    return found


def test_safe_p2_both_ways_to_open_refuse_links_in_any_part(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.txt").write_text("a")
    (tmp_path / "to-real").symlink_to("real")
    (tmp_path / "a-link").symlink_to("real/a.txt")
    expected = ["real/a.txt", "real", "real/", "real/../real/a.txt"]
    root = tmp_path.resolve()
    assert opened_paths(opening.open_part_by_part, root) == expected
    assert opened_paths(opening.open_unlinked, root) == expected


@pytest.mark.parametrize("open_it", [opening.open_part_by_part, opening.open_unlinked])
def test_safe_p2_no_path_is_cut_at_a_nul(tmp_path: Path, open_it: Callable[[str, int], int]) -> None:
    (tmp_path / "a").write_text("a")
    with pytest.raises(ValueError, match="null"):
        open_it(f"{tmp_path.resolve()}/a\0b", os.O_RDONLY)
