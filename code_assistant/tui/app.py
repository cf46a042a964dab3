"""The app: composes the screen, and hands events, messages and keys to those who know what to do with them."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from textual import events, on
from textual.screen import Screen

from code_assistant.permissions.modes import PermissionMode
from code_assistant.tui.agents.messages import CancelWanted, LineUnfolded
from code_assistant.tui.changed_files import ChangedFiles
from code_assistant.tui.clean_text import CleanText
from code_assistant.tui.composer.composer import Composer
from code_assistant.tui.composer.draft import Draft
from code_assistant.tui.composer.services import composer_services
from code_assistant.tui.core import Core
from code_assistant.tui.frame.drawn import PartPressed
from code_assistant.tui.key_problems import checked_keys
from code_assistant.tui.leaving import Leaving
from code_assistant.tui.main_screen import MainScreen
from code_assistant.tui.painter import Painter
from code_assistant.tui.past.replay_clock import ReplayClock
from code_assistant.tui.prompt_desk import PromptDesk
from code_assistant.tui.prompts.messages import Answer, Hidden, TrustMessage
from code_assistant.tui.start import Backstage, Start
from code_assistant.tui.state import ScreenState
from code_assistant.tui.textual_app import TextualApp
from code_assistant.tui.themes.chosen import ChosenTheme
from code_assistant.tui.themes.loading import load_themes
from code_assistant.tui.ticker import Ticker
from code_assistant.tui.transcript.blocks import OURS, NoticeBlock
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


class CodeAssistantApp(TextualApp, inherit_bindings=False):
    """Renders events and sends commands; all that it knows of the session is its public face."""

    TITLE = "code-assistant"
    CSS = "MainScreen { background: $background; color: $foreground; }"

    def __init__(self, start: Start, backstage: Backstage, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(ansi_color=start.ansi_color)
        self._start = start
        self.folder, self.untrusted = start.folder, start.untrusted
        self.own_keys, self._key_problems = checked_keys(start.keys)
        self._clock = clock
        self.backstage = backstage
        self.chosen_theme = ChosenTheme(load_themes(start.themes_folder, start.own_themes_folder), start.theme)
        for theme in self.chosen_theme.for_textual():
            self.register_theme(theme)
        self.begin_with_theme(self.chosen_theme.name)
        self.clean = CleanText(start.masker)
        self.transcript = Transcript()
        self.state = ScreenState(start.folder.name or str(start.folder), start.model, start.mode, branch=start.branch)
        self.state.is_undecided = start.trust is not None
        self.core = Core(backstage, self._take, lambda opened: self.session_start.opened(opened))
        self.bridge_clock = ReplayClock(clock)
        self.painter = Painter(self._paint, clock)
        self.ticker = Ticker(self, self._tick)
        self.changed_files = ChangedFiles(self, backstage)
        self._leaving = Leaving(self)
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

    @property
    def is_leaving(self) -> bool:
        return self._leaving.has_begun

    async def leave(self) -> None:
        await self._leaving.leave()

    def begin_rewinding(self) -> None:
        self.run_worker(self.past.rewinding.choose(), group="commands", exit_on_error=False)

    def begin_leaving(self, exit_code: int = 0) -> None:
        self._leaving.begin(exit_code)

    def end_by_signal(self, number: signal.Signals) -> None:
        self.stopping.end_by_signal(number)

    def tell_fault(self, words: str) -> None:
        if not self.is_leaving:
            self.tell(words, "error")

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

    @on(TranscriptView.Wanted)
    def _wanted_of_transcript(self, message: TranscriptView.Wanted) -> None:
        from code_assistant.tui.transcript_wishes import fulfil

        fulfil(self, message)

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
