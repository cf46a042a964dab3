"""`code-assistant -p`: one prompt answered without a screen, from the command line to the exit code."""

from __future__ import annotations

import asyncio
import gc
import io
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from code_assistant.assembly import assemble
from code_assistant.channel import Channel
from code_assistant.cli import Arguments
from code_assistant.config.credentials import Credentials
from code_assistant.config.folder_trust import FolderTrust
from code_assistant.debug_log import opened_log, quieten_libraries
from code_assistant.errors import AssistantError
from code_assistant.exit_codes import ExitCode
from code_assistant.headless.output import Output, OutputFailed, ReaderGone
from code_assistant.headless.piped import full_prompt
from code_assistant.headless.printer import JsonPrinter, Printer, StreamJsonPrinter, TextPrinter
from code_assistant.headless.run import run_headless
from code_assistant.headless.wire_format import SessionFacts, failure_line
from code_assistant.secrets import Masker
from code_assistant.session_choice import session_store, wanted_session
from code_assistant.session_plan import plan_session
from code_assistant.tapes import opened_tape

if TYPE_CHECKING:
    from code_assistant.resuming.reopening import Reopened

STANDARD_INPUT = 0
UNTRUSTED = (
    "{0} is not trusted: reading and searching only, whatever --permission-mode and --allow say of the rest, "
    "and of its own only rules that deny or ask count. "
    "--trust trusts it for this run, code-assistant trust for good."
)


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
        reopened = _reopened(arguments, environ, output)
        plan = plan_session(arguments, environ, channel, trust, tape=tape, reopened=reopened)
        assembled = assemble(plan, recorders)
        # What is there by now stays to the end, so it need not be looked through again and again.
        gc.freeze()
        gc.enable()
        events = channel.subscribe("merged")
        for warning in (*assembled.warnings, *assembled.notices):
            assembled.session.notify("warning", warning)
        printer = _printer(arguments, output, assembled.facts)
        return await run_headless(assembled.session, events, prompt, printer)


def _reopened(arguments: Arguments, environ: Mapping[str, str], output: Output) -> Reopened | None:
    store = session_store(environ, output.masker)
    wanted = wanted_session(store, arguments.resume, arguments.folder, is_fork=arguments.fork)
    if wanted is None:
        return None
    from code_assistant.resuming.reopening import reopen

    return reopen(store, wanted)


def _untrusted(arguments: Arguments, trust: FolderTrust, output: Output) -> Arguments:
    """What is asked is denied then, in whatever mode it was started."""
    for words in (*trust.standing.reasons, UNTRUSTED.format(trust.root)):
        output.message(words)
    return replace(arguments, permission_mode="plan" if arguments.permission_mode == "plan" else "ask")


def _printer(arguments: Arguments, output: Output, facts: SessionFacts) -> Printer:
    if arguments.output_format == "text":
        return TextPrinter(output)
    if arguments.output_format == "json":
        return JsonPrinter(output, facts)
    return StreamJsonPrinter(output, facts, partial=arguments.include_partial_messages)
