"""Starts the screen: the first frame first, everything that takes long behind it."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from code_assistant.cli import Arguments, named_file
from code_assistant.config.credentials import Credentials
from code_assistant.config.folder_trust import FolderTrust, TrustAnswer
from code_assistant.config.forms import folder_list
from code_assistant.config.key_variables import key_variables
from code_assistant.config.load import load_settings
from code_assistant.config.paths import config_folder, home_folder, state_folder, themes_folder
from code_assistant.config.trust_store import CHANGED
from code_assistant.errors import UsageError
from code_assistant.exit_codes import ExitCode
from code_assistant.secrets import Masker

if TYPE_CHECKING:
    from code_assistant.debug_log import Recorder
    from code_assistant.doctor.finding import Finding
    from code_assistant.messages import Image
    from code_assistant.permissions.modes import PermissionMode
    from code_assistant.resuming.reopening import Reopened
    from code_assistant.session.past import Past
    from code_assistant.session.search import Found
    from code_assistant.session.store import SessionStore
    from code_assistant.session.summary import SessionSummary
    from code_assistant.tapes import Tape
    from code_assistant.tui.app import CodeAssistantApp
    from code_assistant.tui.start import FileLines, HeldPast, OpenedSession, Start, TrustDecided, TrustQuestion
    from code_assistant.workspace.workspace import Workspace

# Textual paints at most so often; a key that just missed a paint waits for the next one. Read when it is imported.
PAINTS_PER_SECOND = "120"
COUNTS_NO_LONGER = "Nothing of it counts in this conversation; /trust asks again."
# The second is what httpx loads with the first request, while the person waits for the answer.
SESSION_MODULES = ("code_assistant.screen_session", "anyio._backends._asyncio")
# How many lines are shown around those that a reference names.
LINES_AROUND = 200
# Whatever would end the program and can be heard of: left to the system, it would leave the terminal as the screen has
# it. Those that tell of a fault in memory are not among them, for nothing can go on behind them.
ENDING_NAMES = (
    *("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGVTALRM", "SIGPROF", "SIGXCPU"),
    *("SIGIO", "SIGABRT", "SIGPWR", "SIGSTKFLT"),
)
ENDING_SIGNALS = tuple(each for each in signal.Signals if each.name in ENDING_NAMES)


def run_screen(arguments: Arguments, environ: Mapping[str, str]) -> int:
    """Open the screen and stay until the person leaves."""
    # Textual draws on standard error, so that it must be the terminal, too.
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        raise UsageError('The screen needs a terminal. Without one, ask with -p: code-assistant -p "Explain this code"')
    # Until all is loaded almost nothing becomes garbage, and to look for some takes long. Then the app turns it on.
    gc.disable()
    trust = FolderTrust(arguments.folder, environ, is_given=arguments.trust)
    start = _start(arguments, environ, trust)
    os.environ.setdefault("TEXTUAL_FPS", PAINTS_PER_SECOND)
    from code_assistant.tui.app import CodeAssistantApp

    told: list[str] = []
    with (
        _opened_log(arguments, environ, start.masker, told) as recorders,
        _opened_tape(arguments, start.masker) as tape,
    ):
        start = replace(start, warnings=(*start.warnings, *told))
        app = CodeAssistantApp(start, ScreenBackstage(arguments, environ, recorders, tape, start.masker, trust))
        asyncio.run(_run(app))
    if app.fault is not None:
        raise app.fault
    from code_assistant.tui.farewell import farewell

    words = farewell(app.bridge.last_answer, app.core.last_id, is_cut=app.bridge.is_last_cut)
    say(f"{start.masker.mask(words)}\n" if words else "")
    return app.return_code or ExitCode.DONE


def say(words: str) -> None:
    """The terminal may be gone by now: then nobody hears it, and that is no fault."""
    with suppress(OSError):
        sys.stdout.write(words)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            # What could not be written would be tried again at the very end, and that would count as a failure.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _opened_log(
    arguments: Arguments, environ: Mapping[str, str], masker: Masker, told: list[str]
) -> AbstractContextManager[tuple[Recorder, ...]]:
    """Only who wants the log waits for its modules."""
    if not arguments.debug:
        return nullcontext(())
    from code_assistant.debug_log import opened_log

    return opened_log(True, environ, masker, told.append)


def _opened_tape(arguments: Arguments, masker: Masker) -> AbstractContextManager[Tape | None]:
    """Before the screen, so that a file that cannot be used is told as any other wrong option is."""
    if arguments.record is None and arguments.replay is None:
        return nullcontext()
    from code_assistant.tapes import opened_tape

    return opened_tape(arguments.record, arguments.replay, masker)


async def _run(app: CodeAssistantApp) -> None:
    """Asked to end from outside, the app leaves as it does when the person says so."""
    loop = asyncio.get_running_loop()
    for number in ENDING_SIGNALS:
        loop.add_signal_handler(number, app.end_by_signal, number)
    loop.set_exception_handler(lambda _, context: _take_fault(app, context))
    await app.run_async()


def _take_fault(app: CodeAssistantApp, context: dict[str, Any]) -> None:
    """A callback of the loop has failed, such as a paint: that ends the app as a fault in a key's action does."""
    error = context.get("exception")
    if isinstance(error, Exception) and "handle" in context:
        app.fail(error)
    else:
        asyncio.get_running_loop().default_exception_handler(context)


