"""The composition root: builds settings, provider, session, agent and front end. The only file that sees everything."""

from __future__ import annotations

import asyncio
import gc
import io
import logging
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from code_assistant.agent.agent import Agent
from code_assistant.agent.budget import Budget, TokenLimits
from code_assistant.agent.executor import Executor
from code_assistant.agent.history import History
from code_assistant.agent.limits import Limits
from code_assistant.agent.memory import Memory, load_memory
from code_assistant.agent.news import News
from code_assistant.agent.rule_keeping import RuleKeeping
from code_assistant.agent.session import Recorder, Session
from code_assistant.agent.system_prompt import read_environment, surroundings, system_prompt
from code_assistant.channel import Channel
from code_assistant.checkpoints.checkpoints import Checkpoints
from code_assistant.cli import Arguments
from code_assistant.config.credentials import Credentials
from code_assistant.config.folder_trust import FolderTrust
from code_assistant.config.forms import folder_list
from code_assistant.config.kept_rules import KeptRules
from code_assistant.config.load import LoadedSettings, load_settings
from code_assistant.config.paths import config_folder, home_folder, state_folder
from code_assistant.config.project_files import ProjectFiles
from code_assistant.config.settings import Settings
from code_assistant.debug_log import opened_log, quieten_libraries
from code_assistant.errors import AssistantError, CredentialError, UsageError
from code_assistant.events import MAIN, Notice
from code_assistant.exit_codes import ExitCode
from code_assistant.headless.output import Output, OutputFailed, ReaderGone
from code_assistant.headless.piped import full_prompt
from code_assistant.headless.printer import JsonPrinter, Printer, StreamJsonPrinter, TextPrinter
from code_assistant.headless.run import run_headless
from code_assistant.headless.wire_format import SessionFacts, failure_line
from code_assistant.llm.catalogue import Catalogue
from code_assistant.llm.options import RequestOptions
from code_assistant.llm.patience import Patience
from code_assistant.llm.provider import ClientFactory, ModelClient
from code_assistant.llm.providers import Access, AnthropicAccess, Providers
from code_assistant.llm.retry_policy import RetryPolicy
from code_assistant.messages import Usage
from code_assistant.model_choice import OFFLINE, StartModel, key_of, load_catalogue, start_model
from code_assistant.permissions.broker import Broker
from code_assistant.permissions.gate import Gate
from code_assistant.permissions.person import NobodyThere, Person
from code_assistant.permissions.rule_book import RuleBook
from code_assistant.resuming.keeper import FileKeeper
from code_assistant.resuming.reopening import Reopened, reopen
from code_assistant.rule_layers import rule_book
from code_assistant.sandbox_kind import SandboxKind
from code_assistant.secrets import Masker
from code_assistant.session.files import SessionFiles
from code_assistant.session.recorder import SessionRecorder
from code_assistant.session_choice import session_store, wanted_session
from code_assistant.subagents.building import Building, with_spawning
from code_assistant.subagents.caller import Caller
from code_assistant.subagents.definition import builtin_definitions
from code_assistant.subagents.live import LiveAgents
from code_assistant.subagents.runner import LoopRunner
from code_assistant.subagents.spawn_agent import SpawnAgent
from code_assistant.tapes import Tape, opened_tape
from code_assistant.tools.builtin import builtin_tools
from code_assistant.tools.registry import ToolRegistry
from code_assistant.tools.services import ToolServices
from code_assistant.workspace.commands.environment import command_environment
from code_assistant.workspace.commands.sandbox.sandbox import Grounds, Sandbox
from code_assistant.workspace.commands.supervisor import Supervisor
from code_assistant.workspace.commands.table import Commands
from code_assistant.workspace.spill import SpillFolder
from code_assistant.workspace.workspace import Workspace

if TYPE_CHECKING:
    from code_assistant.tools.web_search import WebSearch

logger = logging.getLogger(__name__)

Recorders: TypeAlias = tuple[Recorder, ...]

STANDARD_INPUT = 0
NO_SANDBOX_WARNING = "NO SANDBOX, as you wished: commands of agents can do all that you can."
NO_SANDBOX_HERE = (
    "There is no sandbox here: commands of agents can do all that you can, so read each before you allow it. "
    "Install bubblewrap; `code-assistant doctor` says more."
)
YOLO_WARNING = "PERMISSION MODE YOLO: nothing is asked, everything runs."
UNTRUSTED = (
    "{0} is not trusted: reading and searching only, and nothing of its own counts. "
    "--trust trusts it for this run, code-assistant trust for good."
)
# What a run without a person has in a folder that nobody trusts.
READING_TOOLS = frozenset({"read_files", "list_files", "glob_files", "search_files", "todo"})


