"""The composition root: builds settings, provider, session, agent and front end. The only file that sees everything."""

from __future__ import annotations

import asyncio
import io
import logging
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from code_assistant.agent.agent import Agent
from code_assistant.agent.budget import Budget, TokenLimits
from code_assistant.agent.executor import Executor
from code_assistant.agent.history import History
from code_assistant.agent.limits import Limits
from code_assistant.agent.memory import load_memory
from code_assistant.agent.news import News
from code_assistant.agent.session import Recorder, Session
from code_assistant.agent.system_prompt import read_environment, surroundings, system_prompt
from code_assistant.channel import Channel
from code_assistant.cli import Arguments
from code_assistant.config.credentials import Credentials
from code_assistant.config.load import LoadedSettings, load_settings
from code_assistant.config.paths import config_folder, home_folder, state_folder
from code_assistant.config.project_files import ProjectFiles, find_project_root
from code_assistant.config.settings import Settings
from code_assistant.debug_log import opened_log
from code_assistant.errors import AssistantError, CredentialError
from code_assistant.events import MAIN
from code_assistant.exit_codes import ExitCode
from code_assistant.headless.output import Output, OutputFailed, ReaderGone
from code_assistant.headless.piped import full_prompt
from code_assistant.headless.printer import JsonPrinter, Printer, StreamJsonPrinter, TextPrinter
from code_assistant.headless.run import run_headless
from code_assistant.headless.wire_format import SessionFacts, failure_line
from code_assistant.llm.anthropic.body import RequestOptions
from code_assistant.llm.anthropic.client import AnthropicFactory
from code_assistant.llm.anthropic.errors import KEY_HELP
from code_assistant.llm.anthropic.transport import Transport
from code_assistant.llm.catalogue import Catalogue, Model
from code_assistant.permissions.broker import Broker
from code_assistant.permissions.gate import Gate
from code_assistant.permissions.path_patterns import Anchors
from code_assistant.permissions.person import NobodyThere, Person
from code_assistant.permissions.rule_book import RuleBook
from code_assistant.secrets import Masker
from code_assistant.subagents.building import Building, with_spawning
from code_assistant.subagents.caller import Caller
from code_assistant.subagents.definition import builtin_definitions
from code_assistant.subagents.live import LiveAgents
from code_assistant.subagents.runner import LoopRunner
from code_assistant.subagents.spawn_agent import SpawnAgent
from code_assistant.tools.builtin import builtin_tools
from code_assistant.tools.registry import ToolRegistry
from code_assistant.tools.services import ToolServices
from code_assistant.tui.start import ModelChoice, OpenedSession
from code_assistant.workspace.commands.environment import command_environment
from code_assistant.workspace.commands.supervisor import Supervisor
from code_assistant.workspace.commands.table import Commands
from code_assistant.workspace.spill import SpillFolder
from code_assistant.workspace.workspace import Workspace

if TYPE_CHECKING:
    from code_assistant.tools.web_search import WebSearch

logger = logging.getLogger(__name__)

Recorders: TypeAlias = tuple[Recorder, ...]

STANDARD_INPUT = 0
YOLO_WARNING = "PERMISSION MODE YOLO: nothing is asked, everything runs."


def run_prompt(arguments: Arguments, environ: Mapping[str, str]) -> int:
    """Answer one prompt without a screen."""
    masker = Masker(Credentials.from_environ(environ).secrets())
    _quieten_libraries()
    # A terminal or pipe with a poorer encoding gets stand-ins instead of ending the program.
    cast("io.TextIOWrapper[Any]", sys.stdout).reconfigure(errors="replace")
    output = Output(sys.stdout, sys.stderr, masker, environ)
    try:
        prompt = full_prompt(arguments.prompt or "", STANDARD_INPUT, output.message)
        return asyncio.run(_answer(arguments, prompt, environ, output))
    except ReaderGone:
        _silence_output()
        return ExitCode.FAILED
    except OutputFailed:
        _silence_output()
        raise
    except AssistantError as error:
        if arguments.output_format != "text":
            output.json_line(failure_line(error))
        raise


