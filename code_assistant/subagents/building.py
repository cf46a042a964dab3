"""From what was asked to a sub-agent that can start: its authority, its prompt, its model, its limits."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from code_assistant.agent.budget import TokenLimits
from code_assistant.agent.limits import Limits
from code_assistant.config.settings import AgentSettings
from code_assistant.errors import AssistantError, WorkspaceError
from code_assistant.events import AgentMode, AgentSpawned
from code_assistant.llm.provider import ClientFactory, ModelClient
from code_assistant.llm.retry_policy import RetryPolicy
from code_assistant.subagents.caller import Caller
from code_assistant.subagents.child import Child
from code_assistant.subagents.definition import AD_HOC_TURNS, SELF, Definition, Definitions, prompt_text
from code_assistant.subagents.errors import SpawnError
from code_assistant.subagents.live import LiveAgents
from code_assistant.subagents.spawn_offer import SPAWN_TOOL
from code_assistant.tools.registry import OfferedTool, ToolRegistry
from code_assistant.tools.scopes import Scope
from code_assistant.tools.services import ToolServices
from code_assistant.workspace.commands.table import Commands
from code_assistant.workspace.ledger import FileLedger
from code_assistant.workspace.workspace import Workspace

if TYPE_CHECKING:
    from code_assistant.subagents.runner import Job
    from code_assistant.subagents.spawn_input import SpawnInput

SCOPES: dict[AgentMode, Scope] = {"read_only": "sub_agent_read_only", "default": "sub_agent_default"}
AD_HOC_NAME = "helper"
TURNS_OF_A_COPY = 60

Surroundings: TypeAlias = Callable[[Workspace, str], str]
MakeSpawnTool: TypeAlias = Callable[[Caller], OfferedTool]


@dataclass(frozen=True, slots=True)
class Building:
    """What all sub-agents of a session are built with. References in their answers count from `workspace`.

    `surroundings` tells of a workspace and the model in it.
    """

    settings: AgentSettings
    definitions: Definitions
    clients: ClientFactory
    live: LiveAgents
    workspace: Workspace
    surroundings: Surroundings
    retries: RetryPolicy = field(default_factory=RetryPolicy)

    def definition(self, arguments: SpawnInput) -> Definition | None:
        """What it is made from; None for an ad-hoc agent and for a copy of its parent."""
        return None if arguments.agent in (None, SELF) else self.definitions.find(arguments.agent)

    def build(
        self, arguments: SpawnInput, caller: Caller, tool_call_id: str, make_spawn_tool: MakeSpawnTool
    ) -> tuple[Child, Job]:
        """Nothing is registered yet. Raises SpawnError for what cannot be had."""
        # Not at the top: most sessions spawn nothing.
        from code_assistant.subagents.runner import Job

        definition = self.definition(arguments)
        _require_budget(caller)
        mode = effective_mode(arguments, definition, caller.scope)
        workspace = _workspace(arguments, caller.services.workspace)
        client = self._client(arguments, definition, caller)
        base = arguments.agent or AD_HOC_NAME
        origin = self.live.new_origin(caller.origin, tool_call_id, arguments.name, base)
        max_turns = _max_turns(arguments, definition)
        spawned = AgentSpawned(
            origin=origin,
            label=arguments.label,
            instructions=arguments.instructions,
            mode=mode,
            definition=arguments.agent,
            model=client.model.name,
            max_turns=max_turns,
            ignored=_ignored(arguments, mode),
        )
        child = self.live.new_child(spawned, caller.child, arguments.timeout_s)
        own = Caller(
            origin=origin,
            tools=_tools(caller, definition, mode),
            scope=SCOPES[mode],
            services=_services(caller.services, workspace, child, mode),
            budget=caller.budget.child(TokenLimits(arguments.max_input_tokens, arguments.max_output_tokens)),
            places=asyncio.Semaphore(self.settings.max_parallel),
            child=child,
        )
        may_spawn = _may_spawn(arguments, definition)
        job = Job(
            instructions=_instructions(arguments, self.workspace),
            client=client,
            system=self._system(arguments, definition, caller, workspace, client.model.name),
            tools=with_spawning(own, make_spawn_tool, self.settings.max_depth) if may_spawn else own.tools,
            caller=own,
            limits=Limits(max_turns, arguments.max_request_tokens),
            retries=_retries(arguments, self.retries),
            workspace=self.workspace if arguments.require_file_references else None,
        )
        return child, job

    def _client(self, arguments: SpawnInput, definition: Definition | None, caller: Caller) -> ModelClient:
        own = definition.model if definition is not None else None
        name = arguments.model or own or caller.agent.model.name
        try:
            client = self.clients.create(name)
        except Exception as error:
            words = error.person if isinstance(error, AssistantError) else f"{type(error).__name__}: {error}"
            raise SpawnError(
                "SPAWN_FAILED", f"The sub-agent's model could not be set up: {words}", retryable=True
            ) from error
        if arguments.provider not in (None, client.model.provider):
            raise SpawnError(
                "INVALID_INPUT", f"{name} is served by {client.model.provider!r}, not by {arguments.provider!r}."
            )
        return client

    def _system(
        self,
        arguments: SpawnInput,
        definition: Definition | None,
        caller: Caller,
        workspace: Workspace,
        model: str,
    ) -> str:
        if arguments.agent == SELF:
            parts = [caller.agent.system]
        else:
            parts = [*_role(arguments, definition), self.surroundings(workspace, model)]
        if arguments.context is not None:
            from code_assistant.subagents.results import defused

            told = defused(json.dumps(arguments.context, ensure_ascii=False, indent=2))
            parts.append(f"From the parent\n<from-parent>\n{told}\n</from-parent>")
        return "\n\n".join(parts)


def effective_mode(arguments: SpawnInput, definition: Definition | None, scope: Scope) -> AgentMode:
    """What it may do at most: never more than its definition, and never more than its parent."""
    if scope == "sub_agent_read_only" or arguments.mode == "read_only":
        return "read_only"
    if definition is not None:
        return definition.mode
    return arguments.mode or ("default" if arguments.agent == SELF else "read_only")


def with_spawning(caller: Caller, make_spawn_tool: MakeSpawnTool, max_depth: int) -> ToolRegistry:
    """The tools of an agent that may spawn, unless it is too deep for that."""
    depth = caller.origin.depth
    if depth < max_depth:
        return caller.tools.with_tool(make_spawn_tool(caller))
    refusal = SpawnError(
        "DEPTH_LIMIT_REACHED",
        f"You are at depth {depth}, and {max_depth} is the deepest there may be.",
        suggestion="Do the work yourself.",
    )
    return caller.tools.with_refusal(SPAWN_TOOL, refusal)


def _require_budget(caller: Caller) -> None:
    exhausted = caller.budget.exhausted()
    if exhausted is not None:
        raise SpawnError(
            "BUDGET_EXHAUSTED",
            f"The budget is used up: {exhausted.usage:,} {exhausted.kind} tokens of {exhausted.limit:,}.",
            suggestion="Answer with what you have.",
        )


def _workspace(arguments: SpawnInput, workspace: Workspace) -> Workspace:
    if arguments.cwd is None:
        return workspace
    try:
        resolved = workspace.resolve(arguments.cwd)
    except WorkspaceError as error:
        raise SpawnError("INVALID_INPUT", f"cwd: {error.person}") from error
    if not resolved.inside or not resolved.path.is_dir():
        raise SpawnError("INVALID_INPUT", f"cwd: {arguments.cwd!r} is no folder inside the workspace.")
    return workspace.moved_to(resolved.path)


def _tools(caller: Caller, definition: Definition | None, mode: AgentMode) -> ToolRegistry:
    tools = caller.tools.narrowed(definition.keeps) if definition is not None else caller.tools
    sandbox = caller.services.sandbox
    if mode != "read_only" or sandbox is None:
        return tools
    from code_assistant.tools.confined_commands import with_confined_commands

    return with_confined_commands(tools, sandbox.kind)


def _services(services: ToolServices, workspace: Workspace, child: Child, mode: AgentMode) -> ToolServices:
    """The session's, but for what is an agent's own."""
    return replace(
        services,
        workspace=workspace,
        publish=child.publish,
        commands=Commands(services.commands.supervisor),
        ledger=FileLedger(),
        is_read_only=services.is_read_only or mode == "read_only",
    )


def _max_turns(arguments: SpawnInput, definition: Definition | None) -> int:
    own = definition.max_turns if definition is not None else None
    return arguments.max_turns or own or (TURNS_OF_A_COPY if arguments.agent == SELF else AD_HOC_TURNS)


def _retries(arguments: SpawnInput, usual: RetryPolicy) -> RetryPolicy:
    times, delay = arguments.max_request_retries, arguments.request_retry_delay
    return replace(
        usual,
        attempts=usual.attempts if times is None else times + 1,
        first_delay=usual.first_delay if delay is None else delay / 1000,
    )


def _may_spawn(arguments: SpawnInput, definition: Definition | None) -> bool:
    """What a definition takes away no call gives back."""
    if definition is None:
        return arguments.allow_spawn
    return definition.allow_spawn or (arguments.allow_spawn and definition.keeps(SPAWN_TOOL))


def _ignored(arguments: SpawnInput, mode: AgentMode) -> tuple[str, ...]:
    identity = ("identity",) if arguments.identity is not None and arguments.agent is not None else ()
    return (*identity, *(("mode",) if arguments.mode not in (None, mode) else ()))


def _role(arguments: SpawnInput, definition: Definition | None) -> list[str]:
    if definition is not None:
        return [prompt_text("common"), definition.prompt]
    if arguments.identity is not None:
        return [arguments.identity]
    return [prompt_text("common"), prompt_text("helper")]


def _instructions(arguments: SpawnInput, workspace: Workspace) -> str:
    if not arguments.require_file_references:
        return arguments.instructions
    from code_assistant.subagents.references import REFERENCE_SUFFIX

    # Whoever reads the answer knows nothing of the folder it was worked in.
    where = "" if arguments.cwd is None else f"\nPaths in references count from {workspace.root}."
    return f"{arguments.instructions}{REFERENCE_SUFFIX}{where}"
