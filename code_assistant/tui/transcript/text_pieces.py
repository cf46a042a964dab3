"""A plain text while it is written, in pieces: finished ones never change, only the last one is still open."""

from __future__ import annotations

from code_assistant.tui.transcript.pieces import OPEN_CHARACTERS, Piece, slices

PIECE_LINES = 40


class TextPieces:
    """Feed text in any portions; what a portion costs does not depend on how much came before it.

    Blank lines at the beginning and at the end of all are left out.
    """

    def __init__(self) -> None:
        self._pieces: list[Piece] = []
        self._rest = ""
        self._blanks = 0
        self._open_length = 0
        self._stamps = 0

    @property
    def count(self) -> int:
        return len(self._pieces)

    def __getitem__(self, index: int) -> Piece:
        return self._pieces[index]

    def sizes(self, first: int = 0) -> list[tuple[int, int]]:
        """Of every piece from the first on, the rows that it has at any width, and about how many characters."""
        return [(max(len(piece.lines) + bool(piece.rest), 1), piece.size) for piece in self._pieces[first:]]

    def feed(self, text: str) -> None:
        *lines, rest = (self._rest + text).split("\n")
        if self._pieces:
            self._pieces[-1].rest = ""
        for line in lines:
            for each in slices(line):
                self._take(each)
        *firsts, self._rest = slices(rest)
        for each in firsts:
            self._take(each)
        self._show_rest()

    def _take(self, line: str) -> None:
        line = line.rstrip()
        if not line:
            self._blanks += bool(self._pieces)
            return
        piece = self._open()
        piece.lines += [""] * self._blanks
        piece.lines.append(line if len(self._pieces) > 1 or piece.lines else line.lstrip())
        self._blanks = 0
        self._open_length += len(line) + 1
        self._touch(piece)

    def _open(self) -> Piece:
        """The piece that the next line belongs to."""
        is_full = self._open_length > OPEN_CHARACTERS or (self._pieces and len(self._pieces[-1].lines) >= PIECE_LINES)
        if is_full or not self._pieces:
            self._pieces.append(Piece())
            self._open_length = 0
        return self._pieces[-1]

    def _show_rest(self) -> None:
        if self._rest.strip():
            piece = self._open()
            is_first = len(self._pieces) == 1 and not piece.lines
            piece.rest = "\n" * self._blanks + (self._rest.lstrip() if is_first else self._rest)
            self._touch(piece)

    def _touch(self, piece: Piece) -> None:
        self._stamps += 1
        piece.stamp = self._stamps
