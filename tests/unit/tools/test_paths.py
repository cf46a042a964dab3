"""One table of paths for every tool that takes one: what is outside is asked for before anything touches it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from code_assistant.agent.executor import Executor, ToolRound
from code_assistant.events import MAIN, Event, ToolFinished
from code_assistant.messages import Text, ToolCall
from code_assistant.permissions.access import CommandAccess, EditAccess, Place, ReadAccess
from code_assistant.permissions.approver import Decision, PermissionRequest
from code_assistant.tools.builtin import builtin_tools
from code_assistant.tools.search_files import SearchFiles
from code_assistant.workspace import opening
from code_assistant.workspace.attachments import attachments_in
from code_assistant.workspace.workspace import Workspace
from tests.surroundings import surroundings
from tests.unit.tools.path_cases import CASES, INSIDE, SECRET, Where, build, filled
from tests.unit.tools.support import RecordingPerson

CALLS: dict[str, Callable[[str], dict[str, Any]]] = {
    "read_files": lambda path: {"paths": [path]},
    "list_files": lambda path: {"path": path},
    "glob_files": lambda path: {"path": path, "pattern": "**/*"},
    "search_files": lambda path: {"path": path, "pattern": "e"},
    "edit": lambda path: {"path": path, "edits": [{"old_text": "e", "new_text": "E", "replace_all": True}]},
    "write_file": lambda path: {"path": path, "content": "overwritten"},
    "delete_files": lambda path: {"paths": [path]},
    "execute_command": lambda path: {"command": "touch evil", "cwd": path},
}
# A link is deleted and not what it leads to; a path that ends in no name is refused.
LINKS_THEMSELVES = {
    *("out-file", "out-dir", "parent", "root", "dangling-out", "dangling-far", "evil-twin", "to-null", "to-home"),
    "sub/up-twice",
}
NO_NAMES = ("/", "/.", "/..")


class Person(RecordingPerson):
    """Says no to everything, and notes what had been opened when it was asked."""

    def __init__(self) -> None:
        super().__init__(allowed=False)
        self.opened: list[str] = []
        self.opened_before: list[str] = []

    async def decide(self, request: PermissionRequest) -> Decision:
        self.opened_before += self.opened
        return await super().decide(request)


class Table:
    """The tree, an executor over all tools with the real gate, and what one call of it led to."""

    def __init__(self, tmp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HOME", str(tmp / "home"))
        self.tmp = tmp
        self.places = build(tmp)
        self.person = Person()
        self.events: list[Event] = []
        services = surroundings(tmp / "ws", self.events.append, person=self.person).services
        tools = builtin_tools().narrowed(lambda name: name != "search_files")
        self.executor = Executor(MAIN, tools.with_tool(SearchFiles(lambda _: None)), services)
        self._watch(monkeypatch)

    def _watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        real = opening.open_in_one_step

        def watched(path: str, flags: int) -> int | None:
            self.person.opened.append(path)
            return real(path, flags)

        # All that is opened by a resolved path comes this way first.
        monkeypatch.setattr(opening, "open_in_one_step", watched)

    async def call(self, tool: str, written: str) -> tuple[str, str]:
        """How it ended, and what the model was told."""
        self.person.requests.clear()
        self.person.opened.clear()
        self.person.opened_before.clear()
        self.events.clear()
        tool_round = ToolRound((ToolCall("c1", tool, CALLS[tool](filled(written, self.places))),))
        await self.executor.run(tool_round)
        (finished,) = [event for event in self.events if isinstance(event, ToolFinished)]
        (result,) = tool_round.results()
        return finished.status, "\n".join(part.text for part in result.content if isinstance(part, Text))

    def asked_places(self) -> Iterator[Place]:
        for request in self.person.requests:
            match request.access:
                case ReadAccess(place):
                    yield place
                case EditAccess(places):
                    yield from places
                case CommandAccess():
                    pass
                case other:
                    pytest.fail(f"asked for {other}")

    def state(self) -> dict[str, object]:
        found: dict[str, object] = {}
        for folder, folders, files in os.walk(self.tmp):
            for name in (*folders, *files):
                path = f"{folder}/{name}"
                status = os.lstat(path)
                found[path] = (status.st_mode, status.st_ino, status.st_mtime_ns)
        return found


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    return Table(Path(os.path.realpath(tmp_path)), monkeypatch)


def expected(tool: str, written: str, where: Where) -> Where:
    if tool != "delete_files":
        return where
    if written in LINKS_THEMSELVES:
        return "in"
    return "no path" if f"/{written}".endswith(NO_NAMES) else where


def require(table: Table, where: Where, status: str, told: str) -> None:
    asked = list(table.asked_places())
    if where == "no path":
        assert (status, table.person.requests) == ("error", [])
    elif where == "in":
        assert all(place.folder is not None for place in asked), "asked for something outside"
        assert not any(" outside the workspace" in action for action in table.person.actions)
    else:
        assert status == "denied"
        (request,) = table.person.requests
        assert asked[0].folder is None
        assert " outside the workspace" in request.action
        inside = str(table.tmp / "ws")
        assert [path for path in table.person.opened_before if not path.startswith(inside)] == []
    assert SECRET not in told


@pytest.mark.parametrize("tool", CALLS)
async def test_safe_p1_every_tool_asks_for_what_lies_outside_and_for_nothing_else(table: Table, tool: str) -> None:
    assert len(CASES) >= 100
    before = table.state()
    failures: list[Exception] = []
    for written, where in CASES.items():
        try:
            status, told = await table.call(tool, written)
            require(table, expected(tool, written, where), status, told)
        except (AssertionError, ValueError) as error:
            error.add_note(f"path: {written!r}")
            failures.append(error)
    if failures:
        raise ExceptionGroup(f"{len(failures)} of {len(CASES)} paths do not hold", failures)
    assert table.state() == before, "a no was given to every change"


async def test_safe_p1_what_is_allowed_is_what_the_kernel_reads(table: Table) -> None:
    """The answers agree with the kernel: a path is inside exactly when what is read through it is."""
    table.person.allowed = True
    seen = 0
    for written in CASES:
        text = kernel_reads(table.tmp / "ws", filled(written, table.places))
        if text in (INSIDE, SECRET):
            _, told = await table.call("read_files", written)
            assert text in told, written
            assert CASES[written] == ("in" if text == INSIDE else "out"), written
            seen += 1
    assert seen > 60


def kernel_reads(folder: Path, written: str) -> str | None:
    """The beginning of a small regular file, as anybody would open it."""
    try:
        path = folder / (Path(written).expanduser() if written.startswith("~/") else written)
        return path.read_text()[:100].strip() if path.is_file() and path.stat().st_size in range(1, 100) else None
    except (OSError, ValueError):
        return None


def test_safe_p1_a_mention_brings_no_image_from_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.unit.tools.test_swapped_folders import PIXEL

    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    places = build(tmp_path)
    for folder in ("ws", "ws/sub", "outside", "home", "ws-evil"):
        (tmp_path / folder / "shot.png").write_bytes(PIXEL)
    (tmp_path / "ws" / "link.png").symlink_to("../outside/shot.png")
    workspace = Workspace(tmp_path / "ws")
    inside = ("shot.png", "./shot.png", "in-dir/shot.png", "sub/up/shot.png", "{ws}/shot.png", "../ws/shot.png")
    outside = ("../outside/shot.png", "{outside}/shot.png", "out-dir/shot.png", "link.png", "~/shot.png")
    outside += ("../ws-evil/shot.png", "evil-twin/shot.png", "to-home/shot.png", "root/{outside}/shot.png")
    for path in inside:
        assert attachments_in(f"see @{filled(path, places)}", workspace).images, path
    for path in outside:
        assert not attachments_in(f"see @{filled(path, places)}", workspace).images, path


DENIED_LINKS = {
    "by its own name": ("./*.pem", "key.pem"),
    "through a link to its folder": ("./*.pem", "sub/up/key.pem"),
    "through two": ("./*.pem", "sub/up/sub/up/key.pem"),
    "by a folder that is a link": ("./alias/**", "sub/up/alias/x"),
    "with two slashes": ("key.pem", "//{ws}/key.pem"),
    "from its parent": ("./*.pem", "../ws/key.pem"),
    "from outside": ("./*.pem", "{outside}/way-in/key.pem"),
}
# What is deleted is the link itself, whatever may not be done with its target.
DENIED_TARGETS = {
    "by the name of what it leads to": ("./data/**", "key.pem"),
    "by a link in the middle of a chain": ("./middle/*", "first"),
}


@pytest.mark.parametrize("tool", ["read_files", "edit", "write_file", "delete_files", "search_files"])
async def test_safe_p4_a_denial_counts_for_every_name_on_the_way(tmp_path: Path, tool: str) -> None:
    workspace, outside = tmp_path / "ws", tmp_path / "outside"
    for folder in ("data", "sub", "middle"):
        (workspace / folder).mkdir(parents=True)
    outside.mkdir()
    (workspace / "data" / "x").write_text("denied\n")
    links = {"key.pem": "data/x", "sub/up": "..", "first": "middle/second", "middle/second": "../data/x"}
    for name, target in {**links, "alias": "data"}.items():
        (workspace / name).symlink_to(target)
    (outside / "way-in").symlink_to(workspace)
    places = {"ws": str(workspace), "outside": str(outside)}
    for name, (pattern, written) in {**DENIED_LINKS, **({} if tool == "delete_files" else DENIED_TARGETS)}.items():
        events: list[Event] = []
        person = RecordingPerson()
        services = surroundings(
            workspace, events.append, person=person, mode="yolo", deny=[f"Read({pattern})"]
        ).services
        tool_round = ToolRound((ToolCall("c1", tool, CALLS[tool](filled(written, places))),))
        await Executor(MAIN, builtin_tools(), services).run(tool_round)
        (finished,) = [event for event in events if isinstance(event, ToolFinished)]
        assert finished.status == "denied", f"{name}: {finished.display}"
        assert person.requests == []
    assert (workspace / "data" / "x").read_text() == "denied\n"
    assert (workspace / "key.pem").is_symlink()
