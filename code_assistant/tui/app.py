"""The app: composes the screen, and hands events, messages and keys to those who know what to do with them."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from textual import events, on
from textual.app import App
from textual.screen import Screen
from textual.worker import Worker, WorkerState

from code_assistant.permissions.modes import PermissionMode
from code_assistant.tui.agents.messages import CancelWanted, LineUnfolded
from code_assistant.tui.changed_files import ChangedFiles
from code_assistant.tui.clean_text import CleanText
from code_assistant.tui.composer.composer import Composer
from code_assistant.tui.composer.draft import Draft
from code_assistant.tui.composer.services import composer_services
from code_assistant.tui.core import Core
from code_assistant.tui.driver import TerminalDriver
from code_assistant.tui.frame.drawn import PartPressed
from code_assistant.tui.key_problems import checked_keys
from code_assistant.tui.main_screen import MainScreen
from code_assistant.tui.painter import Painter
from code_assistant.tui.past.replay_clock import ReplayClock
from code_assistant.tui.prompt_desk import PromptDesk
from code_assistant.tui.prompts.messages import Answer, Hidden, TrustMessage
from code_assistant.tui.start import Backstage, Start
from code_assistant.tui.state import ScreenState
from code_assistant.tui.terminal import Terminal
from code_assistant.tui.themes.chosen import ChosenTheme
from code_assistant.tui.themes.loading import load_themes
from code_assistant.tui.ticker import Ticker
from code_assistant.tui.transcript.blocks import OURS, NoticeBlock, copied_text
from code_assistant.tui.transcript.transcript import Transcript
from code_assistant.tui.widgets.panel import Panel
from code_assistant.tui.widgets.transcript_view import TranscriptView

if TYPE_CHECKING:
    from code_assistant.events import Event, NoticeLevel
    from code_assistant.tui.agents.agent_desk import AgentDesk
    from code_assistant.tui.agents.screens import AgentScreens
    from code_assistant.tui.bridge import Bridge
    from code_assistant.tui.dialogues import Dialogues
    from code_assistant.tui.file_opener import FileOpener
    from code_assistant.tui.intake import Intake
    from code_assistant.tui.past.past_desk import PastDesk
    from code_assistant.tui.sending import Sender
    from code_assistant.tui.session_start import SessionStart
    from code_assistant.tui.stopping import Stopping

MODES: tuple[PermissionMode, ...] = ("ask", "accept-edits", "plan")
WELCOME = "Ask about the code in {0}, or say what to change. Type / for commands, @ for files, ? for keys."


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
        self.folder, self.untrusted = start.folder, start.untrusted
        self.own_keys, self._key_problems = checked_keys(start.keys)
        self._clock = clock
        self.backstage = backstage
        self.chosen_theme = ChosenTheme(load_themes(start.themes_folder, start.own_themes_folder), start.theme)
        for theme in self.chosen_theme.for_textual():
            self.register_theme(theme)
        self._begin_with_theme(self.chosen_theme.name)
        self.clean = CleanText(start.masker)
        self.transcript = Transcript()
        self.state = ScreenState(start.folder.name or str(start.folder), start.model, start.mode, branch=start.branch)
        self.state.is_undecided = start.trust is not None
        self.core = Core(backstage, self._take, lambda opened: self.session_start.opened(opened))
        self.terminal = Terminal(self)
        self.bridge_clock = ReplayClock(clock)
        self.painter = Painter(self._paint, clock)
        self.ticker = Ticker(self, self._tick)
        self.changed_files = ChangedFiles(self, backstage)
        self.is_leaving = False
        self._exit_code = 0
        self.is_detailed = False
        self._notices = 0
        self._early: tuple[Draft, ...] = ()

    # What the first frame does without, so that it need not wait for it

    @cached_property
    def bridge(self) -> Bridge:
        from code_assistant.tui.bridge import Bridge

        return Bridge(self.transcript, self.state, self.clean, self.bridge_clock)

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

        return FileOpener(self, self.backstage)

    @cached_property
    def past(self) -> PastDesk:
        from code_assistant.tui.past.past_desk import PastDesk

        return PastDesk(self)

    @cached_property
    def dialogues(self) -> Dialogues:
        from code_assistant.tui.dialogues import Dialogues

        return Dialogues(self)

    @cached_property
    def session_start(self) -> SessionStart:
        from code_assistant.tui.session_start import SessionStart

        return SessionStart(self)

    @cached_property
    def intake(self) -> Intake:
        from code_assistant.tui.intake import Intake

        return Intake(self, self._clock)

    @cached_property
    def sender(self) -> Sender:
        from code_assistant.tui.sending import Sender

        return Sender(self, self.backstage)

    @cached_property
    def stopping(self) -> Stopping:
        from code_assistant.tui.stopping import Stopping

        return Stopping(self, self._clock)

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
        palette = self.chosen_theme.palette
        services = composer_services(
            self._start, self.backstage, lambda: bool(self.state.queue or self.core.early), self._clock
        )
        self.main = MainScreen(self.transcript, palette, services, self.own_keys)
        self.view, self.composer = self.main.view, self.main.composer
        self.desk = PromptDesk(
            self.main, self.view, self.composer, palette, self._clock, self.clean.masked, self.own_keys
        )
        return self.main

    def on_mount(self) -> None:
        self.set_keymap(self.own_keys)
        self.transcript.on_change = self.painter.request
        # At once: a moment later nobody takes what we have to say.
        self.app_suspend_signal.subscribe(self, self._suspending, immediate=True)  # pyright: ignore[reportUnknownMemberType]
        self.app_resume_signal.subscribe(self, self._resumed, immediate=True)  # pyright: ignore[reportUnknownMemberType]
        self.composer.focus()
        self.welcome()
        for words in (*self._start.warnings, *self.chosen_theme.problems, *self._key_problems):
            self.tell(words, "warning")
        self._paint()
        self.call_after_refresh(self._open_first_session)

    def _open_first_session(self) -> None:
        # Who has left by now has closed what there was, and nobody would run or await another.
        if not self.is_leaving:
            self.session_start.begin(self._start)

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

    # What comes from the session, and what is painted of it

    def _take(self, event: Event) -> None:
        self.intake.take(event)

    def _tick(self) -> None:
        now = self._clock()
        self.main.activity.tick(now)
        self.agent_desk.tick(now)

    def _paint(self) -> None:
        if self.is_leaving or not self.is_running:
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
        self.sender.send(message.draft)

    @on(Composer.NothingSent)
    def _nothing_sent(self) -> None:
        self.sender.send_nothing()

    @on(Composer.TakeBackWanted)
    def _take_back_wanted(self) -> None:
        self.sender.take_back()

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

    @on(Answer)
    def _answered(self, message: Answer) -> None:
        from code_assistant.tui.prompts.answering import answer

        if self.core.session is not None:
            answer(self.core.session, message)

    @on(TrustMessage)
    def _said_of_trust(self, message: TrustMessage) -> None:
        self.run_worker(self.dialogues.trusting.take(message), group="trusting", exit_on_error=False)

    @on(CancelWanted)
    def _cancel_wanted(self, message: CancelWanted) -> None:
        self.agent_desk.cancel(message.tool_call_id)

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

    def welcome(self) -> None:
        self.tell(WELCOME.format(self.state.folder))

    async def start_over(self) -> None:
        """A new conversation in the place of the one that is shown."""
        await self.past.turning.to_new()

    async def leave(self) -> None:
        """Nothing survives but the draft: the session is closed and awaited before the app ends."""
        if self.is_leaving:
            return
        self.is_leaving = True
        self.ticker.set_ticking(False)
        self.painter.close()
        self.sender.take_back()
        try:
            await self.core.close()
            # What was sent meanwhile.
            self.sender.take_back()
        finally:
            # Only now: until then prompts are withdrawn, each of which looks for the next.
            self.desk.close()
            self.ticker.set_ticking(False)
            self.terminal.restore()
            self.exit(return_code=self._exit_code)

    def begin_rewinding(self) -> None:
        self.run_worker(self.past.rewinding.choose(), group="commands", exit_on_error=False)

    def begin_leaving(self, exit_code: int = 0) -> None:
        """For those who cannot wait: keys, and signals from outside."""
        if not self.is_leaving:
            self._exit_code = exit_code
        self.run_worker(self.leave(), group="leaving", exit_on_error=False)

    def end_by_signal(self, number: signal.Signals) -> None:
        self.stopping.end_by_signal(number)

    # Faults of the program

    def on_worker_state_changed(self, message: Worker.StateChanged) -> None:
        """A worker that fails must not end the app; it must not pass unseen either."""
        error = message.worker.error  # pyright: ignore[reportUnknownMemberType]
        if message.state is not WorkerState.ERROR or error is None:
            return
        from code_assistant.tui.faults import worker_words

        words = worker_words(error)
        if not self.is_leaving:
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
        palette = self.chosen_theme.choose(name)
        self.theme = name
        self.view.set_palette(palette)
        self.desk.set_palette(palette)
        if "agent_screens" in self.__dict__:
            self.agent_screens.set_palette(palette)

    # Keys

    def action_escape(self) -> None:
        self.stopping.escape()

    def action_stop(self) -> None:
        """In its turn: letters that were typed before may still be on their way to the composer."""
        self.composer.call_later(self.stopping.stop)

    def action_quit_if_empty(self) -> None:
        self.stopping.quit_if_empty()

    async def action_quit(self) -> None:
        await self.leave()

    def action_hang_up(self) -> None:
        """The terminal is gone, whether or not anybody says so by a signal."""
        self.end_by_signal(signal.SIGHUP)

    def action_next_mode(self) -> None:
        position = MODES.index(self.state.mode) if self.state.mode in MODES else -1
        self.set_mode(MODES[(position + 1) % len(MODES)])

    def action_press_mode(self) -> None:
        """A click, wherever the focus is."""
        self.action_next_mode()

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
        from code_assistant.tui.opening import press_part

        await press_part(self, message.part)

    @on(TranscriptView.OlderWanted)
    def _older_wanted(self) -> None:
        self.run_worker(self.past.screen.show_older(), group="older", exit_on_error=False)

    @on(TranscriptView.Toggled)
    def _block_toggled(self, message: TranscriptView.Toggled) -> None:
        self.past.conversations.keep_fold(message.block_id, message.target, is_expanded=message.is_expanded)

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
        from code_assistant.tui.opening import follow_link

        follow_link(self, message.address)

    @on(TranscriptView.OpenWanted)
    def _open_wanted(self, message: TranscriptView.OpenWanted) -> None:
        from code_assistant.tui.opening import open_block

        open_block(self, message.view, message.block)

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
        self.is_detailed = not self.is_detailed
        self.transcript.unfold_tools(self.is_detailed)
        self.agent_desk.unfold(self.is_detailed)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What a prompt is about may be long: while it has the focus, the keys that turn pages are its own.

        Among buttons, those of prompts included, the key for the mode walks back.
        """
        match action:
            case "page":
                return not isinstance(self.focused, Panel)
            case "next_mode":
                return self.focused is None or self.focused in (self.composer, self.view)
            case _:
                return True

    def action_page(self, step: int) -> None:
        self.view.scroll_relative(y=step * max(self.view.size.height - 2, 1), animate=False)

    def action_follow(self) -> None:
        self.view.follow()