def _quieten_libraries() -> None:
    """What is logged or warned of goes to the debug log or nowhere: the terminal gets only what was made safe."""
    logging.getLogger().addHandler(logging.NullHandler())
    logging.captureWarnings(True)


def _silence_output() -> None:
    """What is still in the buffer must not fail once more when the interpreter ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


async def _answer(arguments: Arguments, prompt: str, environ: Mapping[str, str], output: Output) -> int:
    channel = Channel()
    with opened_log(arguments.debug, environ, output.masker, output.message) as recorders:
        assembled = assemble(arguments, environ, channel, recorders=recorders)
        events = channel.subscribe("merged")
        for warning in (*assembled.warnings, *assembled.notices):
            assembled.session.notify("warning", warning)
        printer = _printer(arguments, output, assembled.facts)
        return await run_headless(assembled.session, events, prompt, printer)


async def open_for_screen(arguments: Arguments, environ: Mapping[str, str], recorders: Recorders) -> OpenedSession:
    """A session with a person in front of it. Building it takes long enough to be felt, so a thread does it."""
    channel = Channel()
    built = await asyncio.to_thread(
        lambda: assemble(arguments, environ, channel, is_person_there=True, recorders=recorders)
    )
    model = built.catalogue.find(built.facts.model)
    return OpenedSession(
        session=built.session,
        events=channel.subscribe("merged"),
        model=model.name,
        context_window=model.context_window,
        models=tuple(ModelChoice(each.name, _model_words(each)) for each in built.catalogue.models),
        notices=built.notices,
    )


def _model_words(model: Model) -> str:
    window = f"{model.context_window // 1000:,}k context"
    if not model.prices:
        return f"{window} · price unknown"
    return f"{window} · ${model.prices[0].input:g} in, ${model.prices[0].output:g} out per million tokens"


@dataclass(frozen=True, slots=True)
class Assembled:
    """A session ready to be entered, what front ends say about it, and what the person should know first.

    `warnings` are about the settings, which a front end may have read and warned of before.
    """

    session: Session
    facts: SessionFacts
    warnings: tuple[str, ...]
    notices: tuple[str, ...]
    catalogue: Catalogue


def assemble(
    arguments: Arguments,
    environ: Mapping[str, str],
    channel: Channel,
    *,
    is_person_there: bool = False,
    recorders: Recorders = (),
) -> Assembled:
    """Build everything for one session in a folder. Raises an AssistantError for what is missing or wrong."""
    project = ProjectFiles(find_project_root(arguments.folder))
    loaded = _settings(arguments, environ, project)
    settings = loaded.settings
    logger.debug("%s from %s", settings, loaded.sources)
    catalogue = Catalogue()
    model = catalogue.find(settings.model)
    clients = AnthropicFactory(_transport(settings, environ), _request_options(settings), catalogue)
    memory = load_memory(
        working_folder=arguments.folder,
        config_folder=config_folder(environ),
        project=project,
        max_bytes=settings.context.max_memory_bytes,
    )
    workspace = Workspace(arguments.folder, arguments.extra_folders, project.root)
    rules = RuleBook(Anchors(workspace.root, workspace.folders, home_folder(environ)), arguments.allow, arguments.deny)
    live = LiveAgents(channel.publish, SpillFolder.of_this_process(state_folder(environ) / "spill", _masker(environ)))
    broker = Broker(live.publish, rules) if is_person_there else None
    services = _services(arguments, environ, workspace, channel, rules, broker or NobodyThere())
    used_ids: set[str] = set()
    caller = _main_caller(settings, services, builtin_tools(_web_search(settings, environ)))
    building = Building(
        settings=settings.agents,
        definitions=builtin_definitions(),
        clients=clients,
        live=live,
        workspace=workspace,
        surroundings=lambda place, name: surroundings(read_environment(place, project, name), memory.text),
    )
    executor = Executor(MAIN, _spawning_tools(building, caller, used_ids), services)
    agent = Agent(
        origin=MAIN,
        client=clients.create(settings.model),
        system=system_prompt(read_environment(workspace, project, model.name), memory.text),
        executor=executor,
        publish=channel.publish,
        history=History(used_ids=used_ids),
        limits=Limits(settings.limits.max_turns or None),
        news=News(services),
        budget=caller.budget,
    )
    caller.bind(agent)
    session = Session(agent, channel, services, clients, broker, recorders, live)
    facts = SessionFacts(
        session_id=session.id,
        folder=str(workspace.root),
        model=model.name,
        permission_mode=arguments.permission_mode,
        # Their schemas are made for this, and so not while the first prompt waits for its answer.
        tools=tuple(each.name for each in executor.specifications),
        agents=tuple(building.definitions.all),
    )
    notices = (YOLO_WARNING,) if arguments.permission_mode == "yolo" else ()
    return Assembled(session, facts, loaded.warnings, (*notices, *memory.notices), catalogue)


def _main_caller(settings: Settings, services: ToolServices, tools: ToolRegistry) -> Caller:
    """The main agent as the one that spawns; its budget is the session's."""
    budget = Budget(TokenLimits(total=settings.session.max_tokens or None))
    return Caller(MAIN, tools, "main", services, budget, asyncio.Semaphore(settings.agents.max_parallel))


