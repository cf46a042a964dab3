"""Asks whether the folder is trusted, before there is a session, and again when the person wants to decide anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from code_assistant.errors import AssistantError
from code_assistant.tui.frame.spans import Span
from code_assistant.tui.keys import shown_key
from code_assistant.tui.pickers.text_screen import TextScreen
from code_assistant.tui.pickers.text_view import Paragraph
from code_assistant.tui.prompts.exact import escaped_line
from code_assistant.tui.prompts.messages import TrustAnswered, TrustListWanted, TrustMessage
from code_assistant.tui.prompts.trust import TrustAsked
from code_assistant.tui.start import Start, TrustAnswer, TrustQuestion
from code_assistant.tui.transcript.blocks import OURS, ToolBlock

if TYPE_CHECKING:
    from code_assistant.tui.app import CodeAssistantApp

TITLE = "Before anything of this folder counts"
LISTED = "What stands in it"
NOTHING_LISTED = "Nothing of it can be read."
FIRST = "First say whether you trust this folder: {0} goes to the question. What you wrote is kept."
TRUSTED_ALREADY = (
    "This folder is trusted in this run. What is kept of that is removed by: code-assistant trust --remove"
)
WITHOUT = (
    "Of what lies in this folder for assistants only rules that deny or ask count, and git is not asked. "
    "/trust asks again."
)
FROM_NOW_ON = "This folder is trusted. Its settings and instructions count from the next conversation on: /new"
SUMMARIES: dict[TrustAnswer, str] = {"keep": "trusted", "once": "trusted in this run", "without": "not trusted"}


class Trusting:
    def __init__(self, app: CodeAssistantApp) -> None:
        self._app = app
        self._start: Start | None = None
        self._questions = 0
        self._has_said_first = False

    def begin(self, start: Start, question: TrustQuestion) -> None:
        """The session waits for the answer."""
        self._start = start
        self._ask(question)

    def say_first(self) -> None:
        """Once: whoever presses Enter again has it before their eyes."""
        if self._has_said_first:
            return
        self._has_said_first = True
        self._app.tell(FIRST.format(shown_key("prompt", self._app.own_keys)), "warning")

    async def ask_again(self) -> None:
        """The command."""
        app = self._app
        if app.desk.go_to_oldest():
            return
        question = await app.backstage.trust_question()
        if question is None:
            app.tell(TRUSTED_ALREADY)
        else:
            self._ask(question)

    async def take(self, message: TrustMessage) -> None:
        match message:
            case TrustAnswered(request_id=request_id, answer=answer):
                await self._decide(request_id, answer)
            case TrustListWanted(request_id=request_id):
                await self._show_contents()
                self._app.desk.go_back_to(request_id)
            case _:
                self._app.begin_leaving()

    async def _decide(self, request_id: str, answer: TrustAnswer) -> None:
        """What the person said may turn out to be impossible: then they are asked once more."""
        app = self._app
        try:
            decided = await app.backstage.decide_trust(answer)
        except AssistantError as error:
            self._close(request_id, "could not be trusted")
            app.tell(error.person, "error")
            question = await app.backstage.trust_question()
            if question is not None and not app.is_leaving:
                self._ask(question)
            return
        self._close(request_id, SUMMARIES[answer])
        if decided.notice:
            app.tell(decided.notice, "warning")
        app.state.is_untrusted, app.state.branch = not app.backstage.is_trusted, decided.branch
        start, self._start, app.state.is_undecided = self._start, None, False
        if answer == "without":
            app.tell(WITHOUT)
        elif start is None:
            app.tell(FROM_NOW_ON)
        if start is None:
            app.changed_files.look()
        elif not app.is_leaving:
            app.session_start.begin(start)
        app.painter.request()

    async def _show_contents(self) -> None:
        """Until they close it. The key that asks for it is the person's own order to read it."""
        app = self._app
        paragraphs: list[Paragraph] = []
        for heading, lines in await app.backstage.trust_contents():
            if paragraphs:
                paragraphs.append(Paragraph())
            paragraphs.append(Paragraph((Span(self._shown(heading), "heading"),)))
            paragraphs += [Paragraph((Span(self._shown(line)),)) for line in lines]
        await app.push_screen_wait(TextScreen(LISTED, paragraphs or [Paragraph((Span(NOTHING_LISTED),))]))

    def _shown(self, text: str) -> str:
        """One line each, whatever stands in it: none may pass for one of ours."""
        return escaped_line(self._app.clean.masked(text))

    def _ask(self, question: TrustQuestion) -> None:
        app = self._app
        self._questions += 1
        name = f"{OURS}trust-{self._questions}"
        app.transcript.add(ToolBlock(name, "trust", TITLE, state="waiting"))
        app.state.waiting_prompts += 1
        app.desk.add(TrustAsked(name, name, question))
        app.view.follow()
        app.painter.request(soon=True)

    def _close(self, request_id: str, summary: str) -> None:
        app = self._app
        app.desk.remove(request_id)
        app.state.waiting_prompts -= 1
        block = app.transcript.find(request_id)
        if isinstance(block, ToolBlock):
            block.state, block.summary = "success", summary
            app.transcript.touch(block)