def _start(arguments: Arguments, environ: Mapping[str, str], trust: FolderTrust) -> Start:
    from code_assistant.tui.start import Start
    from code_assistant.tui.themes.no_color import ansi_color

    flags = {"model": arguments.model}
    own = config_folder(environ)
    loaded = load_settings(environ=environ, project=trust.project, config_folder=own, flags=flags)
    keys = loaded.settings.keys
    return Start(
        folder=arguments.folder,
        masker=Masker(Credentials.from_environ(environ).secrets()),
        mode=arguments.permission_mode,
        model=loaded.settings.model,
        theme=loaded.settings.screen.theme,
        state_folder=state_folder(environ),
        themes_folder=themes_folder(),
        own_themes_folder=own / "themes",
        branch=trust.project.branch(),
        ansi_color=ansi_color(environ),
        keys={field.name: getattr(keys, field.name) for field in fields(keys)},
        warnings=(*loaded.warnings, *trust.standing.notices),
        collapse_finished_agents=loaded.settings.screen.collapse_finished_agents,
        resume=arguments.resume,
        fork=arguments.fork,
        trust=trust_question(trust),
        further_untrusted=(
            *(trust.project.root, *arguments.extra_folders),
            *folder_list(loaded.settings.sandbox.writable, home_folder(environ)),
        ),
        key_variables=key_variables(own),
    )


def trust_question(trust: FolderTrust) -> TrustQuestion | None:
    """What is to be asked of a folder before anything else; None where that is decided."""
    if trust.is_trusted:
        return None
    from code_assistant.tui.start import TrustQuestion

    standing = trust.standing
    is_first = trust.state == "unknown"
    return TrustQuestion(str(trust.root), trust.parts(), standing.changed, standing.problems, is_first)


