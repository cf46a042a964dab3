"""What opens over the screen: help, lists to pick from, the rules, the address of a link."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING

from code_assistant.errors import AssistantError
from code_assistant.tui.commands import COMMANDS
from code_assistant.tui.context_view import context_paragraphs
from code_assistant.tui.frame import numbers
from code_assistant.tui.keys import KEYS, help_rows, keymap
from code_assistant.tui.link_opener import find_opener, open_address
from code_assistant.tui.pickers.doctor_screen import DoctorScreen
from code_assistant.tui.pickers.line_search import LineSearch
from code_assistant.tui.pickers.picker import Picker, PickerRow
from code_assistant.tui.pickers.text_screen import ConfirmLink, KeyGroup, KeyHelp, TextScreen
from code_assistant.tui.setup.setup import SET_UP_ROW, Setup, picked_meanwhile
from code_assistant.tui.start import ModelChoice
from code_assistant.tui.transcript.blocks import copied_text
from code_assistant.tui.trusting import Trusting

if TYPE_CHECKING:
    from code_assistant.tui.app import CodeAssistantApp

SEARCHED_LINES = 20_000
SHOWN_CHARACTERS = 300


class Dialogues:
    def __init__(self, app: CodeAssistantApp) -> None:
        self._app = app
        self.setup = Setup(app)
        self.trusting = Trusting(app)

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

    def show_context(self) -> None:
        app, session = self._app, self._app.core.session
        if session is None:
            app.tell("There is no session yet, and so nothing in the model's window.", "warning")
            return
        app.push_screen(TextScreen("What fills the model's window", context_paragraphs(session.context())))

    def copy_answer(self) -> None:
        answer = self._app.bridge.last_answer
        if answer:
            self._app.copy_to_clipboard(answer)
        self._app.tell("Copied the last answer." if answer else "There is no answer to copy yet.")

    def show_doctor(self) -> None:
        self._app.push_screen(DoctorScreen(self._app.backstage.check_setup, self._app.clean))

    def show_permissions(self) -> None:
        """The modes to choose from, and below them the rules."""
        # Not at the top: the first frame shows none of it.
        from code_assistant.tui.permission_rules import PermissionRules

        self._app.run_worker(PermissionRules(self._app).show(), group="commands", exit_on_error=False)

    async def choose_model(self, name: str) -> None:
        app = self._app
        if not name:
            name = await self._pick_model() or ""
        if name == SET_UP_ROW:
            await self.setup.choose(app.session_start.offers)
            return
        offers = app.session_start.offers
        choice = offers.find(name)
        key = next((each for each in offers.keys if choice and each.variable == choice.key_variable), None)
        if key is not None and choice is not None:
            await self.setup.enter_key(replace(key, model=choice.name), offers)
        elif name:
            await self.use_model(name)

    async def _pick_model(self) -> str | None:
        """All that are known, and those that servers on this machine have once these have answered."""
        app = self._app
        picker = Picker("Model · window · $ in / out per million", self._model_rows(()))

        async def look() -> None:
            picker.set_rows(self._model_rows(await self.setup.local_models(app.session_start.offers)))

        return await picked_meanwhile(app, picker, look)

    def _model_rows(self, local: Sequence[ModelChoice]) -> list[PickerRow]:
        known = {each.name for each in self._app.session_start.offers.models}
        choices = [*(each for each in local if each.name not in known), *self._app.session_start.offers.models]
        set_up = PickerRow(SET_UP_ROW, "Set up another …", "a key, a server on this machine, or none")
        return [set_up, *map(self._model_row, choices)]

    def _model_row(self, choice: ModelChoice) -> PickerRow:
        title = " · ".join((choice.name.partition(" (")[0], *choice.aliases[:1]))
        detail = f"no key yet · {choice.detail}" if choice.key_variable else choice.detail
        return PickerRow(choice.name, title, detail, choice.name == self._app.state.model, choice.aliases)

    async def use_model(self, name: str) -> None:
        """From the next request on, and at the next start, unless a setting says otherwise."""
        app, session = self._app, self._app.core.session
        if session is None:
            app.tell("There is no session yet to choose a model for.", "warning")
            return
        if name == app.state.model:
            found = name
        else:
            try:
                found = session.set_model(name)
            except AssistantError as error:
                # No key for it, for one thing; the model stays what it was.
                app.tell(error.person, "error")
                return
            self._tell_model(found)
        app.session_start.chosen_model = found
        try:
            await asyncio.to_thread(app.backstage.remember_model, found)
        except AssistantError as error:
            app.tell(error.person, "warning")

    def _tell_model(self, name: str) -> None:
        """A service may have models of its own, so that one we do not know is used, and a slip is seen."""
        offers = self._app.session_start.offers
        provider, slash, _ = name.partition("/")
        if offers.find(name) is not None or not offers.models or (slash and provider in offers.providers):
            self._app.tell(f"The model is {name} from the next request on.")
            return
        known = [word for each in offers.models for word in (*each.aliases, each.name)]
        near = get_close_matches(name, known, 3, 0.4)
        words = f"Did you mean {' or '.join(near)}?" if near else f"Known are: {', '.join(known)}."
        self._app.tell(
            f"{name!r} is no model that is known here; the service is asked for it all the same. {words}", "warning"
        )

    async def choose_theme(self, name: str) -> None:
        app = self._app
        before = app.chosen_theme.name
        names = [each for each, _ in app.chosen_theme.choices]
        if not name:
            rows = [PickerRow(each, each, words, each == before) for each, words in app.chosen_theme.choices]
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
            app.sender.run_command(command)
        elif picked is not None:
            await app.run_action(picked)

    async def search(self) -> None:
        """All lines of the conversation, the newest first; the picked one is brought into sight."""
        app = self._app
        await app.past.screen.show_all()
        found = ((block, line) for block in reversed(app.transcript.blocks) for line in _lines(copied_text(block)))
        lines = list(islice(found, SEARCHED_LINES))
        picked = await app.push_screen_wait(LineSearch("Search the conversation", [line for _, line in lines]))
        if picked is not None:
            block, line = lines[int(picked)]
            app.view.focus()
            app.view.mark(block)
            app.view.show_text(block, line)

    def confirm_link(self, address: str) -> None:
        def opened(is_wanted: bool | None) -> None:
            if is_wanted:
                self._open_link(address)

        self._app.push_screen(ConfirmLink(address), opened)

    def _open_link(self, address: str) -> None:
        untrusted = self._app.untrusted
        program = find_opener(os.environ, sys.platform, untrusted)
        if program is None:
            self._give_link(address)
            return
        loop = asyncio.get_running_loop()

        def failed() -> None:
            # By then the program may be over.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._give_link, address)

        open_address(program, address, os.environ, untrusted, failed)

    def _give_link(self, address: str) -> None:
        self._app.copy_to_clipboard(address)
        self._app.tell(f"No browser could be opened. The address was copied: {address}", "warning")

    def _key_groups(self) -> list[KeyGroup]:
        """In the order of the table, which is that of what people look for."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for place, keys, words in help_rows(self._app.own_keys):
            groups.setdefault(place, []).append((keys, words))
        return [KeyGroup(place.capitalize(), keys) for place, keys in groups.items()]


def _lines(text: str) -> Iterator[str]:
    """The beginnings of all lines that have anything in them, one by one: a text may have more than are wanted."""
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = end if end >= 0 else len(text)
        if line := text[start:end].strip():
            yield line[:SHOWN_CHARACTERS]
        start = end + 1
