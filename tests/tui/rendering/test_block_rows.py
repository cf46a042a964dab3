"""Each kind of block as rows."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from code_assistant.events import ToolStatus
from code_assistant.sanitize import sanitize
from code_assistant.tui.rendering import code, details
from code_assistant.tui.rendering.blocks import (
    GLYPHS,
    Look,
    estimated_heights,
    needs_gap,
    part_count,
    part_rows,
    part_stamp,
)
from code_assistant.tui.rendering.markdown import markdown_rows
from code_assistant.tui.rendering.palette import Palette
from code_assistant.tui.transcript.blocks import (
    AnswerBlock,
    Block,
    NoticeBlock,
    PersonBlock,
    ThinkingBlock,
    ToolBlock,
    copied_text,
    is_expandable,
)
from tests.rows import each_row
from tests.tui.hostile import HOSTILE, is_safe
from tests.tui.look import PALETTE, a_palette


def texts(block: Block, width: int = 43) -> list[str]:
    look = Look(width, PALETTE)
    return [row.text.rstrip() for part in range(part_count(block)) for row in part_rows(block, part, look)]


def answer(text: str) -> AnswerBlock:
    block = AnswerBlock("a")
    block.add(text)
    block.finish()
    return block


def test_what_the_person_said() -> None:
    assert texts(PersonBlock("p", "one two three four five six seven eight nine\n\ttab")) == [
        "› one two three four five six seven",
        "  eight nine",
        "      tab",
    ]


@pytest.mark.parametrize(("level", "glyph"), [("info", "i"), ("warning", "!"), ("error", "✗")])
def test_notices(level: str, glyph: str) -> None:
    assert texts(NoticeBlock("n", level, "one\ntwo")) == [f"{glyph} one", "  two"]  # type: ignore[arg-type]


@each_row(
    ("block", "expected"),
    [
        (ThinkingBlock("t", ["hm"]), ["▸ Thinking …"]),
        (ThinkingBlock("t", ["hm"], is_finished=True), ["▸ Thought"]),
        (ThinkingBlock("t", ["hm"], is_finished=True, seconds=0.4), ["▸ Thought"]),
        (ThinkingBlock("t", ["hm"], is_finished=True, seconds=12.4), ["▸ Thought for 12 s"]),
        (ThinkingBlock("t", ["one\n", "two\n"], is_expanded=True), ["▾ Thinking …", "│ one", "│ two"]),
    ],
)
def test_thoughts(block: ThinkingBlock, expected: list[str]) -> None:
    assert texts(block) == expected


def test_long_thoughts_are_drawn_in_parts() -> None:
    block = ThinkingBlock("t", [f"thought {number}\n\n" for number in range(500)], is_expanded=True)
    look = Look(43, PALETTE)
    assert part_count(block) > 10
    assert len(estimated_heights(block, look)) == part_count(block)
    assert max(len(part_rows(block, part, look)) for part in range(part_count(block))) < 100
    assert texts(block) == ["▾ Thinking …", *(f"│ thought {n // 2}" if n % 2 == 0 else "│" for n in range(999))]
    stamps = [part_stamp(block, part) for part in range(part_count(block))]
    block.parts.append("more")
    assert [part_stamp(block, part) for part in range(len(stamps) - 1)] == stamps[:-1]
    block.is_expanded = False
    assert part_count(block) == 1
    assert texts(block) == ["▸ Thinking …"]


@pytest.mark.parametrize("mark", ["1. Do this:\n\n   ", "- Do this:\n  - and that:\n\n    "])
def test_a_long_fence_in_a_list_item_looks_like_a_short_one(mark: str) -> None:
    indent = " " * len(mark.rpartition("\n")[2])
    lines = [f"x = {number}" for number in range(100)]
    code = "".join(f"{indent}{line}\n" for line in lines)
    markdown = f"{mark}```python\n{code}{indent}```\n\n{indent}After it, [there](http://x).\n"
    whole = [row.text.rstrip() for row in markdown_rows(markdown, 40, PALETTE)]
    block = answer(markdown)
    assert part_count(block) == 5
    assert texts(block) == whole
    (link,) = [link for row in part_rows(block, 4, Look(43, PALETTE)) for link in row.links]
    assert link.start == len(indent) + len("After it, ")


def test_nested_items_after_a_long_fence_keep_their_bullets() -> None:
    code = "    x\n" * 50
    assert texts(answer(f"- a\n  - b\n\n    ```\n{code}    ```\n  - c\n- d"))[-2:] == ["  ◦ c", "• d"]


def test_a_closed_fence_is_coloured_once_for_all_of_its_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[int] = []

    def counting(lines: Sequence[str], language: str, palette: Palette) -> list[code.ColoredLine]:
        counted.append(len(lines))
        return colored(lines, language, palette)

    colored = code.colored
    monkeypatch.setattr(code, "colored", counting)
    block = answer("```python\n" + "".join(f"x = {number}\n" for number in range(1_000)) + "```\n")
    for look in (Look(43, PALETTE), Look(80, PALETTE), Look(80, a_palette())):
        assert sum(len(part_rows(block, part, look)) for part in range(part_count(block))) == 1_000
    # Once for each palette.
    assert counted == [1_000, 1_000]


def test_a_tool_says_its_state_also_without_colour() -> None:
    assert len(set(GLYPHS.values())) == len(GLYPHS)
    for state, glyph in GLYPHS.items():
        assert texts(ToolBlock("t", "x", "Read a.py", state=state))[0].startswith(f"{glyph} Read a.py")


def test_what_stands_beside_a_title() -> None:
    assert texts(ToolBlock("t", "x", "Read a", progress="half")) == ["◐ Read a  half"]
    assert texts(ToolBlock("t", "x", "Read a", state="success", progress="half", summary="3")) == ["✓ Read a  3"]
    assert texts(ToolBlock("t", "x", "Read a", state="waiting")) == ["? Read a  waits for you"]


def test_without_room_the_title_and_what_is_beside_it_both_give_way() -> None:
    waiting = ToolBlock("t", "x", "Running " + "x" * 80, state="waiting")
    assert texts(waiting) == ["? Running xxxxxxxxxxxxxx…  waits for you"]
    both = ToolBlock("t", "x", "Running " + "x" * 80, state="error", summary="failed: " + "y" * 80)
    assert texts(both) == ["✗ Running xxxxxxxxx…  failed: yyyyyyyyy…"]
    summary = ToolBlock("t", "x", "Ran x", state="error", summary="failed: " + "y" * 80)
    assert texts(summary) == ["✗ Ran x  failed: yyyyyyyyyyyyyyyyyyyyyy…"]


def test_a_running_tool_shows_the_tail_of_its_output_in_a_steady_height() -> None:
    block = ToolBlock("t", "x", "Running make")
    assert texts(block) == ["◐ Running make"]
    block.output.add("one\n")
    assert texts(block) == ["◐ Running make", "│ one", "│", "│", "│", "│", "│"]
    block.output.add("".join(f"{number}\n" for number in range(20)))
    assert texts(block) == ["◐ Running make", *(f"│ {number}" for number in range(14, 20))]
    block.state = "success"
    assert texts(block) == ["✓ Running make"]


@each_row(
    ("form", "detail", "expected"),
    [
        ("text", "one\n\ttwo", ["│ one", "│     two"]),
        ("output", "one\ntwo\n", ["│ one", "│ two"]),
        ("diff", "@@ -1 +1 @@\n-a\n+b", ["│ @@ -1 +1 @@", "│   1 -a", "│   1 +b"]),
        ("markdown", "# Title\n\n- a", ["│ Title", "│", "│ • a"]),
    ],
)
def test_what_unfolds(form: str, detail: str, expected: list[str]) -> None:
    block = ToolBlock("t", "x", "Did", (("path", "a\nb"),), state="success", detail=detail, form=form)  # type: ignore[arg-type]
    assert texts(block) == ["✓ Did"]
    block.is_expanded = True
    assert texts(block) == ["✓ Did", "│ path: a", "│   b", *expected]


def test_without_a_detail_the_output_unfolds() -> None:
    block = ToolBlock("t", "x", "Ran", state="interrupted", is_expanded=True)
    block.output.add("one\ntwo\n")
    assert texts(block) == ["■ Ran", "│ one", "│ two"]


def test_very_long_details_say_what_they_leave_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(details, "SHOWN_LINES", 4)
    block = ToolBlock("t", "x", "Ran", state="success", detail="1\n2\n3\n4\n5\n6", is_expanded=True)
    left_out = "│ … 2 lines left out; c copies all of them …"
    assert texts(block, 60) == ["✓ Ran", "│ 1", "│ 2", "│ 3", left_out, "│ 6"]


def test_room_for_a_prompt_is_kept_below_the_title() -> None:
    assert texts(ToolBlock("t", "x", "Run", (("a", "b"),), state="waiting", room=2, is_expanded=True)) == [
        "? Run  waits for you", "", "", "│ a: b",
    ]  # fmt: skip


def test_only_tools_and_thoughts_stand_close_together() -> None:
    tool, thought, person = ToolBlock("t", "x", "Read"), ThinkingBlock("k"), PersonBlock("p", "x")
    assert not needs_gap(tool, thought)
    assert not needs_gap(tool, tool)
    assert needs_gap(tool, person)
    assert needs_gap(answer("x"), tool)
    assert not needs_gap(person, None)


@each_row("width", [20, 40, 80, 200])
@each_row("hostile", HOSTILE)
def test_no_row_is_ever_too_wide(hostile: str, width: int) -> None:
    states: list[ToolStatus] = ["success", "error", "denied", "interrupted"]
    blocks: list[Block] = [
        PersonBlock("p", hostile),
        NoticeBlock("n", "error", hostile),
        ThinkingBlock("k", [hostile], is_expanded=True),
        answer(hostile),
        *(
            ToolBlock("t", "x", hostile, ((hostile, hostile),), state, hostile, hostile, form, is_expanded=True)
            for state, form in zip(states, ("text", "diff", "output", "markdown"), strict=True)
        ),
    ]
    look = Look(width, PALETTE)
    for block in blocks:
        assert len(estimated_heights(block, look, 0)) == part_count(block)
        for part in range(part_count(block)):
            for row in part_rows(block, part, look):
                # Newlines in titles are taken out before they get here.
                assert row.cells <= look.room or "\n" in hostile


@each_row("hostile", HOSTILE)
def test_safe_x1_x4_no_markdown_brings_back_what_was_made_safe(hostile: str) -> None:
    clean = sanitize(hostile)
    unfolded = ToolBlock("t", "x", "Presented a plan", state="success", detail=clean, form="markdown", is_expanded=True)
    for block in (answer(clean), unfolded):
        assert all(map(is_safe, texts(block, 60)))


def test_a_finished_answer_is_kept_as_one_text() -> None:
    block = AnswerBlock("a")
    for _ in range(100):
        block.add("token ")
    block.finish()
    assert block.parts == ["token " * 100]
    block.finish()
    assert block.source == "token " * 100


def test_what_is_copied_is_the_source() -> None:
    assert copied_text(answer("# T\n\n**b**")) == "# T\n\n**b**"
    assert (
        copied_text(ToolBlock("t", "x", "Read a", summary="3 lines", detail="one\ntwo")) == "Read a  3 lines\none\ntwo"
    )
    assert copied_text(ToolBlock("t", "x", "Read a")) == "Read a"
    assert copied_text(PersonBlock("p", "x")) == copied_text(NoticeBlock("n", "info", "x")) == "x"


def test_what_can_be_unfolded() -> None:
    assert not is_expandable(ToolBlock("t", "x", "Read"))
    assert is_expandable(ToolBlock("t", "x", "Read", (("a", "b"),)))
    assert is_expandable(ToolBlock("t", "x", "Read", detail="x"))
    assert is_expandable(ThinkingBlock("k", ["hm"]))
    assert not is_expandable(ThinkingBlock("k"))
    assert not is_expandable(PersonBlock("p", "x"))
