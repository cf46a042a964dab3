"""Tables of a page: those that hold data become Markdown tables, those that only lay out a page become its blocks."""

from __future__ import annotations

from code_assistant.web.markdown_blocks import Block, BlockWriter, joined

MAXIMUM_CELLS = 50_000
MAXIMUM_CELL_CHARACTERS = 500


class Table:
    """Cells are filled one after the other; whatever stands outside of them comes before the table."""

    def __init__(self) -> None:
        self._outside = BlockWriter()
        self._rows: list[list[list[Block]]] = []
        self._cells = 0
        self._size = 0
        self.writer = self._outside

    @property
    def size(self) -> int:
        """How much was written into it so far."""
        return self._size + self.writer.size

    def begin_row(self) -> None:
        self._write_to(self._outside)
        self._rows.append([])

    def begin_cell(self) -> None:
        if self._cells >= MAXIMUM_CELLS:
            return
        if not self._rows:
            self._rows.append([])
        self._cells += 1
        self._write_to(BlockWriter())
        self._rows[-1].append(self.writer.blocks)

    def write_to(self, outer: BlockWriter) -> None:
        """Put the whole table into the place where it stands."""
        for block in self._outside.blocks:
            outer.add(block.text, is_rigid=block.is_rigid)
        rows = [row for row in self._rows if any(row)]
        if _holds_data(rows):
            outer.add("\n".join(_lines(rows)), is_rigid=True)
            return
        for row in rows:
            for cell in row:
                for block in cell:
                    outer.add(block.text, is_rigid=block.is_rigid)

    def _write_to(self, writer: BlockWriter) -> None:
        self._size += self.writer.size - writer.size
        self.writer = writer


def _holds_data(rows: list[list[list[Block]]]) -> bool:
    if len(rows) < 2 or max(map(len, rows)) < 2:
        return False
    return all(
        not any(block.is_rigid for block in cell) and sum(len(block.text) for block in cell) <= MAXIMUM_CELL_CHARACTERS
        for row in rows
        for cell in row
    )


def _lines(rows: list[list[list[Block]]]) -> list[str]:
    written = [_row([joined(cell) for cell in row]) for row in rows]
    return [written[0], _row(["---"] * len(rows[0])), *written[1:]]


def _row(cells: list[str]) -> str:
    words = (" ".join(cell.replace("|", "\\|").split()) for cell in cells)
    return f"| {' | '.join(words)} |"
