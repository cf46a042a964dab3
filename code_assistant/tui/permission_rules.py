"""What /permissions shows and does: the mode, every rule with what it did so far, adding and deleting them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.cells import cell_len

from code_assistant.errors import AssistantError
from code_assistant.permissions.listed_rules import RULE_LISTS, RULE_PLACES, ListedRule, RuleList, RulePlace
from code_assistant.permissions.modes import PERMISSION_MODES
from code_assistant.tui.frame.spans import plain
from code_assistant.tui.pickers.picker import Picker, PickerRow
from code_assistant.tui.pickers.rule_entry import RuleEntry

if TYPE_CHECKING:
    from code_assistant.agent.session import Session
    from code_assistant.tui.app import CodeAssistantApp

# How wide a list gets, and what is around a title in it.
PICKER_CELLS = 76
BESIDE_TITLE = 12
MODE_WORDS = {
    "ask": "reading here is free, the rest asks",
    "accept-edits": "edits here are free, too",
    "plan": "nothing is changed until a plan is approved",
    "yolo": "everything runs, nothing is asked",
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
DELETE = "delete"


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
        return [*rows, *(row for rule in session.rules for row in self._rule_rows(rule))]

    def _rule_rows(self, rule: ListedRule) -> Iterator[PickerRow]:
        room = min(self._app.size.width, PICKER_CELLS) - BESIDE_TITLE
        for line in _whole(f"{rule.list} {self._app.clean.line(rule.text)}", room):
            yield PickerRow(rule.id, line)
        for line in _whole(f"  {self._told(rule)}", room):
            yield PickerRow(rule.id, line)

    def _told(self, rule: ListedRule) -> str:
        source = f"for {rule.source} alone" if rule.for_agent else f"from {rule.source}"
        if not rule.matched:
            return f"{source} · did not match yet"
        times = "once" if rule.matched == 1 else f"{rule.matched} times"
        return f"{source} · matched {times}, last: {self._app.clean.line(rule.last)}"

    async def _add(self, session: Session) -> None:
        keeping = session.rule_keeping
        if keeping is None:
            return
        text = await self._app.push_screen_wait(RuleEntry(keeping.problem))
        if not text:
            return
        list_rows = [PickerRow(each, each, LIST_WORDS[each]) for each in RULE_LISTS]
        chosen = await self._app.push_screen_wait(Picker("What is this rule to do?", list_rows))
        place_rows = [PickerRow(each, each, PLACE_WORDS[each]) for each in RULE_PLACES]
        place = chosen and await self._app.push_screen_wait(Picker("Where does it count?", place_rows))
        if chosen in RULE_LISTS and place in RULE_PLACES:
            with _Told(self._app):
                await keeping.add(text, chosen, place)

    async def _change(self, session: Session, rule_id: str) -> None:
        keeping = session.rule_keeping
        rule = next((each for each in session.rules if each.id == rule_id), None)
        if rule is None or keeping is None:
            return
        rows = [PickerRow("", row.title) for row in self._rule_rows(rule)]
        picked = await self._app.push_screen_wait(Picker("This rule", [*_actions(rule), *rows]))
        with _Told(self._app):
            if picked == DELETE:
                await keeping.remove(rule_id)
            elif picked in RULE_PLACES:
                await keeping.keep(rule_id, picked)


class _Told:
    """What could not be done is told, and the list is shown again."""

    def __init__(self, app: CodeAssistantApp) -> None:
        self._app = app

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: object) -> bool:
        if not isinstance(error, AssistantError):
            return False
        self._app.tell(error.person, "error")
        return True


def _actions(rule: ListedRule) -> Iterator[PickerRow]:
    if rule.is_of_session:
        yield PickerRow("folder", "Keep it", PLACE_WORDS["folder"])
        yield PickerRow("everywhere", "Keep it", PLACE_WORDS["everywhere"])
    if rule.can_be_deleted:
        yield PickerRow(DELETE, "Delete it")
    else:
        yield PickerRow("", f"It comes from {rule.source}: change it there.")


def _whole(text: str, cells: int) -> Iterator[str]:
    """A text over as many rows as it takes."""
    rest = plain(text)
    prefix = ""
    while rest:
        room = max(cells - len(prefix), 8)
        count = next((end for end in range(len(rest), 0, -1) if cell_len(rest[:end]) <= room), 1)
        yield prefix + rest[:count]
        rest, prefix = rest[count:], "  "
