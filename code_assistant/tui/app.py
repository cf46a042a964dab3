"""The app: composes the screen, hands events to the bridge, and turns keys and commands into what the session does."""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from textual import events, on
from textual.app import App
from textual.screen import Screen
from textual.timer import Timer
from textual.worker import Worker, WorkerState

from code_assistant.errors import AssistantError
from code_assistant.permissions.modes import PermissionMode
from code_assistant.tui import commands
from code_assistant.tui.agents.messages import CancelWanted, LineUnfolded
from code_assistant.tui.clean_text import CleanText
from code_assistant.tui.composer.composer import Composer
from code_assistant.tui.composer.draft import Draft
from code_assistant.tui.composer.input_history import InputHistory
from code_assistant.tui.composer.services import CommandHint, ComposerServices
from code_assistant.tui.core import Core, Failure
from code_assistant.tui.driver import TerminalDriver
from code_assistant.tui.frame.drawn import PartPressed
from code_assistant.tui.keys import keymap, shown_key, unknown_keys
from code_assistant.tui.main_screen import MainScreen
from code_assistant.tui.painter import Painter
from code_assistant.tui.prompt_desk import PromptDesk
from code_assistant.tui.prompts.messages import (
    Hidden,
    PermissionAnswered,
    PlanApproved,
    PlanRejected,
    QuestionAnswered,
    QuestionDismissed,
)
from code_assistant.tui.rendering.palette import Palette, palette_of
from code_assistant.tui.start import Backstage, ModelChoice, OpenedSession, Start
from code_assistant.tui.state import ScreenState
from code_assistant.tui.terminal import Terminal
from code_assistant.tui.themes.loading import load_themes
from code_assistant.tui.transcript.blocks import OURS, AnswerBlock, NoticeBlock, ToolBlock, copied_text
from code_assistant.tui.transcript.transcript import Transcript
from code_assistant.tui.warm_up import turn_on_collector, warm_up
from code_assistant.tui.widgets.panel import Panel
from code_assistant.tui.widgets.transcript_view import TranscriptView

if TYPE_CHECKING:
    from code_assistant.events import Event, NoticeLevel
    from code_assistant.tui.agents.agent_desk import AgentDesk
    from code_assistant.tui.agents.screens import AgentScreens
    from code_assistant.tui.bridge import Bridge
    from code_assistant.tui.dialogues import Dialogues
    from code_assistant.tui.file_opener import FileOpener

logger = logging.getLogger(__name__)

MODES: tuple[PermissionMode, ...] = ("ask", "accept-edits", "plan")
SECONDS_TO_PRESS_AGAIN = 2.0
SECONDS_BETWEEN_TICKS = 0.1
# Work that took longer than this may have been left alone, so its end is rung for.
SECONDS_BEFORE_BELL = 10.0
DEFAULT_THEME = "harbor-dark"
# What a shell adds to the number of the signal that ended a program.
BY_SIGNAL = 128
# Keys make these, too, and then they go to all programs of a terminal.
FROM_KEYS = (signal.SIGINT, signal.SIGQUIT)
# What the hints in the last line do when they are clicked, by the names of their keys.
KEY_ACTIONS = {
    "interrupt": "escape",
    "details": "details",
    "palette": "command_palette",
    "agents": "show_agents",
    "mode": "next_mode",
    "help": "show_keys",
}
WELCOME = "Ask about the code in {0}, or say what to change. Type / for commands, @ for files, ? for keys."
NO_SESSION = "There is no session to send this to."
FAULT = "Something went wrong in the program, please report it: {error}."


