"""The composition root: how the parts of a session are put together, whatever front end stands before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from code_assistant.agent.agent import Agent
from code_assistant.agent.executor import Executor
from code_assistant.agent.memory import Memory, load_memory
from code_assistant.agent.memory_guard import MemoryGuard
from code_assistant.agent.rule_keeping import RuleKeeping
from code_assistant.agent.session import Recorder, Session
from code_assistant.agent.system_prompt import read_environment, surroundings, system_prompt
from code_assistant.config.forms import folder_list
from code_assistant.config.kept_rules import KeptRules
from code_assistant.config.paths import config_folder, home_folder
from code_assistant.headless.wire_format import SessionFacts
from code_assistant.llm.catalogue import Catalogue
from code_assistant.llm.providers import Providers
from code_assistant.llm.retry_policy import RetryPolicy
from code_assistant.main_agent import main_agent
from code_assistant.model_access import Models, reach_models
from code_assistant.permissions.broker import Broker
from code_assistant.permissions.modes import YOLO_WARNING
from code_assistant.permissions.person import NobodyThere
from code_assistant.resuming.keeper import FileKeeper
from code_assistant.rule_layers import rule_book
from code_assistant.secrets import Masker
from code_assistant.session.files import SessionFiles
from code_assistant.session.recorder import SessionRecorder
from code_assistant.session_choice import session_store
from code_assistant.session_plan import SessionPlan
from code_assistant.session_services import session_services
from code_assistant.subagents.building import Building
from code_assistant.subagents.definition import builtin_definitions
from code_assistant.subagents.live import LiveAgents
from code_assistant.tools.services import ToolServices
from code_assistant.workspace.workspace import Workspace

Recorders: TypeAlias = tuple[Recorder, ...]

NO_SANDBOX_WARNING = "NO SANDBOX, as you wished: commands of agents can do all that you can."


@dataclass(frozen=True, slots=True)
class Assembled:
    """A session ready to be entered, what front ends say about it, and what the person should know first.

    `warnings` are about the settings, which a front end may have read and warned of before. `learn_key` takes a key
    that is entered while the session runs.
    """

    session: Session
    facts: SessionFacts
    warnings: tuple[str, ...]
    notices: tuple[str, ...]
    catalogue: Catalogue
    has_makeshift_model: bool
    learn_key: Callable[[str, str], None]


def assemble(plan: SessionPlan, recorders: Recorders = ()) -> Assembled:
    """Build everything for one session in a folder. Raises an AssistantError for what is missing or wrong.

    Of a folder that is not trusted nothing is read but what forbids more.
    """
    models = reach_models(plan)
    writable = folder_list(plan.settings.sandbox.writable, home_folder(plan.environ))
    workspace = Workspace(plan.arguments.folder, plan.arguments.extra_folders, plan.project.root, writable)
    rules, of_rules = rule_book(plan.arguments, plan.environ, plan.trust, workspace)
    files = _files(plan)
    live = LiveAgents(plan.channel.publish, files)
    broker = Broker(live.publish, rules) if plan.is_person_there else None
    services = session_services(plan, workspace, rules, broker or NobodyThere(plan.trust.is_trusted), files)
    memory = _memory(plan, services)
    building = _building(plan, models, memory, workspace, live)
    system = system_prompt(read_environment(workspace, plan.project, models.first.model.name), memory.text)
    agent, executor = main_agent(plan, services, building, models.first, system)
    session = Session(
        agent,
        plan.channel,
        services,
        models.clients,
        broker,
        (*recorders, SessionRecorder(files, has_begun=plan.reopened is not None).record),
        live,
        id=files.header.id,
        keeper=FileKeeper(files),
        rule_keeping=RuleKeeping(rules, KeptRules(config_folder(plan.environ)), workspace.root),
    )
    return Assembled(
        session=session,
        facts=_facts(plan, session, workspace, agent, executor, building),
        warnings=plan.loaded.warnings,
        notices=(*_loud(plan), *of_rules, *models.notices, *memory.notices, *_of_past(plan)),
        catalogue=models.providers.catalogue,
        has_makeshift_model=models.is_makeshift,
        learn_key=partial(_learn_key, files.masker, models.providers),
    )


def _memory(plan: SessionPlan, services: ToolServices) -> Memory:
    guard = MemoryGuard(services.gate, services.workspace, config_folder(plan.environ), services.masker)
    return load_memory(guard, plan.project, plan.settings.context.max_memory_bytes)


def _files(plan: SessionPlan) -> SessionFiles:
    if plan.reopened is not None:
        files = plan.reopened.files
    else:
        store = session_store(plan.environ, Masker(plan.credentials.secrets()))
        files = store.new(plan.arguments.folder, plan.project.branch())
    files.tell = plan.warn
    return files


def _building(plan: SessionPlan, models: Models, memory: Memory, workspace: Workspace, live: LiveAgents) -> Building:
    request = plan.settings.request
    return Building(
        settings=plan.settings.agents,
        definitions=builtin_definitions(),
        clients=models.clients,
        live=live,
        workspace=workspace,
        surroundings=lambda place, name: surroundings(read_environment(place, plan.project, name), memory.text),
        retries=RetryPolicy(request.max_retries + 1, request.retry_delay_ms / 1000),
    )


def _facts(
    plan: SessionPlan, session: Session, workspace: Workspace, agent: Agent, executor: Executor, building: Building
) -> SessionFacts:
    return SessionFacts(
        session_id=session.id,
        folder=str(workspace.root),
        model=agent.model.name,
        permission_mode=plan.arguments.permission_mode,
        # Their schemas are made for this, and so not while the first prompt waits for its answer.
        tools=tuple(each.name for each in executor.specifications),
        agents=tuple(building.definitions.all),
    )


def _loud(plan: SessionPlan) -> Iterator[str]:
    """What the person must not overlook comes before everything else."""
    if plan.arguments.permission_mode == "yolo":
        yield YOLO_WARNING
    if not plan.wants_sandbox:
        yield NO_SANDBOX_WARNING


def _of_past(plan: SessionPlan) -> tuple[str, ...]:
    return plan.reopened.notices if plan.reopened is not None else ()


def _learn_key(masker: Masker, providers: Providers, variable: str, key: str) -> None:
    masker.add(key)
    providers.learn_key(variable, key)
