"""No read tool touches anything outside the workspace before it was allowed, however the path is written."""

from __future__ import annotations

from typing import Any

import pytest

from code_assistant.errors import PermissionDenied, ToolError, WorkspaceError
from code_assistant.tools.glob_files import GlobFiles
from code_assistant.tools.list_files import ListFiles
from code_assistant.tools.read_files import ReadFiles
from code_assistant.tools.search_files import SearchFiles
from code_assistant.tools.tool import Tool
from tests.unit.tools.support import Bench


def no_ripgrep(_: object) -> None:
    return None


FOLDER_TOOLS: list[tuple[Tool[Any], dict[str, object]]] = [
    (ListFiles(), {}),
    (GlobFiles(), {"pattern": "**/*"}),
    (SearchFiles(), {"pattern": "secret"}),
    (SearchFiles(no_ripgrep), {"pattern": "secret"}),
]
TOOL_NAMES = ["list_files", "glob_files", "search_files", "search_files without rg"]
folder_tools = pytest.mark.parametrize(("tool", "arguments"), FOLDER_TOOLS, ids=TOOL_NAMES)

OUTSIDE_FILES = [
    "../outside/secret.txt",
    "{outside}/secret.txt",
    "sub/../../outside/secret.txt",
    "link.txt",
    "to/secret.txt",
]
OUTSIDE_FOLDERS = ["../outside", "{outside}", "sub/../../outside", "to", "to/."]


@pytest.fixture
def linked(bench: Bench) -> Bench:
    (bench.root / "sub").mkdir()
    (bench.root / "to").symlink_to("../outside")
    (bench.root / "link.txt").symlink_to("../outside/secret.txt")
    return bench


def outside(bench: Bench, path: str = "") -> str:
    return str(bench.root.parent / "outside" / path).rstrip("/")


@pytest.mark.parametrize("path", OUTSIDE_FILES)
async def test_safe_p1_reading_outside_asks_with_the_real_path_and_reads_when_allowed(linked: Bench, path: str) -> None:
    text = await linked.text(ReadFiles(), paths=[path.format(outside=outside(linked))])
    assert "the secret" in text
    assert linked.approver.actions == [f"read {outside(linked, 'secret.txt')} outside the workspace"]


@pytest.mark.parametrize("path", OUTSIDE_FILES)
async def test_safe_p1_reading_outside_reads_nothing_when_denied(linked: Bench, path: str) -> None:
    linked.write("a.txt", "inside\n")
    linked.approver.allowed = False
    with pytest.raises(PermissionDenied) as caught:
        await linked.run(ReadFiles(), paths=["a.txt", path.format(outside=outside(linked))])
    assert "the secret" not in caught.value.model


@pytest.mark.parametrize("suffix", ["", ":1", ":1-2", "#L1-L2"])
async def test_safe_p4_a_link_to_the_outside_asks_with_and_without_a_range(linked: Bench, suffix: str) -> None:
    linked.approver.allowed = False
    with pytest.raises(PermissionDenied):
        await linked.run(ReadFiles(), paths=[f"link.txt{suffix}"])
    assert linked.approver.actions == [f"read {outside(linked, 'secret.txt')} outside the workspace"]


async def test_safe_p1_whether_a_file_exists_outside_cannot_be_told_without_permission(linked: Bench) -> None:
    linked.approver.allowed = False
    answers: set[str] = set()
    for name in ("secret.txt", "missing.txt", "secret.txt:9", "missing.txt:9"):
        with pytest.raises(PermissionDenied) as caught:
            await linked.run(ReadFiles(), paths=[f"../outside/{name}"])
        answers.add(caught.value.model.replace(name.partition(":")[0], "NAME"))
    assert len(answers) == 1
    assert len(linked.approver.actions) == 4


async def test_safe_p4_where_a_link_outside_leads_is_told_to_the_person_only(linked: Bench) -> None:
    outside = linked.root.parent / "outside"
    (outside / "pointer").symlink_to(outside / "secret.txt")
    linked.approver.allowed = False
    with pytest.raises(PermissionDenied) as caught:
        await linked.run(ReadFiles(), paths=["../outside/pointer"])
    assert "secret.txt" in caught.value.person
    assert "../outside/pointer" in caught.value.model
    assert "secret.txt" not in caught.value.model


