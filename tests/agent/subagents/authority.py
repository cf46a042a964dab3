"""Who may do what, worked out without a model: real callers and children, the requests that tools really make."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal, TypeAlias, cast

from code_assistant.agent.agent import Agent
from code_assistant.agent.budget import Budget, TokenLimits
from code_assistant.agent.executor import Executor, ToolRound
from code_assistant.config.settings import AgentSettings
from code_assistant.errors import ToolError
from code_assistant.events import MAIN, AgentMode
from code_assistant.llm.provider import ClientFactory
from code_assistant.messages import ToolCall
from code_assistant.permissions.access import ReadAccess
from code_assistant.permissions.approver import Decision, PermissionRequest
from code_assistant.permissions.gate import Gate
from code_assistant.permissions.path_patterns import Anchors
from code_assistant.permissions.rule_book import RuleBook
from code_assistant.sandbox_kind import SandboxKind
from code_assistant.secrets import Masker
from code_assistant.session.store import SessionStore
from code_assistant.subagents.building import Building, with_spawning
from code_assistant.subagents.caller import Caller
from code_assistant.subagents.definition import SELF, Definition, Definitions, builtin_definitions
from code_assistant.subagents.live import LiveAgents
from code_assistant.subagents.runner import AgentRunner
from code_assistant.subagents.spawn_agent import SpawnAgent
from code_assistant.subagents.spawn_input import SpawnInput
from code_assistant.tools.builtin import builtin_tools
from code_assistant.tools.registry import ToolRegistry
from code_assistant.tools.scopes import Scope
from code_assistant.tools.tool import Tool
from code_assistant.workspace.commands.sandbox.sandbox import Sandbox
from tests.surroundings import surroundings
from tests.unit.tools.support import RecordingPerson

Outcome: TypeAlias = Literal["not offered", "denied", "asked", "allowed"]
WIDTH: Mapping[Outcome, int] = {"not offered": 0, "denied": 0, "asked": 1, "allowed": 2}

REDIRECTS = (
    *("echo x > evil", "cat a.txt >> evil", ": >| evil", "ls 2> evil", "ls &> evil", "cat a.txt | tee evil"),
    *("bash -c 'echo x > evil'", "cp a.txt evil", "sed -i s/a/b/ a.txt", "dd if=a.txt of=evil", "touch evil"),
)
# Each tool by its name, and what it may be called with.
INPUTS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "read_files": [{"paths": ["a.txt"]}, {"paths": ["../outside.txt"]}],
    "list_files": [{}, {"path": ".."}],
    "glob_files": [{"pattern": "*"}],
    "search_files": [{"pattern": "a"}],
    "edit": [{"path": "a.txt", "edits": [{"old_text": "a", "new_text": "b"}]}],
    "write_file": [{"path": "evil", "content": "x"}, {"path": "../evil", "content": "x"}],
    "delete_files": [{"paths": ["a.txt"]}],
    "execute_command": [{"command": command} for command in REDIRECTS],
    "web_fetch": [{"url": "https://example.org/"}],
}
CHANGING = frozenset({"edit", "write_file", "delete_files", "execute_command"})
# These ask nobody; whether they are there is all there is.
SILENT = frozenset({"command_output", "stop_command", "todo", "ask_user", "present_plan", "spawn_agent"})
OF_THE_PERSON = frozenset({"todo", "ask_user", "present_plan"})

NARROW = Definition("narrow", "edits", "You edit.", "default", 5, frozenset({"read_files", "edit", "spawn_agent"}))
WITHOUT_COMMANDS = Definition("no-commands", "no commands", "Hm.", "default", 5, denied=frozenset({"execute_command"}))
SPAWNING = Definition("spawning", "spawns", "Spawn.", "default", 5, allow_spawn=True)
OWN_DEFINITIONS = (NARROW, WITHOUT_COMMANDS, SPAWNING)


class _Recorder(RecordingPerson):
    """Lets a tool look, so that it comes to what it wants to do, and keeps it from doing that."""

    async def decide(self, request: PermissionRequest) -> Decision:
        await super().decide(request)
        return Decision(isinstance(request.access, ReadAccess), "only recorded")


class _AskingGate(Gate):
    """Leaves everything to the person."""

    async def decide(self, request: PermissionRequest) -> Decision:
        return await self._approver.decide(request)


async def recorded_requests(folder: Path) -> dict[str, tuple[PermissionRequest, ...]]:
    """What each tool asks for, from the tools themselves: with a gate that leaves everything to the person."""
    (folder / "a.txt").write_text("a\n")
    requests: dict[str, tuple[PermissionRequest, ...]] = {}
    for name, inputs in INPUTS.items():
        person = _Recorder()
        services = surroundings(folder, person=person).services
        asking_gate = _AskingGate(person, RuleBook(Anchors(folder, (folder,), folder)))
        executor = Executor(MAIN, builtin_tools(), replace(services, gate=asking_gate))
        for number, each in enumerate(inputs):
            before = len(person.requests)
            await executor.run(ToolRound((ToolCall(f"c{number}", name, dict(each)),)))
            assert len(person.requests) > before, f"{name} asked for nothing with {each}"
        requests[name] = tuple(person.requests)
    return requests


@dataclass(frozen=True)
class Seat:
    """An agent as far as its authority goes: the tools it has, seen through its scope."""

    caller: Caller
    tools: ToolRegistry

    @property
    def scope(self) -> Scope:
        return self.caller.scope

    def has(self, tool_name: str) -> bool:
        try:
            self.tools.find(tool_name, self.scope)
        except ToolError:
            return False
        return True

    def outcomes(self, tool_name: str, requests: Sequence[PermissionRequest], gate: Gate) -> Iterator[Outcome]:
        """What becomes of each of these requests, made by this agent."""
        if not self.has(tool_name):
            for _ in range(max(len(requests), 1)):
                yield "not offered"
            return
        if not requests:
            yield "allowed"
        for request in requests:
            decision = gate.settled(replace(request, origin=self.caller.origin))
            yield "asked" if decision is None else ("allowed" if decision.allowed else "denied")


class Family:
    """A main agent and a way to build children, theirs too, as spawn_agent does it."""

    def __init__(self, folder: Path, clients: ClientFactory, kind: SandboxKind) -> None:
        files = SessionStore(folder / "sessions", Masker(())).new(folder, None)
        # Only its kind is looked at before a command runs.
        sandbox = cast(Sandbox, SimpleNamespace(kind=kind))
        services = replace(surroundings(folder).services, sandbox=sandbox)
        self.definitions = Definitions((*builtin_definitions().all.values(), *OWN_DEFINITIONS))
        self._clients = clients
        live = LiveAgents(lambda _: None, files)
        self._building = Building(
            AgentSettings(max_depth=4), self.definitions, clients, live, services.workspace, lambda *_: "Here."
        )
        caller = Caller(MAIN, builtin_tools(), "main", services, Budget(TokenLimits()), asyncio.Semaphore(4))
        self._bind(caller)
        self.main = Seat(caller, with_spawning(caller, self._spawn_tool, 4))

    @property
    def agents(self) -> tuple[str | None, ...]:
        """Everything that a child can be made from: each definition, a copy of its parent, nothing."""
        return (*self.definitions.all, SELF, None)

    def child_of(self, seat: Seat, agent: str | None, mode: AgentMode | None, allow_spawn: bool = False) -> Seat:
        arguments = SpawnInput(instructions="x", agent=agent, mode=mode, allow_spawn=allow_spawn)
        _, job = self._building.build(arguments, seat.caller, "call", self._spawn_tool)
        self._bind(job.caller)
        return Seat(job.caller, job.tools)

    def _bind(self, caller: Caller) -> None:
        model = self._clients.create("sonnet").model
        caller.bind(cast(Agent, SimpleNamespace(model=model, system="A parent.")))

    def _spawn_tool(self, caller: Caller) -> Tool[Any]:
        return SpawnAgent(self._building, cast(AgentRunner, None), caller)
