"""Authority only narrows: every mode, definition, way to spawn and tool, and no child wider than its parent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from code_assistant.events import AgentMode, ToolFinished
from code_assistant.permissions.access import ReadAccess
from code_assistant.permissions.approver import PermissionRequest
from code_assistant.permissions.gate import Gate
from code_assistant.permissions.modes import PERMISSION_MODES, PermissionMode
from code_assistant.permissions.path_patterns import Anchors
from code_assistant.permissions.person import NobodyThere
from code_assistant.permissions.rule_book import RuleBook
from code_assistant.sandbox_kind import SandboxKind
from code_assistant.tools.builtin import builtin_tools
from tests.agent.providers import factory
from tests.agent.subagents.authority import (
    CHANGING,
    INPUTS,
    OF_THE_PERSON,
    REDIRECTS,
    SILENT,
    WIDTH,
    Family,
    Seat,
    recorded_requests,
)
from tests.agent.subagents.support import names_in, spawn, spawning
from tests.fakes.script import call, text, turn
from tests.fakes.server import ScriptedServer

SPAWN_MODES: tuple[AgentMode | None, ...] = (None, "read_only", "default")
RULES = ((), ("Bash", "Edit(**)", "Write(**)", "Read(//**)", "WebFetch"))
# Where the walls let a reader's commands write nothing, they may be offered.
SANDBOXES: tuple[SandboxKind, ...] = ("none", "landlock", "bubblewrap")


@dataclass(frozen=True)
class Row:
    """One child of one parent under one gate."""

    mode: PermissionMode
    parent: Seat
    child: Seat
    gate: Gate
    where: str


def parents(family: Family) -> Iterator[Seat]:
    """Of every scope, and with fewer tools than all."""
    yield family.main
    yield family.child_of(family.main, "general", "default", allow_spawn=True)
    yield family.child_of(family.main, "explore", None, allow_spawn=True)
    yield family.child_of(family.main, "narrow", "default", allow_spawn=True)
    worker = family.child_of(family.main, None, "default", allow_spawn=True)
    yield family.child_of(worker, "no-commands", "default", allow_spawn=True)


def rows(folder: Path, kind: SandboxKind) -> Iterator[Row]:
    family = Family(folder, factory("http://127.0.0.1:9"), kind)
    workspace = family.main.caller.services.workspace
    anchors = Anchors(workspace.root, workspace.folders, folder / "home")
    gates: list[tuple[PermissionMode, tuple[str, ...], Gate]] = [
        (mode, allow, Gate(NobodyThere(), RuleBook(anchors, allow), mode))
        for mode in PERMISSION_MODES
        for allow in RULES
    ]
    for parent in parents(family):
        assert parent.has("spawn_agent")
        for agent in family.agents:
            for spawn_mode in SPAWN_MODES:
                for allow_spawn in (False, True):
                    child = family.child_of(parent, agent, spawn_mode, allow_spawn)
                    for mode, allow, gate in gates:
                        where = f"{mode}, {parent.caller.origin.name} -> {agent}, {spawn_mode}, {allow_spawn}, {allow}"
                        yield Row(mode, parent, child, gate, where)


def test_every_tool_is_in_the_table() -> None:
    offered = {tool.name for tool in builtin_tools().offered("main")}
    assert offered == (INPUTS.keys() | SILENT) - {"spawn_agent"}


@pytest.mark.parametrize("kind", SANDBOXES)
async def test_safe_sub_no_child_is_wider_than_its_parent_and_no_reader_changes_anything(
    tmp_path: Path, kind: SandboxKind
) -> None:
    (tmp_path / "requests").mkdir()
    requests = await recorded_requests(tmp_path / "requests")
    tools = {**requests, **dict.fromkeys(SILENT, ())}
    count = 0
    seen: set[tuple[str, str]] = set()
    for row in rows(tmp_path, kind):
        for name, asked in tools.items():
            outcomes = require_narrower(row, name, asked)
            require_no_change(row, name, asked, kind)
            seen.update((row.mode, outcome) for outcome in outcomes)
            count += 1
    assert count > 20_000
    # The table is no use where everything is forbidden anyway.
    assert {mode for mode, outcome in seen if outcome == "allowed"} == set(PERMISSION_MODES)
    assert ("ask", "asked") in seen
    assert ("plan", "denied") in seen


def require_narrower(row: Row, name: str, asked: tuple[PermissionRequest, ...]) -> set[str]:
    """For each request, not only on the whole."""
    of_child = list(row.child.outcomes(name, asked, row.gate))
    of_parent = list(row.parent.outcomes(name, asked, row.gate))
    assert all(WIDTH[own] <= WIDTH[above] for own, above in zip(of_child, of_parent, strict=True)), (
        f"{name}: {row.where}"
    )
    return set(of_child)


def require_no_change(row: Row, name: str, asked: tuple[PermissionRequest, ...], kind: SandboxKind) -> None:
    """Looking comes before changing, and may be allowed; the change itself never is."""
    changes = [request for request in asked if not isinstance(request.access, ReadAccess)]
    outcomes = set(row.child.outcomes(name, changes, row.gate))
    is_reader = row.child.scope == "sub_agent_read_only"
    # By this the walls around its commands, and those of its own children, are chosen.
    assert row.child.caller.services.is_read_only == is_reader, row.where
    may_be_walled = name == "execute_command" and kind == "bubblewrap"
    if name in OF_THE_PERSON or (name in CHANGING and is_reader and not may_be_walled):
        assert outcomes == {"not offered"}, f"{name}: {row.where}"
    elif name in CHANGING and row.mode == "plan":
        assert outcomes <= {"not offered", "denied"}, f"{name}: {row.where}"


@pytest.mark.parametrize(
    ("mode", "spawn_mode"), [("yolo", "read_only"), ("accept-edits", "read_only"), ("plan", "default")]
)
async def test_safe_sub_no_redirect_writes_for_a_reader_or_in_plan_mode(
    server: ScriptedServer, tmp_path: Path, mode: str, spawn_mode: str
) -> None:
    """Through the loop, with rules that allow every command, and files on disk to tell."""
    (tmp_path / "a.txt").write_text("a\n")
    calls = [call("execute_command", {"command": command}) for command in REDIRECTS]
    calls += [call("execute_command", {"command": command, "background": True}) for command in REDIRECTS[:2]]
    calls += [call(name, dict(INPUTS[name][0])) for name in ("edit", "write_file", "delete_files")]
    server.script("work", [turn(*calls), turn(text("I could not."))])
    server.script_default([turn(spawn("work", mode=spawn_mode)), turn(text("ok"))])
    async with spawning(server, tmp_path, mode=mode, allow=["Bash", "Edit(**)"]) as harness:
        await harness.ask()
        inner = [each for each in harness.of(ToolFinished) if each.origin.depth == 2]
        assert len(inner) == len(calls)
        assert {each.status for each in inner} <= {"error", "denied"}
        assert names_in(tmp_path) == ["a.txt"]
        assert (tmp_path / "a.txt").read_text() == "a\n"