async def test_safe_p1_a_missing_file_outside_suggests_no_neighbours(linked: Bench) -> None:
    with pytest.raises(ToolError) as caught:
        await linked.run(ReadFiles(), paths=["../outside/secret.tx"])
    assert "secret.txt" not in str(caught.value).replace("secret.tx ", "")


async def test_safe_p1_the_same_file_is_asked_for_once(linked: Bench) -> None:
    await linked.run(ReadFiles(), paths=["link.txt", "../outside/secret.txt:1", "to/secret.txt"])
    assert len(linked.approver.actions) == 1


async def test_safe_p1_home_is_outside(linked: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", outside(linked))
    assert "the secret" in await linked.text(ReadFiles(), paths=["~/secret.txt"])
    assert "secret.txt" in await linked.text(ListFiles(), path="~")
    assert linked.approver.actions == [
        f"read {outside(linked, 'secret.txt')} outside the workspace",
        f"list {outside(linked)} outside the workspace",
    ]


async def test_safe_p1_a_folder_whose_name_begins_alike_is_outside(bench: Bench) -> None:
    twin = bench.root.with_name(bench.root.name + "-twin")
    twin.mkdir()
    (twin / "a.txt").write_text("x\n")
    await bench.run(ReadFiles(), paths=[str(twin / "a.txt")])
    assert bench.approver.actions == [f"read {twin / 'a.txt'} outside the workspace"]


@folder_tools
@pytest.mark.parametrize("path", OUTSIDE_FOLDERS)
@pytest.mark.parametrize("allowed", [True, False])
async def test_safe_p1_folders_outside_ask(
    linked: Bench, tool: Tool[Any], arguments: dict[str, object], path: str, allowed: bool
) -> None:
    linked.approver.allowed = allowed
    path = path.format(outside=outside(linked))
    if allowed:
        assert "secret.txt" in await linked.text(tool, path=path, **arguments)
    else:
        with pytest.raises(PermissionDenied):
            await linked.run(tool, path=path, **arguments)
    (action,) = linked.approver.actions
    assert f" {outside(linked)} outside the workspace" in action


@folder_tools
async def test_safe_p1_results_never_come_through_links(
    linked: Bench, tool: Tool[Any], arguments: dict[str, object]
) -> None:
    linked.write("inside.txt", "a secret inside\n")
    text = await linked.text(tool, **arguments)
    assert "inside.txt" in text
    assert "the secret" not in text
    assert "to/secret.txt" not in text
    assert linked.approver.actions == []


@folder_tools
@pytest.mark.parametrize("path", ["a\0b", "", "x\udcff\ud800"])
async def test_safe_p1_what_is_no_path_is_refused(
    bench: Bench, tool: Tool[Any], arguments: dict[str, object], path: str
) -> None:
    with pytest.raises(WorkspaceError):
        await bench.run(tool, path=path, **arguments)
    with pytest.raises(ToolError):
        await bench.run(ReadFiles(), paths=[path])


@pytest.mark.parametrize("pattern", ["../*", "../outside/*", "sub/../../outside/**"])
async def test_safe_p1_a_pattern_does_not_lead_outside(linked: Bench, pattern: str) -> None:
    with pytest.raises(ToolError, match="may not hold"):
        await linked.run(GlobFiles(), pattern=pattern)


@pytest.mark.parametrize("glob", ["../outside/*", "/etc/*", "to/*", "../**"])
@pytest.mark.parametrize("tool", [SearchFiles(), SearchFiles(no_ripgrep)], ids=["rg", "without rg"])
async def test_safe_p1_a_glob_does_not_lead_outside(linked: Bench, tool: SearchFiles, glob: str) -> None:
    assert "the secret" not in await linked.text(tool, pattern="secret", glob=glob)
    assert linked.approver.actions == []


async def test_safe_p1_links_inside_the_workspace_are_no_reason_to_ask(bench: Bench) -> None:
    bench.write("real/a.txt", "inside\n")
    (bench.root / "alias").symlink_to("real")
    assert "real/a.txt (1 line)" in await bench.text(ReadFiles(), paths=["alias/a.txt"])
    assert "a.txt" in await bench.text(ListFiles(), path="alias")
    assert bench.approver.actions == []


async def test_safe_p1_a_loop_of_links_is_an_error(bench: Bench) -> None:
    (bench.root / "a").symlink_to("b")
    (bench.root / "b").symlink_to("a")
    with pytest.raises(ToolError):
        await bench.run(ReadFiles(), paths=["a"])
