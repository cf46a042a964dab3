"""A text of one line that is being written: for reasons, feedback and free answers. Knows nothing of widgets."""

from __future__ import annotations

from rich.cells import cell_len, split_graphemes

from code_assistant.sanitize import sanitize_line
from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.rows import Span

MOST_CHARACTERS = 4_000


class LineEditor:
    """What is kept is what is shown: pasted text is made harmless when it comes in."""

    def __init__(self) -> None:
        self.text = ""
        self.cursor = 0

    def insert(self, text: str) -> None:
        # Lines of a paste become one, with blanks between them.
        clean = sanitize_line(" ".join(text.splitlines()))[: MOST_CHARACTERS - len(self.text)]
        self.text = self.text[: self.cursor] + clean + self.text[self.cursor :]
        self.cursor += len(clean)

    def press(self, key: str) -> bool:
        """Whether the key is one that moves or deletes."""
        match key:
            case "left":
                self.cursor = self._before(self.cursor)
            case "right":
                self.cursor = self._after(self.cursor)
            case "home" | "ctrl+a":
                self.cursor = 0
            case "end" | "ctrl+e":
                self.cursor = len(self.text)
            case "backspace" | "ctrl+h":
                self._delete(self._before(self.cursor), self.cursor)
            case "delete" | "ctrl+d":
                self._delete(self.cursor, self._after(self.cursor))
            case "ctrl+u":
                self._delete(0, self.cursor)
            case "ctrl+k":
                self._delete(self.cursor, len(self.text))
            case "ctrl+w" | "ctrl+backspace" | "alt+backspace":
                self._delete(self._word_before(self.cursor), self.cursor)
            case _:
                return False
        return True

    def view(self, width: int, palette: Palette) -> tuple[list[Span], int]:
        """The part around the cursor that fits, and the column of the cursor in it."""
        characters = split_graphemes(self.text)[0]
        at = sum(start < self.cursor for start, _, _ in characters)
        first = last = at
        room = width - 1
        # What stands before the cursor comes first; the cell under the cursor is never given away.
        while first and room - characters[first - 1][2] >= 1:
            first -= 1
            room -= characters[first][2]
        while last < len(characters) and room - characters[last][2] >= 0:
            room -= characters[last][2]
            last += 1
        pieces = [
            "".join(self.text[start:end] for start, end, _ in part)
            for part in (characters[first:at], characters[at : min(at + 1, last)], characters[min(at + 1, last) : last])
        ]
        spans = [(pieces[0], palette.text), (pieces[1] or " ", palette.selected), (pieces[2], palette.text)]
        return spans, cell_len(pieces[0])

    def _edges(self) -> list[int]:
        return [start for start, _, _ in split_graphemes(self.text)[0]] + [len(self.text)]

    def _before(self, position: int) -> int:
        return max((edge for edge in self._edges() if edge < position), default=0)

    def _after(self, position: int) -> int:
        return min((edge for edge in self._edges() if edge > position), default=len(self.text))

    def _word_before(self, position: int) -> int:
        kept = self.text[:position].rstrip()
        return kept.rfind(" ") + 1

    def _delete(self, start: int, end: int) -> None:
        self.text = self.text[:start] + self.text[end:]
        self.cursor = start
