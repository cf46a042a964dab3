"""The composition root: builds settings, provider, session, agent and front end. The only file that sees everything."""

from __future__ import annotations

import asyncio
import io
import logging
import os
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

from code_assistant.agent.agent import Agent
from code_assistant.agent.executor import Executor
from code_assistant.agent.limits import Limits
from code_assistant.agent.memory import load_memory
from code_assistant.agent.news import News
from code_assistant.agent.session import Session
from code_assistant.agent.system_prompt import read_environment, system_prompt
from code_assistant.channel import Channel
from code_assistant.cli import Arguments
from code_assistant.config.credentials import Credentials
from code_assistant.config.load import LoadedSettings, load_settings
from code_assistant.config.paths import config_folder, home_folder, state_folder
from code_assistant.config.project_files import ProjectFiles, find_project_root
from code_assistant.config.settings import Settings
from code_assistant.debug_log import DebugLog
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
from code_assistant.llm.catalogue import Catalogue
from code_assistant.permissions.gate import Gate
from code_assistant.permissions.path_patterns import Anchors
from code_assistant.permissions.person import NobodyThere
from code_assistant.permissions.rule_book import RuleBook
from code_assistant.secrets import Masker
from code_assistant.tools.builtin import builtin_tools
from code_assistant.tools.services import ToolServices
from code_assistant.workspace.commands.table import Commands
from code_assistant.workspace.spill import SpillFolder
from code_assistant.workspace.workspace import Workspace

logger = logging.getLogger(__name__)

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
        prompt = full_prompt(arguments.prompt, STANDARD_INPUT, output.message)
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
    async with _debug_log(arguments, environ, channel, output):
        assembled = assemble(arguments, environ, channel)
        events = channel.subscribe("merged")
        for warning in assembled.notices:
            assembled.session.notify("warning", warning)
        printer = _printer(arguments, output, assembled.facts)
        return await run_headless(assembled.session, events, prompt, printer)


@dataclass(frozen=True, slots=True)
class Assembled:
    """A session ready to be entered, what front ends say about it, and what the person should know first."""

    session: Session
    facts: SessionFacts
    notices: tuple[str, ...]


def assemble(arguments: Arguments, environ: Mapping[str, str], channel: Channel) -> Assembled:
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
    services = _services(arguments, environ, workspace, channel)
    tools = builtin_tools()
    agent = Agent(
        origin=MAIN,
        client=clients.create(settings.model),
        system=system_prompt(read_environment(workspace, project, model.name), memory.text),
        executor=Executor(MAIN, tools, services),
        publish=channel.publish,
        limits=Limits(settings.limits.max_turns or None),
        news=News(services),
    )
    session = Session(agent, channel, services, clients)
    facts = SessionFacts(
        session_id=session.id,
        folder=str(workspace.root),
        model=model.name,
        permission_mode=arguments.permission_mode,
        tools=tuple(each.name for each in tools.offered("main")),
    )
    notices = (YOLO_WARNING,) if arguments.permission_mode == "yolo" else ()
    return Assembled(session, facts, (*notices, *loaded.warnings, *memory.notices))


def _services(arguments: Arguments, environ: Mapping[str, str], workspace: Workspace, channel: Channel) -> ToolServices:
    person = NobodyThere()
    anchors = Anchors(workspace.root, workspace.folders, home_folder(environ))
    rules = RuleBook(anchors, arguments.allow, arguments.deny)
    spill = SpillFolder(state_folder(environ) / "spill" / uuid4().hex)
    own_folders = tuple(Path(os.path.realpath(each)) for each in (config_folder(environ), state_folder(environ)))
    gate = Gate(person, rules, arguments.permission_mode, readable=(spill.path,), own_folders=own_folders)
    return ToolServices(workspace, gate, person, spill, channel.publish, Commands())


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


@asynccontextmanager
async def _debug_log(
    arguments: Arguments, environ: Mapping[str, str], channel: Channel, output: Output
) -> AsyncGenerator[None]:
    if not arguments.debug:
        yield
        return
    log = DebugLog(environ, output.masker, output.message)
    output.message(f"debug log: {log.path}")
    log.start()
    recorder = asyncio.create_task(log.record(channel.subscribe("raw")))
    try:
        yield
    finally:
        channel.close()
        await recorder
        log.close()
