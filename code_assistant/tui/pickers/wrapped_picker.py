"""A picker whose rows are written for a width, and anew for every other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual.events import Resize

from code_assistant.tui.pickers.picker import Picker, PickerRow


class WrappedPicker(Picker):
    def __init__(self, title: str, rows_for: Callable[[int], Sequence[PickerRow]], width: int) -> None:
        super().__init__(title, rows_for(width))
        self._rows_for = rows_for
        self._width = width

    def on_resize(self, event: Resize) -> None:
        if event.size.width != self._width:
            self._width = event.size.width
            self.set_rows(self._rows_for(self._width))
