"""Earlier conversations: choosing one, going on with it, with a copy of it, or only looking at it."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Literal, TypeAlias

from code_assistant.cli import PICKED_SESSION
from code_assistant.errors import AssistantError
from code_assistant.session.lock import SessionInUse
from code_assistant.session.not_found import SessionNotFound
from code_assistant.session.summary import SessionSummary
from code_assistant.session.view_state import BlockFolded, SessionRenamed
from code_assistant.tui.farewell import SHORT_ID
from code_assistant.tui.frame import numbers
from code_assistant.tui.pickers.picker import Picker, PickerRow

if TYPE_CHECKING:
    from code_assistant.tui.app import CodeAssistantApp

NO_SESSIONS = "There is no earlier conversation yet."
ONLY_LOOKING = (
    "This conversation is open in another program, and is only shown here. To go on, /resume it as a copy, or /new."
)
NOTHING_TO_COPY = "Nothing was said yet that could be copied."
NOTHING_TO_EXPORT = "Nothing was said yet that could be written down."
ID_START = re.compile(r"[0-9a-fA-F][0-9a-fA-F-]{3,35}")
ExportForm: TypeAlias = Literal["md", "html"]
FORMS = ("md", "html")
VIEW, FORK, LEAVE = "view", "fork", "leave"


class Conversations:
    def __init__(self, app: CodeAssistantApp) -> None:
        self._app = app

    async def begin(self, wanted: str, *, is_fork: bool) -> None:
        """What the program was started with: go on with that, or begin anew where it cannot be had."""
        try:
            picked = await self._pick() if wanted == PICKED_SESSION else wanted
            if picked is not None:
                await self._go_on(picked, is_fork=is_fork, is_first=True)
        finally:
            if self._app.core.failure is None:
                self._app.past.turning.open_if_none()

    async def resume(self, argument: str) -> None:
        """The command: one from a list, by the beginning of its id, or one in which some words were said."""
        is_id = ID_START.fullmatch(argument) is not None
        wanted = argument if is_id else await (self._pick_by_words(argument) if argument else self._pick())
        session = self._app.core.session
        if wanted is None:
            return
        if session is not None and session.id.startswith(wanted.lower()):
            self._app.tell("This is the conversation that is open.")
            return
        await self._go_on(wanted, is_fork=False, is_first=False)

    async def fork(self, prompt_id: str | None = None) -> bool:
        """Go on in a copy of the conversation that is shown, up to a prompt or whole; whether that was done."""
        app, original = self._app, self._shown_id
        if original is None:
            app.tell(NOTHING_TO_COPY, "warning")
            return False
        try:
            copy_id = await app.backstage.fork_past(original, prompt_id)
        except SessionNotFound:
            app.tell(NOTHING_TO_COPY, "warning")
            return False
        except AssistantError as error:
            app.tell(error.person, "error")
            return False
        if not await self._go_on(copy_id, is_fork=False, is_first=False):
            return False
        app.tell(f"This is a copy. The conversation that it was made of is kept: /resume {original[:SHORT_ID]}")
        return True

    async def make_copy(self) -> None:
        """The command."""
        await self.fork()

    @property
    def _shown_id(self) -> str | None:
        """The conversation that is shown, also one that is only looked at."""
        session, past = self._app.core.session, self._app.past.screen.past
        if session is not None:
            return session.id
        return past.header.id if past is not None else None

    def rename(self, title: str) -> None:
        app, session = self._app, self._app.core.session
        title = " ".join(title.split())
        if session is None and app.core.failure is not None:
            app.tell(app.core.failure.words, "warning")
            return
        if session is None or not title:
            app.tell("Say how it is to be called: /rename The tax at checkout", "warning")
            return
        session.keep_view(SessionRenamed(title))
        app.tell(f"This conversation is called “{title}” from now on.")

    async def export(self, argument: str) -> None:
        """`/export`, `/export html`, `/export notes.html`: the ending of a name says the form, too."""
        app, shown = self._app, self._shown_id
        first, _, rest = argument.partition(" ")
        named = rest.strip() if first.lower() in FORMS else argument
        form: ExportForm = "html" if "html" in (first.lower(), named.lower().rpartition(".")[2]) else "md"
        if shown is None:
            app.tell(NOTHING_TO_EXPORT, "warning")
            return
        try:
            path = await app.backstage.export_past(shown, form, named)
        except SessionNotFound:
            app.tell(NOTHING_TO_EXPORT, "warning")
        except AssistantError as error:
            app.tell(error.person, "error")
        else:
            app.tell(f"This conversation is written to {path}. Keys are masked; read it before you pass it on.")

    def keep_fold(self, block_id: str, target: str, *, is_expanded: bool) -> None:
        session = self._app.core.session
        if session is not None:
            session.keep_view(BlockFolded(block_id, is_expanded, target))

    async def _go_on(self, wanted: str, *, is_fork: bool, is_first: bool) -> bool:
        """Whether something else is shown now than before."""
        app = self._app
        try:
            held = await app.backstage.open_past(wanted, is_fork=is_fork)
            await app.past.turning.to_held(held, is_first=is_first)
        except SessionInUse as error:
            return await self._choose_in_use(error, is_first=is_first)
        except AssistantError as error:
            app.tell(error.person, "error")
            return False
        except OSError as error:
            app.tell(f"The conversation cannot be read: {error.strerror or error}.", "error")
            return False
        return True

    async def _choose_in_use(self, error: SessionInUse, *, is_first: bool) -> bool:
        where = f"process {error.process}" if error.process is not None else "another program"
        rows = [
            PickerRow(FORK, "Go on in a copy", "the other program keeps the original"),
            PickerRow(VIEW, "Only look at it", "nothing can be sent"),
            PickerRow(LEAVE, "Leave it", "" if not is_first else "begin a new conversation"),
        ]
        picked = await self._app.push_screen_wait(Picker(f"This conversation is open in {where}", rows))
        if picked == FORK:
            return await self._go_on(error.session_id, is_fork=True, is_first=is_first)
        if picked != VIEW:
            return False
        try:
            past = await self._app.backstage.read_past(error.session_id)
            await self._app.past.turning.to_view(past, ONLY_LOOKING, is_first=is_first)
        except AssistantError as failure:
            self._app.tell(failure.person, "error")
            return False
        return True

    async def _pick(self) -> str | None:
        app = self._app
        try:
            found = await app.backstage.sessions()
        except AssistantError as error:
            app.tell(error.person, "error")
            return None
        current = app.core.session.id if app.core.session is not None else ""
        # Those of this folder are what one looks for.
        found = sorted(found, key=lambda each: each.folder != str(app.folder))
        if not found:
            app.tell(NO_SESSIONS)
            return None
        rows = [self._row(each, is_current=each.id == current) for each in found]
        return await app.push_screen_wait(Picker("Conversations", rows))

    async def _pick_by_words(self, words: str) -> str | None:
        """Sessions in which these words occur, sub-agents included, with what stands around them."""
        app = self._app
        try:
            found = await app.backstage.search_sessions(words)
        except AssistantError as error:
            app.tell(error.person, "error")
            return None
        if not found:
            app.tell(f"No conversation has these words: {words}")
            return None
        line = app.clean.line
        rows = [
            PickerRow(each.session.id, line(each.snippet), f"{line(each.who)} · {line(each.session.title)}")
            for each in found
        ]
        return await app.push_screen_wait(Picker(f"Conversations with “{line(words)}”", rows))

    def _row(self, summary: SessionSummary, *, is_current: bool) -> PickerRow:
        clean = self._app.clean
        facts = [age_words(time.time() - summary.changed), size_words(summary.size)]
        if summary.branch:
            facts.insert(1, clean.line(summary.branch))
        if summary.is_copy:
            facts.insert(0, "copy")
        if summary.folder != str(self._app.folder):
            facts.append(clean.line(summary.folder))
        return PickerRow(summary.id, clean.line(summary.title), " · ".join(facts), is_current, (summary.id,))


def age_words(seconds: float) -> str:
    """`3 min`, `5 h`, `2 days`: as much as one needs to know one from another."""
    minutes = max(int(seconds // 60), 0)
    if minutes < 1:
        return "just now"
    if minutes < 60:
        return f"{minutes} min ago"
    if minutes < 60 * 48:
        return f"{minutes // 60} h ago"
    return f"{minutes // (60 * 24)} days ago"


def size_words(size: int) -> str:
    return f"{numbers.short(size)}B"
