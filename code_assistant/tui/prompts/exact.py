"""Text shown exactly: every character can be seen, and where a row ends is no secret either.

What is about to run must not look like something else, so blanks at the end of a row are dots, tabs are arrows,
continued rows have a bar before them, and what cannot be seen has a stand-in in a colour of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from rich.cells import split_graphemes
from rich.segment import Segment
from rich.style import Style

from code_assistant.sanitize import is_unmistakable, sanitize
from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.rendering.rows import Row, Span

CONTINUED = "┊ "
BLANK = "·"
TAB = "→   "


def escaped(character: str) -> str:
    """Each character for itself: joiners and styles of pictures are seen as well, and so are blanks that are none."""
    if character in "\n\t" or is_unmistakable(character):
        return character
    shown = sanitize(character)
    return shown if shown != character else f"⟨U+{ord(character):04X}⟩"


def escaped_text(text: str) -> str:
    return text if is_unmistakable(text) else "".join(map(escaped, text))


def escaped_line(text: str) -> str:
    """The same for what must stay on one line."""
    return one_line(escaped_text(text)).replace("\t", " ")


def one_line(text: str) -> str:
    """Its line breaks are seen, and break nothing."""
    return text.replace("\n", "␊")


def stand_ins_in(text: str) -> list[str]:
    """What stands for the characters that cannot be seen, one by one."""
    stand_ins = {each: escaped(each) for each in set(text) if escaped(each) != each}
    return [stand_ins[each] for each in text if each in stand_ins] if stand_ins else []


def exact_rows(text: str, width: int, palette: Palette, style: Style | None = None) -> list[Row]:
    rows: list[Row] = []
    for line in text.removesuffix("\n").split("\n"):
        rows += _line_rows(line, max(width, len(CONTINUED) + 2), palette, style or palette.text)
    return rows


def exact_spans(text: str, palette: Palette, style: Style) -> list[Span]:
    """A piece of a line in its style; stand-ins and tabs have theirs."""
    if text.isascii() and text.isprintable():
        return [(text, style)]
    spans: list[Span] = []
    for is_shown, characters in groupby(text, lambda character: escaped(character) == character != "\t"):
        piece = "".join(characters)
        if is_shown:
            spans.append((piece, style))
        else:
            spans += ((TAB, palette.muted) if each == "\t" else (escaped(each), palette.warning) for each in piece)
    return spans


def _line_rows(line: str, width: int, palette: Palette, style: Style) -> Iterator[Row]:
    for number, part in enumerate(_parts(line, width, palette, style)):
        before = (Segment(CONTINUED, palette.muted),) if number else ()
        yield Row((*before, *_with_dots(part, palette)), len(CONTINUED) if number else 0, "" if number else None)


def _parts(line: str, width: int, palette: Palette, style: Style) -> Iterator[list[Segment]]:
    """Parts of a line of at most so many cells; those after the first have less room, for the bar before them."""
    others = width - len(CONTINUED)
    if line.isascii() and line.isprintable():
        start, room = 0, width
        while len(line) - start > room:
            # Behind a blank if one is near; the blank is shown as a dot then.
            end = line.rfind(" ", start + room * 2 // 3, start + room) + 1 or start + room
            yield [Segment(line[start:end], style)]
            start, room = end, others
        yield [Segment(line[start:], style)]
        return
    part: list[Segment] = []
    room = width
    for text, look in exact_spans(line, palette, style):
        begin = 0
        characters, width_of_all = split_graphemes(text)
        # A stand-in is for one character, so it stays in one piece where it can.
        is_whole = look is not style and width_of_all <= others
        for start, _, cells in [(0, len(text), width_of_all)] if is_whole else characters:
            if cells > room:
                part.append(Segment(text[begin:start], look))
                yield part
                part, begin, room = [], start, others
            room -= cells
        part.append(Segment(text[begin:], look))
    yield part


def _with_dots(part: list[Segment], palette: Palette) -> Iterator[Segment]:
    """Blanks at the end of a row would not be seen."""
    shown = len("".join(segment.text for segment in part).rstrip(" "))
    for segment in part:
        keep = max(min(shown, len(segment.text)), 0)
        shown -= len(segment.text)
        if keep:
            yield Segment(segment.text[:keep], segment.style)
        if keep < len(segment.text):
            yield Segment(BLANK * (len(segment.text) - keep), palette.muted)
