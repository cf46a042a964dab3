"""Random turns of a main agent and two sub-agents, with others at work beside them, taken back in random order.

A plain model in memory says what must be there; the tools do the work, on a real folder.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from code_assistant.checkpoints.checkpoints import Checkpoints, NothingToUndo, Restoration
from code_assistant.checkpoints.restoring import UndoRefused
from code_assistant.errors import AssistantError
from code_assistant.events import MAIN
from code_assistant.tools.delete_files import DeleteFiles
from code_assistant.tools.edit import Edit
from code_assistant.tools.read_files import ReadFiles
from code_assistant.tools.services import ToolServices
from code_assistant.tools.tool import Tool, ToolContext
from code_assistant.tools.write_file import WriteFile
from code_assistant.workspace.ledger import FileLedger
from tests.surroundings import surroundings
from tests.unit.checkpoints.support import anywhere, everything
from tests.unit.workspace.changing import marks

NAMES = ("a", "b", "in/c", "in/deep/d", "new/e", "new/er/f")
START = {"a": (b"start\n", 0o600), "b": (b"x\r\nstart\r\n", 0o755), "in/c": (b"start\xff", 0o640)}
AGENTS = 3
# What a file is: its content and its mode; None where there is none.
State = tuple[bytes, int] | None

agents, names = st.integers(0, AGENTS - 1), st.sampled_from(NAMES)
steps = st.one_of(
    st.tuples(st.just("turn")),
    st.tuples(st.sampled_from(["write", "edit", "delete"]), agents, names),
    st.tuples(st.sampled_from(["write", "edit", "delete"]), agents, names),
    st.tuples(st.just("together"), st.permutations(NAMES)),
    st.tuples(st.sampled_from(["foreign write", "foreign delete", "foreign revert"]), names),
    st.tuples(st.just("undo")),
    st.tuples(st.just("rewind"), st.integers(1, 4)),
    st.tuples(st.just("restart")),
)


@dataclass
class ModelTurn:
    id: str
    tree: dict[str, object]
    before: dict[str, State] = field(default_factory=dict[str, State])
    after: dict[str, State] = field(default_factory=dict[str, State])
    is_alone: bool = True


class World:
    def __init__(self, folder: Path) -> None:
        self.work = folder / "work"
        self.kept = folder / "kept"
        self.work.mkdir()
        for name, (content, mode) in START.items():
            self.put(name, content)
            (self.work / name).chmod(mode)
        self.put("bystander", b"nobody's")
        self.checkpoints = Checkpoints(self.kept, is_inside=anywhere)
        self.services = surroundings(self.work, mode="yolo").services
        self.ledgers = [FileLedger() for _ in range(AGENTS)]
        self.turns: list[ModelTurn] = []
        self.count = 0
        self.begin()

    def put(self, name: str, content: bytes) -> None:
        (self.work / name).parent.mkdir(parents=True, exist_ok=True)
        (self.work / name).write_bytes(content)

    def begin(self) -> None:
        self.count += 1
        self.turns.append(ModelTurn(f"turn {self.count}", everything(self.work)))
        self.checkpoints.begin(self.turns[-1].id)

    def state(self, name: str) -> State:
        path = self.work / name
        return (path.read_bytes(), path.stat().st_mode & 0o7777) if path.exists() else None

    def files(self) -> dict[str, tuple[int, ...]]:
        return {str(path): marks(path) for path in self.work.rglob("*") if path.is_file()}

    async def step(self, step: tuple[Any, ...]) -> None:
        match step:
            case ("turn",):
                self.begin()
            case ("restart",):
                self.checkpoints = Checkpoints(self.kept, is_inside=anywhere, turns=[turn.id for turn in self.turns])
                self.begin()
            case ("together", order):
                await asyncio.gather(*(self.act("write", agent, order[agent]) for agent in range(AGENTS)))
            case (("write" | "edit" | "delete") as kind, agent, name):
                await self.act(kind, agent, name)
            case ("undo",):
                self.take_back(self.turns_with_changes()[-1:], lambda: self.checkpoints.undo())
                self.begin()
            case ("rewind", back):
                since = self.turns[-back:]
                first = since[0].id
                taken = [turn for turn in self.turns_with_changes() if turn in since]
                self.take_back(taken, lambda: self.checkpoints.rewind(first))
                self.begin()
            case (kind, name):
                self.interfere(kind, name)

    async def act(self, kind: str, agent: int, name: str) -> None:
        """A tool call of an agent; one that it is refused changes nothing."""
        self.count += 1
        text = f"agent {agent} start {self.count}\n"
        before = self.state(name)
        services = replace(self.services, ledger=self.ledgers[agent], checkpoints=self.checkpoints)
        try:
            if kind == "delete":
                await run(DeleteFiles(), services, paths=[name])
            elif kind == "edit":
                await run(Edit(), services, path=name, edits=[{"old_text": "start", "new_text": text}])
            else:
                if before is not None and self.count % 3:
                    await run(ReadFiles(), services, paths=[name])
                await run(WriteFile(), services, path=name, content=text)
        except AssistantError:
            assert self.state(name) == before
            return
        turn = self.turns[-1]
        turn.before.setdefault(name, before)
        turn.after[name] = self.state(name)

    def interfere(self, kind: str, name: str) -> None:
        """Somebody else changes a file."""
        path = self.work / name
        for turn in self.turns:
            turn.is_alone = False
        self.count += 1
        if kind == "foreign delete":
            path.unlink(missing_ok=True)
        elif kind == "foreign write":
            self.put(name, b"by the person %d" % self.count)
        else:
            reverted = next((turn.before[name] for turn in reversed(self.turns) if name in turn.before), None)
            if reverted is not None and path.exists():
                path.write_bytes(reverted[0])

    def turns_with_changes(self) -> list[ModelTurn]:
        return [turn for turn in self.turns if turn.before]

    def take_back(self, turns: list[ModelTurn], call: Any) -> None:
        target = {name: state for turn in reversed(turns) for name, state in turn.before.items()}
        after = {name: state for turn in turns for name, state in turn.after.items()}
        now = {name: self.state(name) for name in NAMES}
        blocked = {name for name in target if content(now[name]) not in (content(target[name]), content(after[name]))}
        tree, files = everything(self.work), self.files()
        try:
            restoration: Restoration = call()
        except NothingToUndo:
            assert not turns
            assert everything(self.work) == tree
        except UndoRefused as refused:
            assert {str(each.path.relative_to(self.work)) for each in refused.problems if each.path} == blocked
            assert blocked
            assert self.files() == files
            assert everything(self.work) == tree
        else:
            assert not blocked
            self.require_back(turns, target, now, files, restoration)

    def require_back(
        self,
        turns: list[ModelTurn],
        target: dict[str, State],
        now: dict[str, State],
        files: dict[str, tuple[int, ...]],
        restoration: Restoration,
    ) -> None:
        assert turns
        assert restoration.failed == restoration.left == ()
        assert {name: content(self.state(name)) for name in target} == {
            name: content(state) for name, state in target.items()
        }
        changed = {str(path) for path in restoration.changed}
        assert {str(self.work / name) for name in target if content(now[name]) != content(target[name])} <= changed
        assert changed <= {str(self.work / name) for name in target}
        # What was not put back was not touched, not even its time.
        untouched = {path: mark for path, mark in self.files().items() if path not in changed}
        assert untouched == {path: mark for path, mark in files.items() if path not in changed}
        if turns[0].is_alone:
            assert everything(self.work) == turns[0].tree
        for turn in turns:
            turn.before.clear()
            turn.after.clear()


def content(state: State) -> bytes | None:
    return None if state is None else state[0]


async def run(tool: Tool[Any], services: ToolServices, **arguments: object) -> None:
    context = ToolContext(MAIN, "call", services, lambda _: None)
    await tool.run(tool.Input.model_validate(arguments), context)


def live(todo: list[tuple[Any, ...]]) -> None:
    async def all_steps(world: World) -> None:
        for step in (*todo, ("undo",), ("rewind", 6), ("undo",)):
            await world.step(step)

    # Whether it has reached the disk is not asked here, and waiting for that takes most of the time.
    with tempfile.TemporaryDirectory() as folder, patch.object(os, "fsync", lambda _: None):
        asyncio.run(all_steps(World(Path(folder).resolve())))


@settings(max_examples=40, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(steps, min_size=6, max_size=25))
def test_safe_e5_taking_back_restores_byte_for_byte_and_touches_nothing_else(todo: list[tuple[Any, ...]]) -> None:
    live(todo)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@settings(max_examples=3_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(steps, min_size=1, max_size=60))
def test_soak_safe_e5_taking_back_restores_byte_for_byte_and_touches_nothing_else(
    todo: list[tuple[Any, ...]],
) -> None:
    live(todo)
