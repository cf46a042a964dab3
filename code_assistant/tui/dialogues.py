"""What opens over the screen: help, lists to pick from, the rules, the address of a link."""

from __future__ import annotations

import webbrowser
from typing import TYPE_CHECKING

from code_assistant.permissions.modes import PERMISSION_MODES
from code_assistant.tui.commands import COMMANDS
from code_assistant.tui.frame import numbers
from code_assistant.tui.keys import KEYS, help_rows, keymap
from code_assistant.tui.pickers.picker import Picker, PickerRow
from code_assistant.tui.pickers.text_screen import ConfirmLink, KeyGroup, KeyHelp, TextScreen
from code_assistant.tui.transcript.blocks import copied_text

if TYPE_CHECKING:
    from code_assistant.tui.app import CodeAssistantApp

SEARCHED_LINES = 20_000
SHOWN_CHARACTERS = 300
MODE_WORDS = {
    "ask": "reading here is free, the rest asks",
    "accept-edits": "edits here are free, too",
    "plan": "nothing is changed until a plan is approved",
    "yolo": "everything runs, nothing is asked",
}


class Dialogues:
    def __init__(self, app: CodeAssistantApp) -> None:
        self._app = app

    def show_keys(self) -> None:
        self._app.push_screen(KeyHelp(self._key_groups()))

    def show_help(self) -> None:
        commands = [(f"/{each.name} {each.argument}".rstrip(), each.help) for each in COMMANDS]
        self._app.push_screen(KeyHelp([KeyGroup("Commands", commands), *self._key_groups()], "Help"))

    def show_cost(self) -> None:
        state = self._app.state
        usage = state.usage
        cost = numbers.money(state.cost) if numbers.is_known(state.cost) and state.cost is not None else "unknown"
        lines = [
            f"# {state.model}",
            f"cost               {cost}",
            f"all tokens         {usage.total:,}",
            f"sent               {usage.input:,}",
            f"sent, from cache   {usage.cache_read:,}",
            f"sent, into cache   {usage.cache_write:,}",
            f"received           {usage.output:,}",
        ]
        self._app.push_screen(TextScreen("Cost of this session", "\n".join(lines)))

    def show_permissions(self) -> None:
        """The modes to choose from, and below them what rules say."""
        self._app.run_worker(self._choose_mode(), group="commands", exit_on_error=False)

    async def _choose_mode(self) -> None:
        app = self._app
        rows = [PickerRow(mode, mode, MODE_WORDS[mode], mode == app.state.mode) for mode in PERMISSION_MODES]
        session = app.core.session
        rules = session.rules if session is not None else ()
        rows += [PickerRow("", f"{whom}: {rule}", "rule") for whom, rule in rules]
        picked = await app.push_screen_wait(Picker("Permissions: choose the mode", rows))
        for mode in PERMISSION_MODES:
            if mode == picked:
                app.set_mode(mode)

    async def choose_model(self, name: str) -> None:
        app = self._app
        if not name:
            rows = [PickerRow(each.name, each.name, each.detail, each.name == app.state.model) for each in app.models]
            name = await app.push_screen_wait(Picker("Model", rows)) or ""
        session = app.core.session
        if name and session is None:
            app.tell("There is no session yet to choose a model for.", "warning")
        elif name and session is not None:
            session.set_model(name)

    async def choose_theme(self, name: str) -> None:
        app = self._app
        before = app.theme_name
        names = [each for each, _ in app.theme_choices]
        if not name:
            rows = [PickerRow(each, each, words, each == before) for each, words in app.theme_choices]
            name = await app.push_screen_wait(Picker("Theme", rows, on_highlight=app.set_screen_theme)) or before
        if name not in names:
            app.tell(f"There is no theme {name!r}. There are: {', '.join(names)}.", "warning")
            return
        app.set_screen_theme(name)
        if name != before:
            app.tell(f'This theme is for now. To keep it, write theme = "{name}" below [screen] in your settings.')

    async def choose_command(self) -> None:
        """Every command, and everything that a key does anywhere."""
        app = self._app
        changed = keymap(app.own_keys)
        rows = [PickerRow(f"/{each.name}", f"/{each.name}", each.help) for each in COMMANDS]
        rows += [PickerRow(key.action, key.help, changed.get(key.id, key.keys)) for key in KEYS]
        picked = await app.push_screen_wait(Picker("Commands", rows))
        command = next((each for each in COMMANDS if picked == f"/{each.name}"), None)
        if command is not None:
            app.run_command(command)
        elif picked is not None:
            await app.run_action(picked)

    async def search(self) -> None:
        """All lines of the conversation, the newest first; the picked one is brought into sight."""
        app = self._app
        lines = [
            (block, line.strip())
            for block in reversed(app.transcript.blocks)
            for line in copied_text(block).split("\n")
            if line.strip()
        ][:SEARCHED_LINES]
        rows = [PickerRow(str(number), line[:SHOWN_CHARACTERS]) for number, (_, line) in enumerate(lines)]
        picked = await app.push_screen_wait(Picker("Search the conversation", rows))
        if picked is not None:
            block, line = lines[int(picked)]
            app.view.focus()
            app.view.mark(block)
            app.view.show_text(block, line)

    def confirm_link(self, address: str) -> None:
        def opened(is_wanted: bool | None) -> None:
            if is_wanted:
                webbrowser.open(address)

        self._app.push_screen(ConfirmLink(address), opened)

    def _key_groups(self) -> list[KeyGroup]:
        """In the order of the table, which is that of what people look for."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for place, keys, words in help_rows(self._app.own_keys):
            groups.setdefault(place, []).append((keys, words))
        return [KeyGroup(place.capitalize(), keys) for place, keys in groups.items()]