def run_prompt(arguments: Arguments, environ: Mapping[str, str]) -> int:
    """Answer one prompt without a screen."""
    masker = Masker(Credentials.from_environ(environ).secrets())
    quieten_libraries()
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


def _silence_output() -> None:
    """What is still in the buffer must not fail once more when the interpreter ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


async def _answer(arguments: Arguments, prompt: str, environ: Mapping[str, str], output: Output) -> int:
    channel = Channel()
    trust = FolderTrust(arguments.folder, environ, is_given=arguments.trust)
    if not trust.is_trusted:
        arguments = _untrusted(arguments, trust, output)
    with (
        opened_log(arguments.debug, environ, output.masker, output.message) as recorders,
        opened_tape(arguments.record, arguments.replay, output.masker) as tape,
    ):
        store = session_store(environ, output.masker)
        wanted = wanted_session(store, arguments.resume, arguments.folder, is_fork=arguments.fork)
        reopened = reopen(store, wanted) if wanted is not None else None
        assembled = assemble(arguments, environ, channel, trust, recorders=recorders, tape=tape, reopened=reopened)
        gc.enable()
        events = channel.subscribe("merged")
        for warning in (*assembled.warnings, *assembled.notices):
            assembled.session.notify("warning", warning)
        printer = _printer(arguments, output, assembled.facts)
        return await run_headless(assembled.session, events, prompt, printer)


def _untrusted(arguments: Arguments, trust: FolderTrust, output: Output) -> Arguments:
    """What is asked is denied then, in whatever mode it was started."""
    for words in (*trust.standing.reasons, UNTRUSTED.format(trust.root)):
        output.message(words)
    return replace(arguments, permission_mode="plan" if arguments.permission_mode == "plan" else "ask")


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


def assemble(
    arguments: Arguments,
    environ: Mapping[str, str],
    channel: Channel,
    trust: FolderTrust,
    *,
    is_person_there: bool = False,
    recorders: Recorders = (),
    tape: Tape | None = None,
    reopened: Reopened | None = None,
) -> Assembled:
    """Build everything for one session in a folder. Raises an AssistantError for what is missing or wrong.

    Of a folder that is not trusted nothing is read but what forbids more.
    """
    project = trust.project
    loaded = _settings(arguments, environ, project)
    settings = loaded.settings
    logger.debug("%s from %s", settings, loaded.sources)
    credentials = Credentials.from_environ(environ)
    past_model = reopened.model() if reopened is not None else None
    models = _models(
        arguments, environ, project, loaded, credentials, channel, tape, past_model, is_person_there=is_person_there
    )
    memory = _memory(arguments, environ, project, settings)
    writable = folder_list(settings.sandbox.writable, home_folder(environ))
    workspace = Workspace(arguments.folder, arguments.extra_folders, project.root, writable)
    rules, of_rules = rule_book(arguments, environ, trust, workspace)
    files = reopened.files if reopened is not None else _new_files(arguments, environ, project, credentials)
    files.tell = lambda words: channel.publish(Notice(MAIN, "warning", words))
    masker = files.masker
    live = LiveAgents(channel.publish, files)
    broker = Broker(live.publish, rules) if is_person_there else None
    services = _services(arguments, environ, credentials, workspace, channel, rules, broker or NobodyThere(), masker)
    services = replace(
        services,
        checkpoints=_checkpoints(environ, files, workspace, reopened),
        sandbox=_sandbox(arguments, environ, settings, workspace, channel),
        is_trusted=trust.is_trusted,
    )
    building = Building(
        settings=settings.agents,
        definitions=builtin_definitions(),
        clients=models.clients,
        live=live,
        workspace=workspace,
        surroundings=lambda place, name: surroundings(read_environment(place, project, name), memory.text),
        retries=_retries(settings),
    )
    system = system_prompt(read_environment(workspace, project, models.first.model.name), memory.text)
    tools = builtin_tools(_web_search(settings, credentials))
    if not (trust.is_trusted or is_person_there):
        tools = tools.narrowed(READING_TOOLS.__contains__)
    agent, executor = _main_agent(settings, tools, services, building, models.first, system, channel, reopened)
    recorder = SessionRecorder(files, has_begun=reopened is not None)
    all_recorders, keeper = (*recorders, recorder.record), FileKeeper(files)
    session = Session(
        agent,
        channel,
        services,
        models.clients,
        broker,
        all_recorders,
        live,
        id=files.header.id,
        keeper=keeper,
        rule_keeping=RuleKeeping(rules, KeptRules(config_folder(environ)), workspace.root),
    )
    loud = (
        *((YOLO_WARNING,) if arguments.permission_mode == "yolo" else ()),
        *((NO_SANDBOX_WARNING,) if not _wants_sandbox(arguments, settings) else ()),
    )

    def learn_key(variable: str, key: str) -> None:
        masker.add(key)
        models.providers.learn_key(variable, key)

    return Assembled(
        session=session,
        facts=_facts(arguments, session, workspace, agent, executor, building),
        warnings=loaded.warnings,
        notices=(
            *loud,
            *of_rules,
            *models.notices,
            *memory.notices,
            *(reopened.notices if reopened is not None else ()),
        ),
        catalogue=models.providers.catalogue,
        has_makeshift_model=models.is_makeshift,
        learn_key=learn_key,
    )


@dataclass(frozen=True, slots=True)
class _Models:
    """How models are reached: `clients` is where agents get theirs, `first` the one that the session begins with."""

    providers: Providers
    clients: ClientFactory
    first: ModelClient
    is_makeshift: bool
    notices: tuple[str, ...]


def _models(
    arguments: Arguments,
    environ: Mapping[str, str],
    project: ProjectFiles,
    loaded: LoadedSettings,
    credentials: Credentials,
    channel: Channel,
    tape: Tape | None,
    past_model: str | None,
    *,
    is_person_there: bool,
) -> _Models:
    catalogue, warnings = load_catalogue(environ, project)
    choice = start_model(loaded, catalogue, credentials, state_folder(environ), is_person_there=is_person_there)
    providers = Providers(catalogue, _access(loaded.settings, credentials))
    clients: ClientFactory = providers
    taped: tuple[str, ...] = ()
    if tape is not None:
        clients = tape.around(providers, catalogue, lambda words: channel.publish(Notice(MAIN, "warning", words)))
        taped = tape.notices
        if tape.model is not None and arguments.model is None:
            choice = StartModel(tape.model)
    if past_model is not None and arguments.model is None and _can_be_used(clients, past_model):
        choice = StartModel(past_model)
    choice, first, missing = _first_client(clients, choice, is_person_there=is_person_there)
    return _Models(providers, clients, first, choice.is_makeshift, (*taped, *missing, *warnings))


def _main_agent(
    settings: Settings,
    tools: ToolRegistry,
    services: ToolServices,
    building: Building,
    client: ModelClient,
    system: str,
    channel: Channel,
    reopened: Reopened | None,
) -> tuple[Agent, Executor]:
    history = _history(reopened)
    used = reopened.totals().usage if reopened is not None else Usage()
    caller = _main_caller(settings, services, tools, used)
    runner = LoopRunner(history.used_ids, settings.agents.file_reference_failure, settings.context.compact_at)
    executor = Executor(MAIN, _spawning_tools(building, caller, runner), services)
    agent = Agent(
        origin=MAIN,
        client=client,
        system=system,
        executor=executor,
        publish=channel.publish,
        history=history,
        limits=Limits(settings.limits.max_turns or None),
        news=News(services),
        budget=caller.budget,
        retries=building.retries,
        compact_at=settings.context.compact_at,
    )
    caller.bind(agent)
    return agent, executor


def _memory(arguments: Arguments, environ: Mapping[str, str], project: ProjectFiles, settings: Settings) -> Memory:
    return load_memory(
        working_folder=arguments.folder,
        config_folder=config_folder(environ),
        project=project,
        max_bytes=settings.context.max_memory_bytes,
    )


def _new_files(
    arguments: Arguments, environ: Mapping[str, str], project: ProjectFiles, credentials: Credentials
) -> SessionFiles:
    return session_store(environ, Masker(credentials.secrets())).new(arguments.folder, project.branch())


def _history(reopened: Reopened | None) -> History:
    return History() if reopened is None else History(reopened.messages(), reopened.used_ids())


def _can_be_used(clients: ClientFactory, model: str) -> bool:
    """Whether a session can go on with the model that it had: its key may be gone since."""
    try:
        clients.create(model)
    except (CredentialError, UsageError):
        return False
    return True


def _facts(
    arguments: Arguments,
    session: Session,
    workspace: Workspace,
    agent: Agent,
    executor: Executor,
    building: Building,
) -> SessionFacts:
    return SessionFacts(
        session_id=session.id,
        folder=str(workspace.root),
        model=agent.model.name,
        permission_mode=arguments.permission_mode,
        # Their schemas are made for this, and so not while the first prompt waits for its answer.
        tools=tuple(each.name for each in executor.specifications),
        agents=tuple(building.definitions.all),
    )


def _first_client(
    clients: ClientFactory, choice: StartModel, *, is_person_there: bool
) -> tuple[StartModel, ModelClient, tuple[str, ...]]:
    """The model to begin with, and what is to be said of it: without a key a person gets the one that needs none."""
    try:
        return choice, clients.create(choice.name), ()
    except (CredentialError, UsageError) as error:
        if not is_person_there:
            raise
        return StartModel(OFFLINE, is_makeshift=True), clients.create(OFFLINE), (error.person,)


def _main_caller(settings: Settings, services: ToolServices, tools: ToolRegistry, used: Usage) -> Caller:
    """The main agent as the one that spawns; its budget is the session's, of which a part may be used already."""
    budget = Budget(TokenLimits(total=settings.session.max_tokens or None))
    budget.add(used)
    return Caller(MAIN, tools, "main", services, budget, asyncio.Semaphore(settings.agents.max_parallel))