def _spawning_tools(building: Building, caller: Caller, used_ids: set[str]) -> ToolRegistry:
    runner = LoopRunner(used_ids, building.settings.file_reference_failure)
    return with_spawning(caller, lambda each: SpawnAgent(building, runner, each), building.settings.max_depth)


def _masker(environ: Mapping[str, str]) -> Masker:
    return Masker(Credentials.from_environ(environ).secrets())


def _services(
    arguments: Arguments,
    environ: Mapping[str, str],
    workspace: Workspace,
    channel: Channel,
    rules: RuleBook,
    person: Person,
) -> ToolServices:
    secrets = Credentials.from_environ(environ).secrets()
    masker = _masker(environ)
    spill = SpillFolder.of_this_process(state_folder(environ) / "spill", masker)
    own_folders = tuple(Path(os.path.realpath(each)) for each in (config_folder(environ), state_folder(environ)))
    gate = Gate(person, rules, arguments.permission_mode, readable=(spill.path,), own_folders=own_folders)
    supervisor = Supervisor(command_environment(environ, secrets))
    return ToolServices(workspace, gate, person, spill, channel.publish, Commands(supervisor), masker=masker)


def _web_search(settings: Settings, environ: Mapping[str, str]) -> WebSearch | None:
    key = Credentials.from_environ(environ).search_key
    if key is None:
        return None
    from code_assistant.tools.web_search import WebSearch

    return WebSearch(settings.web.search_url, key)


def _settings(arguments: Arguments, environ: Mapping[str, str], project: ProjectFiles) -> LoadedSettings:
    flags = {"model": arguments.model, "limits.max_turns": arguments.max_turns}
    return load_settings(environ=environ, project=project, config_folder=config_folder(environ), flags=flags)


def _request_options(settings: Settings) -> RequestOptions:
    return RequestOptions(settings.request.max_output_tokens, settings.request.thinking, settings.request.effort)


def _transport(settings: Settings, environ: Mapping[str, str]) -> Transport:
    anthropic = settings.anthropic
    key = Credentials.from_environ(environ).chosen
    if key is None and anthropic.platform == "api":
        raise CredentialError(f"There is no key for the model's service. {KEY_HELP}")
    timeout = settings.request.connect_timeout_s
    if anthropic.transport == "sdk":
        from code_assistant.llm.anthropic.sdk import SdkOptions, SdkTransport

        return SdkTransport(SdkOptions(anthropic.platform, anthropic.base_url, key, anthropic.auth, timeout))
    from code_assistant.llm.anthropic.wire import WireTransport
    from code_assistant.llm.stream import create_http_client

    return WireTransport(create_http_client(anthropic.base_url, timeout), anthropic.base_url, key or "", anthropic.auth)


def _printer(arguments: Arguments, output: Output, facts: SessionFacts) -> Printer:
    if arguments.output_format == "text":
        return TextPrinter(output)
    if arguments.output_format == "json":
        return JsonPrinter(output, facts)
    return StreamJsonPrinter(output, facts, partial=arguments.include_partial_messages)
