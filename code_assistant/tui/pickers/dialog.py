"""The window that all of these are: a title, a body, a line of keys, in the middle of the screen."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Click, Resize
from textual.screen import ModalScreen
from textual.widget import Widget

from code_assistant.tui.frame.drawn import DrawnRows
from code_assistant.tui.frame.fitting import Cut, Part, fitted
from code_assistant.tui.frame.spans import Role, Span, plain
from code_assistant.tui.keys import ESCAPE

Result = TypeVar("Result")
# The border, the title, the line of keys, and an empty row after the one and before the other.
CHROME_ROWS = 6
BORDER_ROWS = 4


class Caption(DrawnRows):
    """A row with something on the left, and something less important on the right where there is room."""

    def __init__(self, left: str, right: str = "", role: Role = "heading", *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._left = plain(left)
        self._right = plain(right)
        self._role: Role = role

    def say(self, left: str, right: str = "") -> None:
        self._left, self._right = plain(left), plain(right)
        self.refresh()

    def spans_at(self, row: int, width: int) -> list[Span]:
        parts = [Part("left", Span(self._left, self._role))]
        if self._right:
            parts.append(Part("right", Span(self._right, "muted"), is_right=True))
        return fitted(parts, (Cut("right", 0), Cut("left", 1)), width)


class Dialog(ModalScreen[Result]):
    """Subclasses give the rows between the title and the keys; the one called `body` takes what room there is."""

    EXTRA_ROWS: ClassVar[int] = 0
    # By the names that they have on the main screen, so that the person's own keys for them work here, too.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "copy_or_close", "Close", show=False, id="stop"),
        Binding(ESCAPE, "close", "Close", show=False, id="interrupt"),
    ]
    DEFAULT_CSS = """
    Dialog { align: center middle; }
    Dialog > .dialog {
        width: 100%; max-width: 84; height: auto; background: $surface; border: round $border-blurred;
    }
    Dialog > .dialog > .dialog--body { margin: 1 0; }
    Dialog.-low > .dialog > .dialog--body { margin: 0; }
    """

    def __init__(self, title: str, keys: str) -> None:
        super().__init__()
        self._caption = title
        self._keys = keys

    def compose(self) -> ComposeResult:
        body = self.make_body()
        body.add_class("dialog--body")
        self._body = body
        with Vertical(classes="dialog"):
            yield Caption(self._caption, id="title")
            yield from self.above_body()
            yield body
            yield Caption(self._keys, role="muted", id="keys")

    def make_body(self) -> Widget:
        raise NotImplementedError

    def above_body(self) -> ComposeResult:
        yield from ()

    def on_resize(self, event: Resize) -> None:
        """The body may be as high as the screen lets it; on a low screen the empty rows go."""
        is_low = event.size.height < 16
        self.set_class(is_low, "-low")
        chrome = (BORDER_ROWS if is_low else CHROME_ROWS) + self.EXTRA_ROWS
        self._body.styles.max_height = max(event.size.height - chrome, 1)

    def on_click(self, event: Click) -> None:
        """A click beside the window closes it."""
        if event.widget is self:
            self.close()

    def action_close(self) -> None:
        self.close()

    def action_copy_or_close(self) -> None:
        """What Ctrl+C does: a selection is copied; else this is the innermost that can be left."""
        selected = self.get_selected_text()
        if selected:
            self.app.copy_to_clipboard(selected)  # pyright: ignore[reportUnknownMemberType]
            self.clear_selection()
        else:
            self.close()

    def close(self) -> None:
        """Leave without having chosen anything."""
        self.dismiss()