def _spawning_tools(building: Building, caller: Caller, runner: LoopRunner) -> ToolRegistry:
    return with_spawning(caller, lambda each: SpawnAgent(building, runner, each), building.settings.max_depth)


def _services(
    arguments: Arguments,
    environ: Mapping[str, str],
    credentials: Credentials,
    workspace: Workspace,
    channel: Channel,
    rules: RuleBook,
    person: Person,
    masker: Masker,
) -> ToolServices:
    spill = SpillFolder.of_this_process(state_folder(environ) / "spill", masker)
    own_folders = tuple(Path(os.path.realpath(each)) for each in (config_folder(environ), state_folder(environ)))
    gate = Gate(person, rules, arguments.permission_mode, readable=(spill.path,), own_folders=own_folders)
    supervisor = Supervisor(command_environment(environ, credentials.secrets()))
    return ToolServices(workspace, gate, person, spill, channel.publish, Commands(supervisor), masker=masker)


def _wants_sandbox(arguments: Arguments, settings: Settings) -> bool:
    return settings.sandbox.enabled and not arguments.no_sandbox


def _sandbox(
    arguments: Arguments, environ: Mapping[str, str], settings: Settings, workspace: Workspace, channel: Channel
) -> Sandbox:
    is_wanted, state = _wants_sandbox(arguments, settings), state_folder(environ)

    def tell(kind: SandboxKind) -> None:
        if kind == "none" and is_wanted:
            channel.publish(Notice(MAIN, "warning", NO_SANDBOX_HERE))

    grounds = Grounds(
        folders=workspace.folders,
        home=Path(os.path.realpath(home_folder(environ))),
        own_folders=(config_folder(environ), state),
        others=workspace.writable,
        has_network=settings.sandbox.network,
    )
    temporary = SpillFolder.of_this_process(state / "scratch", Masker(()))
    return Sandbox(grounds, temporary, state / "stand-ins", is_wanted=is_wanted, tell=tell)


