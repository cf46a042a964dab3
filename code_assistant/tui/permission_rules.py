"""What /permissions shows and does: the mode, every rule and what it did; rules can be added, changed and deleted."""

from __future__ import annotations

from collections.abc import Awaitable, Iterator
from typing import TYPE_CHECKING

from code_assistant.errors import AssistantError
from code_assistant.permissions.listed_rules import RULE_LISTS, RULE_PLACES, ListedRule, RuleList, RulePlace
from code_assistant.permissions.modes import PERMISSION_MODES
from code_assistant.tui.frame.spans import Span
from code_assistant.tui.pickers.picker import Picker, PickerRow
from code_assistant.tui.pickers.rule_entry import RuleEntry
from code_assistant.tui.pickers.text_screen import TextScreen
from code_assistant.tui.pickers.text_view import Paragraph
from code_assistant.tui.rendering.wrapping import cut_to_cells

if TYPE_CHECKING:
    from code_assistant.agent.session import Session
    from code_assistant.tui.app import CodeAssistantApp

# How wide a list gets, and what is around a title in it.
PICKER_CELLS = 76
BESIDE_TITLE = 12
# Of what a rule matched last: it is there to be known again, and the rule's own words are beside it.
LAST_CELLS = 200
MODE_WORDS = {
    "ask": "reading here is free, the rest asks",
    "accept-edits": "edits here are free, too",
    "plan": "nothing changes until a plan is approved",
    "yolo": "nothing is asked, all runs that no rule denies",
}
LIST_WORDS: dict[RuleList, str] = {
    "deny": "never, whatever else allows it",
    "ask": "always ask, whatever allows it",
    "allow": "without asking",
}
PLACE_WORDS: dict[RulePlace, str] = {
    "session": "until this session ends",
    "folder": "for good, in this folder",
    "everywhere": "for good, in all folders",
}
ADD = "add a rule"
CHANGE = "change"
DELETE = "delete"
TO_DO = "What is {0} to do?"
COUNTS = "Where does {0} count?"
NOT_DONE = "This could not be done"


class PermissionRules:
    def __init__(self, app: CodeAssistantApp) -> None:
        self._app = app

    async def show(self) -> None:
        """Until a mode was chosen, or the list is left."""
        while True:
            title = "Permissions: choose the mode, or a rule"
            picked = await self._app.push_screen_wait(Picker(title, self._rows()))
            session = self._app.core.session
            if picked in PERMISSION_MODES:
                self._app.set_mode(picked)
                return
            if not picked or session is None:
                return
            if picked == ADD:
                await self._add(session)
            else:
                await self._change(session, picked)

    def _rows(self) -> list[PickerRow]:
        app = self._app
        rows = [PickerRow(mode, mode, MODE_WORDS[mode], mode == app.state.mode) for mode in PERMISSION_MODES]
        if app.state.is_untrusted:
            rows.append(PickerRow("", "this folder is not trusted: /trust asks again"))
        session = app.core.session
        if session is None:
            return rows
        if session.rule_keeping is not None:
            rows.append(PickerRow(ADD, "Add a rule …", "to deny, ask for or allow something"))
        return [*rows, *(self._rule_row(rule, rule.id) for rule in session.rules)]

    def _rule_row(self, rule: ListedRule, value: str) -> PickerRow:
        """Shown whole: two rules may differ in their last characters only."""
        text = f"{rule.list} {self._app.clean.line(rule.text)}"
        return PickerRow(value, text, self._told(rule), is_whole=True)

    def _told(self, rule: ListedRule) -> str:
        source = f"for {rule.source} alone" if rule.for_agent else f"from {rule.source}"
        if not rule.matched:
            return f"{source} · did not match yet"
        last = cut_to_cells(self._app.clean.line(rule.last), LAST_CELLS)
        times = "once" if rule.matched == 1 else f"{rule.matched} times"
        return f"{source} · matched {times}, last: {last}"

    async def _add(self, session: Session) -> None:
        keeping = session.rule_keeping
        if keeping is None:
            return
        text = await self._app.push_screen_wait(RuleEntry(keeping.problem))
        if not text:
            return
        list_rows = [PickerRow(each, each, LIST_WORDS[each]) for each in RULE_LISTS]
        chosen = await self._app.push_screen_wait(Picker(self._naming(TO_DO, text), list_rows))
        place_rows = [PickerRow(each, each, PLACE_WORDS[each]) for each in RULE_PLACES]
        place = chosen and await self._app.push_screen_wait(Picker(self._naming(COUNTS, text), place_rows))
        if chosen in RULE_LISTS and place in RULE_PLACES:
            await self._try(keeping.add(text, chosen, place))

    async def _change(self, session: Session, rule_id: str) -> None:
        keeping = session.rule_keeping
        rule = next((each for each in session.rules if each.id == rule_id), None)
        if rule is None or keeping is None:
            return
        picked = await self._app.push_screen_wait(Picker("This rule", [*self._offers(rule)]))
        if picked == CHANGE:
            text = await self._app.push_screen_wait(RuleEntry(keeping.problem, "Change this rule", rule.text))
            if text:
                await self._try(keeping.change(rule_id, text))
        elif picked == DELETE:
            await self._try(keeping.remove(rule_id))
        elif picked in RULE_PLACES:
            await self._try(keeping.keep(rule_id, picked))

    def _offers(self, rule: ListedRule) -> Iterator[PickerRow]:
        """What can be done with a rule, and below it the rule itself."""
        if rule.is_of_session:
            # No other session has this very agent, so what is kept counts for all of them.
            whom = "for all agents, " if rule.for_agent else ""
            yield PickerRow("folder", "Keep it", whom + PLACE_WORDS["folder"])
            yield PickerRow("everywhere", "Keep it", whom + PLACE_WORDS["everywhere"])
        if rule.can_be_changed:
            if self._is_writable(rule.text):
                yield PickerRow(CHANGE, "Change it …")
            yield PickerRow(DELETE, "Delete it")
        else:
            yield PickerRow("", f"It comes from {rule.source}: change it there.", is_whole=True)
        yield self._rule_row(rule, "")

    def _is_writable(self, text: str) -> bool:
        """Whether one line can hold it as it is: a secret is not shown, and what cannot be seen cannot be changed."""
        return self._app.clean.line(text) == text and len(text) <= RuleEntry.LONGEST

    def _naming(self, words: str, rule: str) -> str:
        """The words with a rule in them, of which so much is left out as it takes."""
        room = min(self._app.size.width, PICKER_CELLS) - BESIDE_TITLE
        return words.format(cut_to_cells(rule, max(room - len(words), 8)))

    async def _try(self, change: Awaitable[object]) -> None:
        """What could not be done is told before the list is shown again."""
        try:
            await change
        except AssistantError as error:
            words = Paragraph((Span(self._app.clean.line(error.person), "error"),))
            await self._app.push_screen_wait(TextScreen(NOT_DONE, [words]))
