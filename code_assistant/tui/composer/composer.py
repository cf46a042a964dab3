"""The composer: the multi-line input at the bottom of the screen."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from rich.segment import Segment
from textual import events
from textual.actions import SkipAction
from textual.app import App, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widgets.text_area import Selection

from code_assistant.errors import AssistantError
from code_assistant.tui.composer.completion import Completion
from code_assistant.tui.composer.draft import SHELL_MARK, Draft, joined, reattached, rewritten
from code_assistant.tui.composer.draft_file import DraftKeeper, read_draft
from code_assistant.tui.composer.external_editor import edited, editor_command
from code_assistant.tui.composer.file_finder import FileFinder
from code_assistant.tui.composer.folded_area import FoldedArea
from code_assistant.tui.composer.folds import ImageFile
from code_assistant.tui.composer.history_search import HistorySearch
from code_assistant.tui.composer.input_history import HistoryWalk
from code_assistant.tui.composer.pasting import cleaned, image_paths, is_folded
from code_assistant.tui.composer.popup import Popup
from code_assistant.tui.composer.services import ComposerServices
from code_assistant.tui.composer.triggers import Completed, Trigger, trigger_at
from code_assistant.tui.keys import COMPOSER_KEYS, ESCAPE, bindings

PLACEHOLDER = " @ files · / commands · ! shell"
MARK = "› "
SHELL = "$ "
# A file system that does not answer must not hold up typing for longer.
IMAGE_SECONDS = 2.0


class Composer(FoldedArea):
    """Enter sends. What is in it changes when the person writes, and when something of theirs comes back: a queue, a
    prompt that could not be sent, the draft of an earlier run.

    All keys are dealt with here and in the order in which they were pressed: a binding of Textual's would run in the
    app, where it overtakes letters that were typed before it.
    """

    DEFAULT_CSS = """
    Composer {
        height: auto;
        min-height: 2;
        max-height: 34vh;
        padding: 0 1;
        border: none;
        border-top: solid $border-blurred;
        background: $background;
        scrollbar-size-vertical: 1;
        &:focus { border: none; border-top: solid $border; }
        &.-shell { border-top: solid $warning; }
        & .composer--mark { color: $primary; text-style: bold; }
        & .composer--shell { color: $warning; text-style: bold; }
        & .composer--fold { color: $secondary; }
        & .text-area--placeholder { color: $foreground-muted; }
    }
    """
    COMPONENT_CLASSES = {"composer--mark", "composer--shell"}  # noqa: RUF012
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(COMPOSER_KEYS),
        Binding(ESCAPE, "close_list", show=False, id="interrupt"),
        # Of the editor's own keys this is the app's.
        Binding("ctrl+z", "leave_to_app", show=False),
    ]

    @dataclass
    class Sent(Message):
        """The person sends this."""

        draft: Draft

    class NothingSent(Message):
        """Enter, and nothing is written."""

    class TakeBackWanted(Message):
        """The person wants back what waits in the queue; `take_back` puts it before what is written."""

    class HelpWanted(Message):
        """A question mark in an empty composer."""

    @dataclass
    class Complained(Message):
        """Something did not work, in words for the person."""

        text: str

    def __init__(self, services: ComposerServices, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.placeholder = Content(PLACEHOLDER)
        self._services = services
        self._walk: HistoryWalk | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._own_keys: dict[str, str] | None = None
        self._popup = Popup(self._picked)
        self._finder = FileFinder(services.list_files, self._found, self._complain, services.clock)
        self._completion = Completion(self._popup, self._finder, services.commands, self._region, self._complete)
        self._search = HistorySearch(self._popup, self._region, self._recall)
        self._keeper = DraftKeeper(services.draft_file, self.draft, self._complain)

    # What others may know and do

    @property
    def is_empty(self) -> bool:
        return self.document.line_count == 1 and not self.document[0]

    @property
    def is_popup_open(self) -> bool:
        return self._completion.is_open or self._search.is_open

    def put(self, written: Draft | str) -> None:
        """Set the draft; the cursor goes to its end."""
        self._walk = None
        self.write(written if isinstance(written, Draft) else Draft(written))
        # Nobody has typed the word that it ends with.
        self.close_popup()

    def take_back(self, drafts: Sequence[Draft]) -> None:
        """Put drafts before what is written, which stays."""
        self.put(joined((*drafts, self.draft()) if not self.is_empty else tuple(drafts)))

    def clear_draft(self) -> None:
        """Take everything away; undo brings it back."""
        self.put(Draft(""))

    def close_popup(self) -> bool:
        """Close what is open above the composer; whether there was anything."""
        was_open = self.is_popup_open
        self._search.close()
        self._completion.close()
        return was_open

    # Coming and going

    def on_mount(self) -> None:
        self.screen.mount(self._popup)
        self.screen.bindings_updated_signal.subscribe(self, self._forget_keys)  # pyright: ignore[reportUnknownMemberType]
        self.screen.screen_layout_refresh_signal.subscribe(self, self._place_popup)  # pyright: ignore[reportUnknownMemberType]
        self.call_after_refresh(lambda: self._start(self._load()))

    def on_unmount(self) -> None:
        self._finder.close()
        for task in self._tasks:
            task.cancel()
        self._keeper.close()
        self._write_history()

    def on_blur(self) -> None:
        self.close_popup()

    async def _load(self) -> None:
        """What earlier runs left behind; after the first frame, and never over what is typed already."""
        services = self._services
        if services.draft_file is not None:
            draft = await asyncio.to_thread(read_draft, services.draft_file, services.read_image)
            if draft is not None and self.is_empty:
                self.write(draft)
            elif draft is not None:
                services.history.add(draft)
        await asyncio.to_thread(services.history.load)

    @property
    def _host(self) -> App[Any]:
        return cast("App[Any]", self.app)  # pyright: ignore[reportUnknownMemberType]

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _write_history(self) -> None:
        try:
            self._services.history.write()
        except AssistantError as error:
            self._complain(str(error))

    def _complain(self, text: str) -> None:
        self.post_message(self.Complained(text))

    # Keys

    async def _on_key(self, event: events.Key) -> None:
        if await self._takes(event):
            event.stop()
            event.prevent_default()

    async def _takes(self, event: events.Key) -> bool:
        if self.is_popup_open and self._keys().get(event.key) == "close_list":
            self.action_close_list()
            return True
        if self._search.takes(event) or self._completion.takes(event.key):
            return True
        if event.is_printable:
            if event.character == "?" and self.is_empty:
                self.post_message(self.HelpWanted())
                return True
            return False
        action = self._keys().get(event.key)
        return action is not None and await self._host.run_action(action, self)

    def _keys(self) -> dict[str, str]:
        """Our keys as the person has set them."""
        if self._own_keys is None:
            active = self.screen.active_bindings.items()
            self._own_keys = {key: each.binding.action for key, each in active if each.node is self}
        return self._own_keys

    def _forget_keys(self, _: object) -> None:
        self._own_keys = None

    def action_close_list(self) -> None:
        if not self.is_popup_open:
            raise SkipAction
        self._search.close()
        self._completion.dismiss()

    def action_leave_to_app(self) -> None:
        raise SkipAction

    def action_delete_right(self) -> None:
        if self.is_empty:
            # Ctrl+D on an empty input is the app's.
            raise SkipAction
        super().action_delete_right()

    def action_new_line(self) -> None:
        self.replace("\n", *self.selection, maintain_selection_offset=False)

    # Sending

    def action_send(self) -> None:
        row, column = self.cursor_location
        if self.selection.is_empty and self.document[row][:column].endswith("\\"):
            self.replace("\n", (row, column - 1), (row, column), maintain_selection_offset=False)
            return
        draft = self.draft()
        if draft.is_blank:
            if self.is_empty:
                self.post_message(self.NothingSent())
            return
        self._services.history.add(draft)
        self._start(asyncio.to_thread(self._write_history))
        self._walk = None
        self.close_popup()
        self.load_text("")
        self.folds.clear()
        self._keeper.removed()
        self.post_message(self.Sent(draft))

    # Changes

    def update_suggestion(self) -> None:
        """Called by the editor after every change of the text."""
        if not self.is_mounted:
            return
        self.set_class(self.document[0].startswith(SHELL_MARK), "-shell")
        self._keeper.changed(sum(map(len, self.document.lines)))
        self._completion.update(self._trigger())

    def watch_selection(self, _: Selection, selection: Selection) -> None:
        if self.is_mounted and self._completion.is_open:
            self._completion.update(self._trigger())

    def _trigger(self) -> Trigger | None:
        if not self.selection.is_empty:
            return None
        row, column = self.cursor_location
        return trigger_at(self.document[row], row, column)

    def _complete(self, trigger: Trigger, completed: Completed) -> None:
        row = trigger.row
        line = self.document[row]
        text = completed.text
        if text.endswith(" ") and line[trigger.end : trigger.end + 1] == " ":
            text = text[:-1]
        result = self.replace(text, (row, trigger.start), (row, trigger.end), maintain_selection_offset=False)
        end_row, end_column = result.end_location
        if completed.behind_cursor:
            self.move_cursor((end_row, end_column - completed.behind_cursor))
            self._completion.update(self._trigger())

    def _found(self, query: str, paths: list[str]) -> None:
        self._completion.found(query, paths)

    def _picked(self, index: int) -> None:
        if self._search.is_open:
            self._search.take(index)
        else:
            self._completion.take(index)

    def _region(self) -> Region:
        return self.region

    def _place_popup(self, _: object) -> None:
        """After every layout: what is open follows the composer."""
        if self.is_popup_open:
            self._popup.place(self.region)

    # History

    async def action_go_up(self) -> None:
        if self._cursor_line() > 0:
            self.action_cursor_up()
        elif self._services.has_queue():
            self.post_message(self.TakeBackWanted())
        else:
            await self._go(-1)

    async def action_go_down(self) -> None:
        if self._cursor_line() < self.wrapped_document.height - 1:
            self.action_cursor_down()
        else:
            await self._go(1)

    def _cursor_line(self) -> int:
        return self.wrapped_document.location_to_offset(self.cursor_location).y

    async def _go(self, by: int) -> None:
        history = self._services.history
        if self._walk is None:
            if by > 0:
                return
            if not history.is_loaded:
                await asyncio.to_thread(history.load)
            self._walk = HistoryWalk(history, self.draft())
        self._walk.leave(self.draft())
        page = self._walk.step(by)
        if page is not None:
            self.write(await self._with_images(page))
            self._completion.close()
            if by < 0:
                # So that the next Up goes on, also from a text of many lines.
                self.move_cursor((0, len(self.document[0])))

    async def action_search_history(self) -> None:
        history = self._services.history
        if not history.is_loaded:
            await asyncio.to_thread(history.load)
        self._completion.close()
        self._search.open(history.entries)

    def _recall(self, draft: Draft) -> None:
        self.put(draft)
        if draft.wanted:
            # Before the next key is looked at: it may send.
            self.call_next(self._recall_images, draft)

    async def _recall_images(self, draft: Draft) -> None:
        self.put(await self._with_images(draft))

    async def _with_images(self, draft: Draft) -> Draft:
        """What comes from the history has its images read again; of those that are gone the person hears."""
        if not draft.wanted:
            return draft
        try:
            async with asyncio.timeout(IMAGE_SECONDS):
                draft, gone = await asyncio.to_thread(reattached, draft, self._services.read_image)
        except TimeoutError:
            gone = tuple(each.path for each in draft.wanted)
        for path in gone:
            self._complain(f"The image {path} cannot be read any more: only its name goes along.")
        return draft

    # The editor outside

    async def action_edit_outside(self) -> None:
        self.close_popup()
        before = self.draft()
        try:
            text = await self._edit_outside(before.text, editor_command(os.environ, self._services.untrusted))
        except SuspendNotSupported:
            self._complain("An editor cannot be opened in this terminal.")
        except AssistantError as error:
            self._complain(str(error))
        else:
            if text != before.text:
                self.put(rewritten(before, text))

    async def _edit_outside(self, text: str, command: list[str]) -> str:
        error: AssistantError | None = None
        # Suspending does not undo itself when something is raised inside, and painting goes on if it is not held back.
        with self._host.batch_update(), self._host.suspend():
            try:
                text = await edited(text, command, self._services.editor_environment(os.environ))
            except AssistantError as failed:
                error = failed
        if error is not None:
            raise error
        return text

    # Pasting

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        await self._paste(event.text)

    async def action_paste_here(self) -> None:
        await self._paste(self._host.clipboard)

    async def _paste(self, pasted: str) -> None:
        text = cleaned(pasted)
        if not text:
            return
        if self._search.is_open:
            self._search.add(" ".join(text.split()))
            return
        images = await self._images_of(text)
        if images:
            self._insert_images(images)
        elif is_folded(text) and (label := self.folds.fold(text, self.text)) is not None:
            self.insert_folded(label)
        else:
            self.replace(text, *self.selection, maintain_selection_offset=False)

    async def _images_of(self, text: str) -> list[ImageFile]:
        for paths in image_paths(text):
            try:
                async with asyncio.timeout(IMAGE_SECONDS):
                    images = [await asyncio.to_thread(self._services.read_image, path) for path in paths]
            except TimeoutError:
                return []
            except AssistantError as error:
                self._complain(str(error))
                return []
            found = [ImageFile(path, image) for path, image in zip(paths, images, strict=True) if image is not None]
            if len(found) == len(paths):
                return found
        return []

    def _insert_images(self, images: list[ImageFile]) -> None:
        for image in images:
            label = self.folds.fold(image, self.text)
            if label is None:
                self._complain("There are too many images in this message.")
                return
            self.insert_folded(label)
            self.replace(" ", *self.selection, maintain_selection_offset=False)

    # Copying gives what is behind the labels

    def action_copy(self) -> None:
        if self.selection.is_empty:
            raise SkipAction
        self._host.copy_to_clipboard(self.folds.opened(self.selected_text).text)

    def action_cut(self) -> None:
        if self.selection.is_empty:
            raise SkipAction
        self.action_copy()
        self.replace("", *self.selection, maintain_selection_offset=False)

    # Drawing

    @property
    def gutter_width(self) -> int:
        return len(MARK)

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        is_first = y == 0 and self.scroll_offset.y == 0
        is_shell = self.has_class("-shell")
        style = self.get_component_rich_style("composer--shell" if is_shell else "composer--mark")
        mark = (SHELL if is_shell else MARK) if is_first else " " * len(MARK)
        return Strip([Segment(mark, style), *strip], len(MARK) + strip.cell_length)
