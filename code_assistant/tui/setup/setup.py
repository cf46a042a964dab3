"""What is offered when no model is set up yet, and when somebody wants another one: keys, servers here, none at all."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from code_assistant.errors import AssistantError
from code_assistant.tui.pickers.picker import Picker, PickerRow
from code_assistant.tui.setup.key_entry import KeyEntry
from code_assistant.tui.setup.offers import Offers
from code_assistant.tui.start import KeyChoice, ModelChoice

if TYPE_CHECKING:
    from code_assistant.tui.app import CodeAssistantApp

TITLE = "No model yet: how to begin?"
ANOTHER_TITLE = "Set up a model"
KEY_ROW = "key "
MODEL_ROW = "model "
SET_UP_ROW = "set up"
LOOKING = "(looking for model servers …)"
NONE_FOUND = "(no model server runs here)"
KEPT = "The key is kept in {0}."
SHADOWED = "The variable {0} is set, too, and counts again from the next start on. Unset or correct it."
MAKESHIFT = "No model is set up, so the offline explorer answers: no language model, but it really searches and reads."
FOUND = "A model server runs on this machine: /model {0} uses it."


class Setup:
    def __init__(self, app: CodeAssistantApp) -> None:
        self._app = app
        self._local: tuple[ModelChoice, ...] = ()

    def begin(self, offers: Offers) -> None:
        """The first time, when nobody is typing: whoever has begun to is only told."""
        self._app.tell(MAKESHIFT)
        app = self._app
        if app.composer.is_empty and not app.core.early and len(app.screen_stack) == 1:
            self._app.run_worker(self.choose(offers, TITLE), group="commands", exit_on_error=False)

    async def tell_local(self, offers: Offers) -> None:
        """Somebody who explores without a model may like to know that there is one at hand."""
        found = await self.local_models(offers)
        if found:
            self._app.tell(FOUND.format(found[0].name))

    async def local_models(self, offers: Offers) -> tuple[ModelChoice, ...]:
        """Servers on this machine, asked anew each time: they come and go."""
        if offers.look_for_local is not None:
            self._local = await offers.look_for_local()
        return self._local

    async def choose(self, offers: Offers, title: str = ANOTHER_TITLE) -> None:
        picker = Picker(title, _rows(offers, (), LOOKING))

        async def look() -> None:
            found = await self.local_models(offers)
            picker.set_rows(_rows(offers, found, "" if found else NONE_FOUND))

        picked = await picked_meanwhile(self._app, picker, look)
        key = next((each for each in offers.keys if picked == f"{KEY_ROW}{each.variable}"), None)
        if key is not None:
            await self.enter_key(key, offers)
        elif picked is not None and picked.startswith(MODEL_ROW):
            await self._take_model(picked.removeprefix(MODEL_ROW), offers)

    async def enter_key(self, key: KeyChoice, offers: Offers) -> None:
        """The conversation goes on: only the model is another one."""
        app = self._app
        entered = await app.push_screen_wait(
            KeyEntry(f"Key for {key.title}", f"It is kept for you only, as {key.variable}.")
        )
        if entered is None:
            return
        app.clean.hide(entered)
        try:
            where = await asyncio.to_thread(app.backstage.keep_key, key.variable, entered)
        except AssistantError as error:
            app.tell(error.person, "error")
            return
        app.tell(KEPT.format(where))
        if os.environ.get(key.variable, "").strip():
            app.tell(SHADOWED.format(key.variable), "warning")
        if offers.learn_key is not None:
            offers.learn_key(key.variable, entered)
            app.session_start.offers = offers.with_key(key.variable)
        await app.dialogues.use_model(key.model)

    async def _take_model(self, name: str, offers: Offers) -> None:
        app = self._app
        await app.dialogues.use_model(name)
        is_offline = offers.offline is not None and name == offers.offline.name
        if is_offline and app.composer.is_empty:
            # Enter is all it takes to see what it does; whoever types something else means that alone.
            app.composer.put(offers.suggestion)
            app.composer.select_all()


async def picked_meanwhile(app: CodeAssistantApp, picker: Picker, work: Callable[[], Awaitable[None]]) -> str | None:
    """What the person picks; the work goes on while the list is open, and no longer."""
    async with asyncio.TaskGroup() as group:
        working = group.create_task(_awaited(work))
        try:
            return await app.push_screen_wait(picker)
        finally:
            working.cancel()


async def _awaited(work: Callable[[], Awaitable[None]]) -> None:
    await work()


def _rows(offers: Offers, local: Sequence[ModelChoice], note: str) -> list[PickerRow]:
    rows: list[PickerRow] = []
    if offers.offline is not None:
        rows.append(PickerRow(f"{MODEL_ROW}{offers.offline.name}", "Explore offline", offers.offline.detail))
    rows += [PickerRow(f"{MODEL_ROW}{each.name}", each.name, each.detail) for each in local]
    for key in offers.keys:
        rows.append(PickerRow(f"{KEY_ROW}{key.variable}", f"{key.title} key", f"entered here, kept as {key.variable}"))
    if note:
        rows.append(PickerRow("", note))
    return rows
