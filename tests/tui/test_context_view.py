"""What fills the window, as text: the bar is exactly as wide as there is room, and nothing in it is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from code_assistant.context_report import ContextPart, ContextReport
from code_assistant.tui.context_view import BAR_CELLS, FIGURES_CELLS, context_paragraphs
from code_assistant.tui.pickers.text_view import Paragraph, text_rows

PARTS = (ContextPart("system prompt", 2_000), ContextPart("tools", 6_000), ContextPart("tool results", 92_000))
REPORT = ContextReport("m", 200_000, 100_000, 20_000, 170_000, PARTS, (ContextPart("read_files", 80_000),))


def words(paragraph: Paragraph) -> str:
    label = paragraph.label.text if paragraph.label is not None else ""
    return label + " | " + "".join(span.text for span in paragraph.spans)


def test_every_part_has_its_share() -> None:
    assert [words(each) for each in context_paragraphs(REPORT)] == [
        " | m · 100k of 200k tok · 50%",
        " | ",
        f" | █▓{16 * '█'}{13 * '·'}░░░",
        " | ",
        "  1%   2.0k | █ system prompt",
        "  3%   6.0k | ▓ tools",
        " 46%  92.0k | █ tool results",
        " 40%  80.0k |     read_files",
        " 40%  80.0k | · free",
        " 10%  20.0k | ░ left for the answer",
        " | ",
        " | Compacted by itself above 170k tok (85%); /compact does so now.",
    ]


def test_the_bar_is_in_proportion() -> None:
    bar = context_paragraphs(REPORT)[2].spans
    assert [(span.text[0], len(span.text)) for span in bar] == [("█", 1), ("▓", 1), ("█", 16), ("·", 13), ("░", 3)]


def test_turned_off_it_says_what_to_do() -> None:
    off = ContextReport("m", 1000, 10, 100, None, (), ())
    assert words(context_paragraphs(off)[-1]) == (
        " | Automatic compaction is turned off (context.compact_at = 0). /compact makes room."
    )


@given(
    st.lists(st.integers(0, 10**6), max_size=7),
    st.integers(0, 10**6),
    st.integers(0, 10**5),
)
def test_the_bar_fits_whatever_there_is(tokens: list[int], window: int, reserved: int) -> None:
    parts = tuple(ContextPart(f"part {number}", each) for number, each in enumerate(tokens))
    report = ContextReport("m", window, sum(tokens), reserved, None, parts, ())
    bar = context_paragraphs(report)[2].spans
    shown = sum(each > 0 for each in (*tokens, report.free, reserved))
    assert len(bar) == max(shown, 1)
    assert sum(len(span.text) for span in bar) == BAR_CELLS
    assert all(span.text for span in bar)


def test_rows_stay_in_their_columns_in_a_narrow_window() -> None:
    for paragraph in context_paragraphs(REPORT)[4:10]:
        (row,) = text_rows(paragraph, 37)
        assert row.text[FIGURES_CELLS + 1] in "█▓· ░"
