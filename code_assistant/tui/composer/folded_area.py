"""An editor whose folded parts are whole or not there, and that never draws a dangerous character."""

from __future__ import annotations

from rich.text import Text
from textual.widgets import TextArea
from textual.widgets.text_area import Edit, EditResult, Location, Selection

from code_assistant.tui.composer.draft import Draft
from code_assistant.tui.composer.folds import Folds
from code_assistant.tui.composer.held import hold, shown


class FoldedArea(TextArea):
    """What it holds is read with `draft` and set with `write`; `text` is the editor's own form of it."""

    COMPONENT_CLASSES = {"composer--fold"}  # noqa: RUF012

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        # Setting up the editor asks for valid selections already.
        self.folds = Folds()
        super().__init__(id=id, highlight_cursor_line=False, show_line_numbers=False, compact=False)
        # A blinking cursor is a timer that never rests.
        self.cursor_blink = False

    def draft(self) -> Draft:
        """All that is written."""
        return self.folds.opened(self.text)

    def write(self, draft: Draft) -> None:
        """Set all that is written, as an edit that can be undone; the cursor goes to the end."""
        self.replace(self.folds.closed(draft), (0, 0), self.document.end, maintain_selection_offset=False)

    def insert_folded(self, label: str) -> None:
        self.replace(label, *self.selection, maintain_selection_offset=False)

    # Folded parts are whole or gone

    def edit(self, edit: Edit) -> EditResult:
        start, end = edit.top, edit.bottom
        if start == end:
            start = end = self._outside(start, towards_end=True)
        else:
            start = self._outside(start, towards_end=False)
            end = self._outside(end, towards_end=True)
        return super().edit(Edit(hold(edit.text), start, end, edit.maintain_selection_offset))

    def validate_selection(self, selection: Selection) -> Selection:
        before = self.selection.end
        start, end = selection
        moved_on = end > before
        outside = self._outside(end, towards_end=moved_on)
        return Selection(outside if start == end else self._outside(start, towards_end=not moved_on), outside)

    def _outside(self, location: Location, *, towards_end: bool) -> Location:
        """The location, or the edge of the folded part that it would split."""
        row, column = self.clamp_visitable(location)
        for span in self.folds.spans(self.document[row]):
            if span.start < column < span.end:
                return row, span.end if towards_end else span.start
        return row, column

    # Drawing

    def get_line(self, line_index: int) -> Text:
        line = self.document.get_line(line_index)
        text = Text(shown(line), end="", no_wrap=True)
        for span in self.folds.spans(line):
            text.stylize(self.get_component_rich_style("composer--fold", partial=True), span.start, span.end)
        return text

    def find_matching_bracket(self, bracket: str, search_from: Location) -> Location | None:
        """Not in prose: it would look through the whole text for every key."""
        return None