def _checkpoints(
    environ: Mapping[str, str], files: SessionFiles, workspace: Workspace, reopened: Reopened | None
) -> Checkpoints:
    turns = reopened.past.all_prompts() if reopened is not None else ()
    return Checkpoints(
        files.folder.checkpoints,
        is_inside=workspace.contains,
        outermost=state_folder(environ),
        turns=turns,
        show=workspace.show,
    )


def _web_search(settings: Settings, credentials: Credentials) -> WebSearch | None:
    key = credentials.search_key
    if key is None:
        return None
    from code_assistant.tools.web_search import WebSearch

    return WebSearch(settings.web.search_url, key)


def _settings(arguments: Arguments, environ: Mapping[str, str], project: ProjectFiles) -> LoadedSettings:
    flags = {"model": arguments.model, "limits.max_turns": arguments.max_turns}
    return load_settings(environ=environ, project=project, config_folder=config_folder(environ), flags=flags)


def _retries(settings: Settings) -> RetryPolicy:
    return RetryPolicy(settings.request.max_retries + 1, settings.request.retry_delay_ms / 1000)


def _access(settings: Settings, credentials: Credentials) -> Access:
    request, anthropic = settings.request, settings.anthropic
    return Access(
        options=RequestOptions(request.max_output_tokens, request.thinking, request.effort),
        patience=Patience(request.first_byte_timeout_s, request.silence_timeout_s, request.content_timeout_s),
        connect_timeout=request.connect_timeout_s,
        anthropic=AnthropicAccess(anthropic.transport, anthropic.platform, anthropic.auth, anthropic.base_url),
        key_of=lambda provider: key_of(credentials, provider),
    )


def _printer(arguments: Arguments, output: Output, facts: SessionFacts) -> Printer:
    if arguments.output_format == "text":
        return TextPrinter(output)
    if arguments.output_format == "json":
        return JsonPrinter(output, facts)
    return StreamJsonPrinter(output, facts, partial=arguments.include_partial_messages)
