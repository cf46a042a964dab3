"""What all prompts have in common: keys, clicks and the wheel.

Where the focus is, who put it there and whether a key is meant is decided by SafeTyping. A panel answers at most once;
one that was closed takes neither keys nor clicks. No button is marked at first, so that Enter alone does nothing: a
stray one must neither allow anything nor tell the model no.
"""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import BindingType

from code_assistant.tui.keys import PANEL_KEYS, bindings
from code_assistant.tui.prompts.drawn_panel import DrawnPanel
from code_assistant.tui.prompts.line_editor import LineEditor
from code_assistant.tui.prompts.messages import Hidden, PromptMessage

WHEEL_ROWS = 3
LEFT_BUTTON = 1
SCROLLING = {"line_up", "line_down", "page_up", "page_down"}
# What answers nothing acts as soon as the panel has the focus.
HARMLESS = SCROLLING | {"to_top", "to_end", "previous_button", "next_button", "hide"}


class PromptPanel(DrawnPanel, can_focus=True, inherit_bindings=False):
    # Handled in `on_key`, not by the app when they have bubbled up: by then another prompt may have the focus.
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(PANEL_KEYS)]

    _pressed: str | None = None

    # What a kind of prompt does

    def act(self, action: str) -> None:
        """Do what a key, a button or a click on a row stands for."""
        raise NotImplementedError

    def submit(self, text: str) -> None:
        """Take what was written in the line."""

    def body_target(self, row: int) -> str | None:
        """What a click on a row of the body does."""
        return None

    def answer(self, message: PromptMessage) -> None:
        """The one answer of this panel."""
        self.close()
        self.post_message(message)

    # For the screen around it

    def close(self) -> None:
        """The prompt is answered or withdrawn: nothing acts any more, from this moment on."""
        self.is_closed = True
        self.can_focus = False
        self._editor = None
        self._safe_typing.gone(self.request_id)
        self.repaint()

    def passes_on(self, event: events.Key | events.Paste) -> bool:
        """Whether this is for the composer: it would have gone there, had focus not moved here by itself.

        To be asked before the event is handed to a focused panel; then typing answers nothing and loses nothing.
        """
        if self.is_closed:
            return True
        if self._editor is not None:
            return False
        if isinstance(event, events.Paste):
            return True
        if self._safe_typing.is_by_person(self.request_id) or not event.is_printable:
            return False
        return self._bound_action(event) is None or not self._counts(event)

    # Focus

    def on_focus(self, event: events.Focus) -> None:
        self._safe_typing.focus_arrived(self.request_id, is_return=event.from_app_focus)
        self.repaint()

    def on_blur(self) -> None:
        self._safe_typing.focus_left(self.request_id)
        self._marked = None
        self.repaint()

    def on_hide(self) -> None:
        self._safe_typing.out_of_sight(self.request_id)

    def on_unmount(self) -> None:
        self._safe_typing.out_of_sight(self.request_id)
        self._safe_typing.focus_left(self.request_id)

    # Keys

    def on_key(self, event: events.Key) -> None:
        if self.is_closed:
            return
        if self._editor is not None and self._edit(self._editor, event):
            event.stop()
            event.prevent_default()
            return
        action = self._bound_action(event)
        if action is None or (self._editor is not None and action not in SCROLLING):
            return
        event.stop()
        event.prevent_default()
        if action in HARMLESS or self._counts(event):
            self._do(action)

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        if self._editor is not None and not self.is_closed:
            self._editor.insert(event.text)
            self.repaint()

    def _bound_action(self, event: events.Key) -> str | None:
        """What the key does here, remapped keys included; nothing if the focus is elsewhere by now."""
        active = self.screen.active_bindings.get(event.key)
        return active.binding.action if active is not None and active.node is self else None

    def _counts(self, event: events.Key) -> bool:
        return self._safe_typing.key_counts(self.request_id, event.time)

    def _do(self, action: str) -> None:
        page = max(self.parts.body - 1, 1)
        match action:
            case "line_up":
                self.move(-1)
            case "line_down":
                self.move(1)
            case "page_up":
                self.scroll_rows(-page)
            case "page_down":
                self.scroll_rows(page)
            case "to_top":
                self.scroll_rows(-self._top)
            case "to_end":
                self.scroll_rows(self.clamped_top(10**9) - self._top)
            case "previous_button":
                self._mark(-1)
            case "next_button":
                self._mark(1)
            case "activate":
                self.activate()
            case "hide":
                self._safe_typing.put_aside(self.request_id)
                self.post_message(Hidden(self.request_id))
            case _:
                self.act(action)

    def activate(self) -> None:
        """Enter: press the marked button, if there is one."""
        if self._marked is not None:
            self.act(self.buttons()[self._marked].action)

    def move(self, rows: int) -> None:
        """Up and down."""
        self.scroll_rows(rows)

    def scroll_rows(self, rows: int) -> bool:
        top = self.clamped_top(self._top + rows)
        if top == self._top:
            return False
        self._top = top
        self.repaint()
        return True

    def _mark(self, step: int) -> None:
        count = len(self.buttons())
        first = 0 if step > 0 else count - 1
        self._marked = first if self._marked is None else (self._marked + step) % count
        self.repaint()

    # Writing

    def open_editor(self) -> None:
        self._editor = LineEditor()
        self.repaint()

    def clear_line(self) -> bool:
        if self._editor is None or not self._editor.text:
            return False
        self._editor = LineEditor()
        self.repaint()
        return True

    def _edit(self, editor: LineEditor, event: events.Key) -> bool:
        if not event.is_printable and self._bound_action(event) == "hide":
            self._editor = None
        elif event.key == "enter":
            if self._counts(event):
                self.submit(editor.text.strip())
        elif event.character is not None and event.is_printable:
            editor.insert(event.character)
        elif not editor.press(event.key):
            return False
        self.repaint()
        return True

    # The mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        if self.is_closed or event.button != LEFT_BUTTON:
            return
        self._safe_typing.focus_taken(self.request_id)
        counts = self._safe_typing.click_counts(self.request_id)
        self._pressed = self._target_at(event.x, event.y) if counts else None

    def on_mouse_up(self, event: events.MouseUp) -> None:
        pressed, self._pressed = self._pressed, None
        if not self.is_closed and pressed is not None and pressed == self._target_at(event.x, event.y):
            self.act(pressed)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        self._hover(None if self.is_closed else self._target_at(event.x, event.y))

    def on_leave(self) -> None:
        self._hover(None)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        # At its end the wheel goes on with what is around the panel.
        if self.scroll_rows(WHEEL_ROWS):
            event.stop()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        if self.scroll_rows(-WHEEL_ROWS):
            event.stop()

    def _hover(self, target: str | None) -> None:
        if target != self._hovered:
            self._hovered = target
            self.repaint()

    def _target_at(self, column: int, line: int) -> str | None:
        """The action of what is drawn there."""
        if self._editor is not None:
            return None
        parts, inside = self.parts, column - 2
        placed = self._placed(self.size.width)
        row = line - parts.first_button
        if 1 <= line <= parts.body:
            body_row = self._top + line - 1
            # Without room of their own the buttons are the last of what is scrolled.
            row = body_row - len(self._scrolled_rows) + len(placed)
            if parts.buttons or row < 0:
                return self.body_target(body_row) if inside >= 0 else None
        elif row >= parts.buttons:
            return None
        if not 0 <= row < len(placed):
            return None
        return next((each.button.action for each in placed[row] if each.is_at(inside)), None)