class ScreenBackstage:
    """Imports what it needs when it is asked: by then the first frame is there."""

    def __init__(
        self,
        arguments: Arguments,
        environ: Mapping[str, str],
        recorders: tuple[Recorder, ...],
        tape: Tape | None = None,
        masker: Masker | None = None,
        trust: FolderTrust | None = None,
    ) -> None:
        self._trust = trust or FolderTrust(arguments.folder, environ, is_given=arguments.trust)
        self._masker = masker
        self._arguments = arguments
        self._environ = environ
        self._recorders = recorders
        self._tape = tape

    async def open_session(
        self, mode: PermissionMode, model: str | None, held: HeldPast | None = None
    ) -> OpenedSession:
        for module in SESSION_MODULES:
            await asyncio.to_thread(__import__, module)
        from code_assistant.screen_session import open_for_screen

        chosen = replace(self._arguments, permission_mode=mode, model=model or self._arguments.model)
        reopened = cast("Reopened | None", held.hold) if held is not None else None
        changed = await asyncio.to_thread(self._trust.look_for_changes)
        try:
            opened = await open_for_screen(chosen, self._environ, self._trust, self._recorders, self._tape, reopened)
            notice = (f"{CHANGED.format(', '.join(changed))} {COUNTS_NO_LONGER}",) if changed else ()
            return replace(opened, notices=(*notice, *opened.notices))
        except BaseException:
            if held is not None:
                held.release()
            raise

    async def sessions(self) -> Sequence[SessionSummary]:
        return await asyncio.to_thread(lambda: self._store().list())

    async def search_sessions(self, words: str) -> Sequence[Found]:
        await asyncio.to_thread(__import__, "code_assistant.session.search")
        from code_assistant.session.search import search

        store, is_over = self._store(), threading.Event()

        def found() -> list[Found]:
            result: list[Found] = []
            for part in search(store.folder, words, store.masker.mask_for_storage):
                result += part
                if is_over.is_set():
                    break
            return result

        try:
            return await asyncio.to_thread(found)
        finally:
            # Nobody waits any more: the thread need not read on.
            is_over.set()

    async def open_past(self, wanted: str, *, is_fork: bool = False) -> HeldPast:
        await asyncio.to_thread(__import__, "code_assistant.resuming.reopening")
        from code_assistant.resuming.reopening import reopen
        from code_assistant.session_choice import wanted_session

        def opened() -> Reopened:
            store = self._store()
            found = wanted_session(store, wanted, self._arguments.folder, is_fork=is_fork)
            if found is None:
                raise UsageError("No session was named.")
            return reopen(store, found)

        from code_assistant.tui.start import HeldPast

        reopened = await asyncio.to_thread(opened)
        return HeldPast(reopened.past, reopened, reopened.files.close)

    async def read_past(self, session_id: str) -> Past:
        return await asyncio.to_thread(lambda: self._store().read(session_id))

    async def export_past(self, session_id: str, form: Literal["md", "html"], target: str) -> Path:
        await asyncio.to_thread(__import__, "code_assistant.exporting.writing")
        from code_assistant.exporting.writing import export_session

        def exported() -> Path:
            store = self._store()
            path = self._arguments.folder / named_file(target)
            return export_session(store.read(session_id), form, path, store.masker.mask_for_storage)

        return await asyncio.to_thread(exported)

    async def fork_past(self, session_id: str, before: str | None) -> str:
        return await asyncio.to_thread(lambda: self._store().fork(session_id, before))

    def _store(self) -> SessionStore:
        from code_assistant.session_choice import session_store

        self._masker = self._masker or Masker(Credentials.from_environ(self._environ).secrets())
        return session_store(self._environ, self._masker)

    async def check_setup(self) -> Sequence[Finding]:
        await asyncio.to_thread(__import__, "code_assistant.check_setup")
        from code_assistant.check_setup import check_setup

        arguments = self._arguments
        return await check_setup(arguments.folder, self._environ, self._trust, is_without_sandbox=arguments.no_sandbox)

    async def trust_question(self) -> TrustQuestion | None:
        self._trust.look_again()
        return await asyncio.to_thread(trust_question, self._trust)

    async def trust_contents(self) -> Sequence[tuple[str, Sequence[str]]]:
        await asyncio.to_thread(__import__, "code_assistant.rule_layers")
        from code_assistant.rule_layers import is_project_rule

        def is_rule(text: str) -> bool:
            return is_project_rule(text, self._trust, self._environ)

        return await asyncio.to_thread(self._trust.contents, is_rule)

    async def decide_trust(self, answer: TrustAnswer) -> TrustDecided:
        from code_assistant.tui.start import TrustDecided

        notice = await asyncio.to_thread(self._trust.decide, answer)
        return TrustDecided(await asyncio.to_thread(self._trust.project.branch), notice)

    @property
    def is_trusted(self) -> bool:
        return self._trust.is_trusted

    def list_files(self) -> Sequence[str]:
        if self._trust.state == "unknown":
            return ()
        from code_assistant.workspace.completion_files import workspace_files

        return workspace_files(self._workspace())

    def keep_key(self, variable: str, key: str) -> str:
        from code_assistant.config.key_store import KeyStore

        return KeyStore(config_folder(self._environ)).keep(variable, key)

    def remember_model(self, name: str) -> None:
        from code_assistant.model_choice import remember_model

        remember_model(state_folder(self._environ), name)

    async def changed_files(self) -> int | None:
        if not self._trust.is_trusted:
            return None
        await asyncio.to_thread(__import__, "code_assistant.workspace.git_status")
        from code_assistant.workspace.git_status import changed_paths

        root = self._trust.root
        folders = (root, self._arguments.folder, *self._arguments.extra_folders)
        private = state_folder(self._environ) / "scratch"
        return await changed_paths(root, self._environ, (*folders, Path.home()), private)

    def read_image(self, path: str) -> Image | None:
        if self._trust.state == "unknown":
            return None
        from code_assistant.workspace.attachments import read_image

        return read_image(path)

    def mentioned_images(self, text: str) -> tuple[tuple[Image, ...], tuple[str, ...]]:
        from code_assistant.workspace.attachments import attachments_in

        found = attachments_in(text, self._workspace())
        return found.images, found.problems

    def read_lines(self, path: str, first: int, last: int) -> FileLines:
        from code_assistant.errors import WorkspaceError
        from code_assistant.tui.start import FileLines
        from code_assistant.workspace.file_parts import NotRead, ReadRequest, TextRead, read_all
        from code_assistant.workspace.names import plain_name
        from code_assistant.workspace.ranges import LineRange
        from code_assistant.workspace.threads import NOBODY_STOPS

        workspace = self._workspace()
        target = workspace.resolve(path)
        if not target.inside:
            raise WorkspaceError(f"{plain_name(path)} lies outside of the folders that are open.")
        reason = f"{plain_name(target.shown)} is not a text file, so it has no lines."
        # Where what stands before the lines leaves no room for them, they are shown without it.
        for wanted in (LineRange(max(first - LINES_AROUND, 1), last + LINES_AROUND), LineRange(first, last)):
            (reading,) = read_all([ReadRequest(target, wanted)], workspace, NOBODY_STOPS)
            if isinstance(reading, NotRead):
                reason = reading.reason
            elif isinstance(reading, TextRead) and reading.part.last >= first:
                part = reading.part
                total = part.counted if part.is_counted_to_the_end else None
                return FileLines(reading.request.shown, part.first, part.lines, total)
        raise WorkspaceError(reason)

    def _workspace(self) -> Workspace:
        from code_assistant.workspace.workspace import Workspace

        return Workspace(self._arguments.folder, self._arguments.extra_folders)