class CodeAssistantApp(App[None], inherit_bindings=False):
    """Renders events and sends commands; all that it knows of the session is its public face.

    It has no keys of its own: one of Textual's would quit at once, from everywhere.
    """

    TITLE = "code-assistant"
    ENABLE_COMMAND_PALETTE = False
    CSS = "MainScreen { background: $background; color: $foreground; }"

    def __init__(self, start: Start, backstage: Backstage, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(driver_class=TerminalDriver, ansi_color=start.ansi_color)
        self._start = start
        self._clock = clock
        self._backstage = backstage
        self._loaded_themes = load_themes(start.themes_folder, start.own_themes_folder)
        for theme in self._loaded_themes.themes.values():
            self.register_theme(theme.textual())
        self.theme_name = start.theme if start.theme in self._loaded_themes.themes else DEFAULT_THEME
        self._begin_with_theme(self.theme_name)
        self.clean = CleanText(start.masker)
        self.transcript = Transcript()
        self.state = ScreenState(start.folder.name or str(start.folder), start.model, start.mode, branch=start.branch)
        self.core = Core(backstage, self._take, self._session_opened)
        self.terminal = Terminal(self)
        self.models: tuple[ModelChoice, ...] = ()
        self.painter = Painter(self._paint, clock)
        self._ticker: Timer | None = None
        self._pressed_at = float("-inf")
        self._has_failed = False
        self._awaits_words = False
        self._is_leaving = False
        self._exit_code = 0
        self._details = False
        self._notices = 0
        self._early: tuple[Draft, ...] = ()
        self._sending = asyncio.Lock()
        self._starting_over = asyncio.Lock()

    # What the first frame does without, so that it need not wait for it

    @cached_property
    def bridge(self) -> Bridge:
        from code_assistant.tui.bridge import Bridge

        return Bridge(self.transcript, self.state, self.clean, self._clock)

    @cached_property
    def agent_desk(self) -> AgentDesk:
        from code_assistant.tui.agents.agent_desk import AgentDesk

        return AgentDesk(self, self.bridge.agents, self.view, folds=self._start.collapse_finished_agents)

    @cached_property
    def agent_screens(self) -> AgentScreens:
        from code_assistant.tui.agents.screens import AgentScreens

        return AgentScreens(self, self._clock)

    @cached_property
    def file_opener(self) -> FileOpener:
        from code_assistant.tui.file_opener import FileOpener

        return FileOpener(self, self._backstage)

    @cached_property
    def dialogues(self) -> Dialogues:
        from code_assistant.tui.dialogues import Dialogues

        return Dialogues(self)

    # The screen

    def _begin_with_theme(self, name: str) -> None:
        """The theme of the first frame: setting it while the app starts would parse all of the CSS a second time."""
        if not self.available_themes[name].dark:
            # More than the CSS depends on whether it is dark, as it is taken to be at first.
            self.theme = name
            return
        self.set_reactive(App.theme, name)
        # Of what else a theme decides, only this differs from what the app was made with.
        self._refresh_truecolor_filter(self.ansi_theme)
        self.stylesheet.set_variables(self.get_css_variables())
        self.add_class(f"-theme-{name}", update=False)

    def get_default_screen(self) -> Screen[None]:
        palette = palette_of(self._loaded_themes.themes[self.theme_name].colors())
        self.main = MainScreen(self.transcript, palette, self._composer_services(), self._start.keys)
        self.view, self.composer = self.main.view, self.main.composer
        self.desk = PromptDesk(self.main, self.view, self.composer, palette, self._clock, self.clean.masked)
        return self.main

    @property
    def folder(self) -> Path:
        return self._start.folder

    @property
    def own_keys(self) -> dict[str, str]:
        return self._start.keys

    def _composer_services(self) -> ComposerServices:
        return ComposerServices(
            commands=lambda: [CommandHint(each.name, each.help, each.argument) for each in commands.COMMANDS],
            list_files=self._backstage.list_files,
            has_queue=lambda: bool(self.state.queue or self.core.early),
            history=InputHistory(self._start.state_folder / "history.jsonl"),
            draft_file=self._start.state_folder / "drafts" / f"{_name_of(self._start.folder)}.json",
            read_image=self._backstage.read_image,
            clock=self._clock,
        )

    def on_mount(self) -> None:
        self.set_keymap(keymap(self._start.keys))
        self.transcript.on_change = self.painter.request
        # At once: a moment later nobody takes what we have to say.
        self.app_suspend_signal.subscribe(self, self._suspending, immediate=True)  # pyright: ignore[reportUnknownMemberType]
        self.app_resume_signal.subscribe(self, self._resumed, immediate=True)  # pyright: ignore[reportUnknownMemberType]
        self.composer.focus()
        self.tell(WELCOME.format(self.state.folder))
        for words in (*self._start.warnings, *self._loaded_themes.problems, *unknown_keys(self._start.keys)):
            self.tell(words, "warning")
        self._paint()
        self.call_after_refresh(self._open_session)

    def _suspending(self, _: object) -> None:
        self.terminal.hand_over()
        # Also now: what is typed before we know that we are back must find no prompt.
        self.desk.begin_again()

    def _resumed(self, _: object) -> None:
        """Whatever was on the terminal meanwhile: paint everything. Textual does so only for a new size."""
        self.terminal.take_over()
        self.desk.begin_again()
        self._paint()
        self.refresh(layout=True)

    def _open_session(self) -> None:
        self.terminal.show("idle")
        # Never allowed to end the app: a session that fails is told about.
        self.run_worker(self.core.run(self.state.mode, self.state.model), group="core", exit_on_error=False)

    def _session_opened(self, opened: OpenedSession | Failure) -> None:
        if isinstance(opened, Failure):
            turn_on_collector()
            self.desk.clear()
            self.bridge.agents.end_all()
            self.state.working_since, self.state.waiting_prompts, self.state.queue = None, 0, []
            self.state.waiting_questions = 0
            self._set_ticking(False)
            self.tell(opened.words, "error")
            self._take_back()
            return
        if opened.session.mode != self.state.mode:
            # Changed while it was being opened: what is shown is what counts, before anything is sent.
            opened.session.set_mode(self.state.mode)
        self.models = opened.models
        self.state.model, self.state.context_window = self.clean.line(opened.model), opened.context_window
        for words in opened.notices:
            self.tell(words, "warning")
        self.painter.request()
        self.run_worker(self._warm_up(), group="warming up", exit_on_error=False)

    async def _warm_up(self) -> None:
        try:
            await asyncio.to_thread(warm_up, palette_of(self._loaded_themes.themes[self.theme_name].colors()))
        finally:
            turn_on_collector()

    # Events, and what is painted of them

    def _take(self, event: Event) -> None:
        # Not at the top: events come after the first frame.
        from code_assistant.events import (
            PromptFinished,
            PromptStarted,
            PromptWithdrawn,
            RequestStarted,
            TextDelta,
            ThinkingDelta,
        )

        soon = False
        was_working = self.state.working_since
        if event.origin.depth > 1:
            self._take_of_agent(event)
            return
        self.bridge.take(event)
        if self.desk.take(event):
            self.terminal.ring()
        match event:
            case PromptStarted(_, prompt_id):
                self.core.forget(prompt_id)
                self._has_failed = False
                self._set_ticking(True)
                soon = True
            case RequestStarted():
                self._awaits_words = True
            case TextDelta() | ThinkingDelta():
                soon, self._awaits_words = self._awaits_words, False
            case PromptWithdrawn(_, prompt_id):
                draft = self.core.forget(prompt_id)
                if draft is not None:
                    # Interrupted before it began; what the person takes back is no longer known here.
                    self.composer.take_back((draft,))
            case PromptFinished(_, _, outcome):
                self._has_failed = outcome == "failed"
                self._set_ticking(self.agent_desk.has_live)
                if was_working is not None and self._clock() - was_working > SECONDS_BEFORE_BELL:
                    self.terminal.ring()
            case _:
                pass
        self.painter.request(soon=soon)

    def _take_of_agent(self, event: Event) -> None:
        """What a sub-agent does begins and ends no turn of the person's."""
        had_live = self.agent_desk.has_live
        self.bridge.take(event)
        self.agent_screens.take(event)
        is_prompt = self.desk.take(event)
        if is_prompt:
            self.terminal.ring()
        if had_live != self.agent_desk.has_live:
            self._set_ticking(self.agent_desk.has_live or self.state.working_since is not None)
        self.painter.request(soon=is_prompt)

    def _set_ticking(self, is_ticking: bool) -> None:
        """The spinner and the clocks move while something is worked on; otherwise there is no timer."""
        if self._ticker is not None:
            self._ticker.stop()
            self._ticker = None
        if is_ticking:
            self._ticker = self.set_interval(SECONDS_BETWEEN_TICKS, self._tick)

    def _tick(self) -> None:
        now = self._clock()
        self.main.activity.tick(now)
        self.agent_desk.tick(now)

    def _paint(self) -> None:
        if self._is_leaving or not self.is_running:
            return
        if self.core.early != self._early:
            self._early = self.core.early
            self.state.early = tuple(self.clean.line(draft.text) for draft in self._early)
        self.main.show(self.state, self._clock())
        if "agent_screens" in self.__dict__:
            self.agent_screens.paint()
        self.desk.composer_changed()
        waiting = self.state.waiting_prompts > 0
        self.terminal.show("waiting" if waiting else "idle" if self.state.working_since is None else "working")

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key | events.Paste | events.MouseDown) and not event.is_forwarded:
            self.painter.key_pressed()
            self.desk.route(event)
        await super().on_event(event)

    # What the person sends

    @on(Composer.Sent)
    def _sent(self, message: Composer.Sent) -> None:
        self.send(message.draft)

    @on(Composer.NothingSent)
    def _nothing_sent(self) -> None:
        if self._has_failed and self.core.session is not None:
            self.view.follow()
            self.core.session.retry()

    def send(self, draft: Draft) -> None:
        if draft.kind == "command":
            self._run_command(draft)
        else:
            # Now, and not when it begins: by then the person may be reading further up.
            self.view.follow()
            self.run_worker(self._send_with_images(draft), group="sending", exit_on_error=False)

    async def _send_with_images(self, draft: Draft) -> None:
        """Images that the text mentions go along; reading them must not overtake what was sent before."""
        async with self._sending:
            try:
                images = draft.images
                if draft.kind == "prompt" and "@" in draft.text:
                    mentioned, problems = await asyncio.to_thread(self._backstage.mentioned_images, draft.text)
                    images = (*images, *mentioned)
                    for words in problems:
                        self.tell(words, "warning")
                is_sent = self.core.send(draft, images)
            except Exception:
                self.composer.take_back((draft,))
                raise
            if not is_sent:
                self.composer.take_back((draft,))
                self.tell(self.core.failure.words if self.core.failure is not None else NO_SESSION, "error")
            self.painter.request()

    def _run_command(self, draft: Draft) -> None:
        command, name, argument = commands.find(draft.text)
        if command is None:
            self.composer.put(draft)
            self.tell(commands.unknown_words(name), "warning")
            return
        self.run_command(command, argument)

    def run_command(self, command: commands.Command, argument: str = "") -> None:
        result = command.run(self, argument)
        if result is not None:
            self.run_worker(result, group="commands", exit_on_error=False)

    @on(Composer.TakeBackWanted)
    def _take_back(self) -> None:
        if waiting := self.core.take_back():
            self.composer.take_back(waiting)
            self.painter.request()

    @on(Composer.HelpWanted)
    def _help_wanted(self) -> None:
        self.dialogues.show_keys()

    @on(Composer.Complained)
    def _complained(self, message: Composer.Complained) -> None:
        self.tell(message.text, "warning")

    @on(Composer.Changed)
    def _draft_changed(self) -> None:
        """After the key has done its work: an emptied composer lets the focus move to a prompt that waits."""
        self.desk.composer_changed()

    # Answers

    @on(PermissionAnswered)
    def _permission_answered(self, message: PermissionAnswered) -> None:
        if self.core.session is not None:
            self.core.session.answer_permission(message.request_id, message.answer, message.reason)

    @on(QuestionAnswered)
    def _question_answered(self, message: QuestionAnswered) -> None:
        if self.core.session is not None:
            self.core.session.answer_question(message.request_id, message.text)

    @on(QuestionDismissed)
    def _question_dismissed(self, message: QuestionDismissed) -> None:
        if self.core.session is not None:
            self.core.session.dismiss_question(message.request_id)

    @on(PlanApproved)
    def _plan_approved(self, message: PlanApproved) -> None:
        if self.core.session is not None:
            self.core.session.approve_plan(message.request_id, message.mode)

    @on(PlanRejected)
    def _plan_rejected(self, message: PlanRejected) -> None:
        if self.core.session is not None:
            self.core.session.reject_plan(message.request_id, message.feedback)

    @on(CancelWanted)
    def _cancel_wanted(self, message: CancelWanted) -> None:
        self.cancel_agent(message.tool_call_id)

    def cancel_agent(self, tool_call_id: str) -> bool:
        return self.agent_desk.cancel(tool_call_id)

    @on(LineUnfolded)
    def _line_unfolded(self, message: LineUnfolded) -> None:
        self.agent_desk.read(message.block, message.line)

    @on(Hidden)
    def _prompt_hidden(self, message: Hidden) -> None:
        self.desk.hide(message.request_id)

    # What commands ask for

    def tell(self, text: str, level: NoticeLevel = "info") -> None:
        """A notice of the screen's own, in the transcript. An answer to what somebody did: brought into sight."""
        self._notices += 1
        self.transcript.add(NoticeBlock(f"{OURS}screen-notice-{self._notices}", level, self.clean.text(text)))
        self.view.follow()

    def send_prompt(self, text: str) -> None:
        self.send(Draft(text))

    def show_help(self) -> None:
        self.dialogues.show_help()

    def show_cost(self) -> None:
        self.dialogues.show_cost()

    def show_permissions(self) -> None:
        self.dialogues.show_permissions()

    async def choose_model(self, name: str) -> None:
        await self.dialogues.choose_model(name)

    async def choose_theme(self, name: str) -> None:
        await self.dialogues.choose_theme(name)

    def run_agents(self, argument: str) -> None:
        self.agent_screens.run(argument)

    def copy_answer(self) -> None:
        answer = self.bridge.last_answer
        if answer:
            self.copy_to_clipboard(answer)
        self.tell("Copied the last answer." if answer else "There is no answer to copy yet.")

    async def start_over(self) -> None:
        """A new conversation: the old session ends with everything it had started. What waited is given back."""
        async with self._starting_over:
            self._take_back()
            try:
                await self.core.close()
            finally:
                if not self._is_leaving:
                    self._begin_anew()

    def _begin_anew(self) -> None:
        self._has_failed = False
        self._set_ticking(False)
        self.desk.clear()
        self.transcript.clear()
        # At once: whatever is painted or scrolled until the next tick would look for blocks that are gone.
        self.view.take_changes()
        if "agent_screens" in self.__dict__:
            self.agent_screens.start_over()
        fresh = ScreenState(self.state.folder, self.state.model, self.state.mode, branch=self.state.branch)
        fresh.context_window = self.state.context_window
        self.state = fresh
        for name in {"bridge", "agent_desk"} & self.__dict__.keys():
            delattr(self, name)
        self.tell(WELCOME.format(self.state.folder))
        self._open_session()

    async def leave(self) -> None:
        """Nothing survives but the draft: the session is closed and awaited before the app ends."""
        if self._is_leaving:
            return
        self._is_leaving = True
        self._set_ticking(False)
        self.painter.close()
        self._take_back()
        try:
            await self.core.close()
            # What was sent meanwhile.
            self._take_back()
        finally:
            # Only now: until then prompts are withdrawn, each of which looks for the next.
            self.desk.close()
            self._set_ticking(False)
            self.terminal.restore()
            self.exit(return_code=self._exit_code)

    def begin_leaving(self, exit_code: int = 0) -> None:
        """For those who cannot wait: keys, and signals from outside."""
        if not self._is_leaving:
            self._exit_code = exit_code
        self.run_worker(self.leave(), group="leaving", exit_on_error=False)

    def end_by_signal(self, number: signal.Signals) -> None:
        """Asked to end from outside. While an editor has the terminal, the keys there are not about us."""
        if not (self.terminal.is_away and number in FROM_KEYS):
            self.begin_leaving(BY_SIGNAL + number)

    # Faults of the program

    def on_worker_state_changed(self, message: Worker.StateChanged) -> None:
        """A worker that fails must not end the app; it must not pass unseen either."""
        error = message.worker.error  # pyright: ignore[reportUnknownMemberType]
        if message.state is not WorkerState.ERROR or error is None:
            return
        if isinstance(error, AssistantError):
            words = error.person
        else:
            logger.error("A worker has failed", exc_info=error)
            words = FAULT.format(error=repr(error))
        if not self._is_leaving:
            self.tell(words, "error")

    @property
    def fault(self) -> Exception | None:
        """What ended the app, if it was nobody's wish."""
        return self._exception

    def fail(self, error: Exception) -> None:
        """End with a fault that was raised where Textual does not look, such as in a timer of the loop."""
        self._handle_exception(error)

    def _fatal_error(self) -> None:
        """Textual's own report shows what is in variables, keys included: whoever runs the app makes a better one."""
        self.terminal.restore()
        self._close_messages_no_wait()

    # The theme

    def set_screen_theme(self, name: str) -> None:
        theme = self._loaded_themes.themes[name]
        self.theme_name = name
        self.theme = name
        palette = palette_of(theme.colors())
        self.view.set_palette(palette)
        self.desk.set_palette(palette)
        if "agent_screens" in self.__dict__:
            self.agent_screens.set_palette(palette)

    @property
    def palette(self) -> Palette:
        return palette_of(self._loaded_themes.themes[self.theme_name].colors())

    @property
    def theme_choices(self) -> list[tuple[str, str]]:
        return [(theme.name, theme.description) for theme in self._loaded_themes.themes.values()]

    # Keys

    def action_escape(self) -> None:
        """The innermost first; what a prompt or the composer has open they close themselves."""
        if self.view.marked is not None or self.view.has_focus:
            self.view.mark(None)
            self.composer.focus()
        elif self.core.session is not None:
            self.core.session.interrupt()

    def action_stop(self) -> None:
        """In its turn: letters that were typed before may still be on their way to the composer."""
        self.composer.call_later(self._stop)

    def _stop(self) -> None:
        selected = self.screen.get_selected_text()
        if selected:
            self.copy_to_clipboard(selected)
            self.screen.clear_selection()
        elif self.composer.has_focus and not self.composer.selection.is_empty:
            self.composer.action_copy()
            self.composer.selection = self.composer.selection.cursor(self.composer.cursor_location)
        elif isinstance(self.focused, Panel) and self.focused.clear_line():
            pass
        elif not self.composer.is_empty:
            self.composer.clear_draft()
        elif self.core.session is None or not self.core.session.interrupt():
            self._quit_on_second_press()

    def _quit_on_second_press(self) -> None:
        now = self._clock()
        if now - self._pressed_at < SECONDS_TO_PRESS_AGAIN:
            self.begin_leaving()
            return
        self._pressed_at = now
        self.tell(f"Press {shown_key('stop', self._start.keys)} again to quit.")

    def action_quit_if_empty(self) -> None:
        if self.composer.is_empty:
            self.begin_leaving()

    async def action_quit(self) -> None:
        await self.leave()

    def action_hang_up(self) -> None:
        """The terminal is gone, whether or not anybody says so by a signal."""
        self.end_by_signal(signal.SIGHUP)

    def action_next_mode(self) -> None:
        position = MODES.index(self.state.mode) if self.state.mode in MODES else -1
        self.set_mode(MODES[(position + 1) % len(MODES)])

    def set_mode(self, mode: PermissionMode) -> None:
        if self.core.session is not None:
            self.core.session.set_mode(mode)
        else:
            self.state.mode = mode
            self.painter.request()

    def action_mark_block(self, step: int) -> None:
        # At once; `focus()` would leave the next keys to the composer.
        self.main.set_focus(self.view, scroll_visible=False)
        self.view.mark_next(step)

    @on(PartPressed)
    async def _part_pressed(self, message: PartPressed) -> None:
        """Parts of the lines that can be clicked."""
        match message.part:
            case "mode":
                self.action_next_mode()
            case "model":
                self.run_worker(self.choose_model(""), group="commands", exit_on_error=False)
            case "waiting":
                self.action_oldest_prompt()
            case "running":
                self.action_show_agents()
            case "queue":
                self._take_back()
            case key if key in KEY_ACTIONS:
                await self.run_action(KEY_ACTIONS[key])
            case _:
                pass

    @on(TranscriptView.CopyWanted)
    def _copy_block(self, message: TranscriptView.CopyWanted) -> None:
        self.copy_to_clipboard(copied_text(message.block))
        self.notify("Copied.", timeout=2, markup=False)

    @on(TranscriptView.TypedElsewhere)
    def _typed_elsewhere(self, message: TranscriptView.TypedElsewhere) -> None:
        """Whoever types a sentence means the composer, wherever the focus is."""
        self.view.mark(None)
        self.composer.focus()
        self.composer.insert(message.character)

    @on(TranscriptView.LinkActivated)
    def _link_activated(self, message: TranscriptView.LinkActivated) -> None:
        """Links lead into the web, to lines of a file, or to an agent."""
        from code_assistant.tui.rendering.agent_header import agent_of
        from code_assistant.tui.rendering.references import place_of

        if (place := place_of(message.address)) is not None:
            self.file_opener.open(place)
        elif (agent := agent_of(message.address)) is not None:
            self.agent_screens.open(self.agent_screens.records.get(agent))
        else:
            self.dialogues.confirm_link(message.address)

    @on(TranscriptView.OpenWanted)
    def _open_block(self, message: TranscriptView.OpenWanted) -> None:
        """What there is to see of a block beside itself; else it is unfolded."""
        block = message.block
        record = self.agent_screens.records.get(block.id)
        if record is not None:
            self.agent_screens.open(record)
        elif not isinstance(block, AnswerBlock) or not self.file_opener.choose(block.source):
            message.view.toggle(block)

    def action_show_keys(self) -> None:
        self.dialogues.show_keys()

    def action_oldest_prompt(self) -> None:
        self.desk.go_to_oldest()

    def action_next_part(self) -> None:
        """To a prompt that waits, as that is what one wants to reach; else around the screen."""
        if not self.desk.go_to_oldest():
            self.screen.focus_next()

    def action_command_palette(self) -> None:
        self.run_worker(self.dialogues.choose_command(), group="commands", exit_on_error=False)

    def action_show_agents(self) -> None:
        self.agent_screens.show_list()

    def action_search(self) -> None:
        self.run_worker(self.dialogues.search(), group="commands", exit_on_error=False)

    def action_details(self) -> None:
        """All tools unfolded or folded, but for those that the person has set by hand."""
        self._details = not self._details
        for block in self.transcript.blocks:
            if isinstance(block, ToolBlock) and not block.was_toggled and block.is_expanded != self._details:
                block.is_expanded = self._details
                self.transcript.touch(block)
        self.agent_desk.unfold(self._details)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What a prompt is about may be long: while it has the focus, the keys that turn pages are its own."""
        return action != "page" or not isinstance(self.focused, Panel)

    def action_page(self, step: int) -> None:
        self.view.scroll_relative(y=step * max(self.view.size.height - 2, 1), animate=False)

    def action_follow(self) -> None:
        self.view.follow()


def _name_of(folder: Path) -> str:
    """A name for a file that belongs to a folder: two programs in two folders do not share a draft."""
    from hashlib import sha256

    return sha256(str(folder).encode("utf-8", "surrogateescape")).hexdigest()[:32]
