"""The transcript view: follows the end, stays put when scrolled up, draws only what is in sight, can be copied."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import Selection

from code_assistant.tui.rendering import blocks as block_rendering
from code_assistant.tui.transcript.blocks import AnswerBlock, NoticeBlock, PersonBlock, ThinkingBlock, ToolBlock
from code_assistant.tui.transcript.transcript import Transcript
from code_assistant.tui.widgets import rows_view
from code_assistant.tui.widgets.panel import Panel
from code_assistant.tui.widgets.transcript_view import TranscriptView
from tests.tui.look import PALETTE, a_palette

MARKDOWN = (
    "# Title\n\nSome **bold** words and a [link](https://example.org/page).\n\n- one\n- two\n\n```python\nx = 1\n```\n"
)


class ViewApp(App[None]):
    """A view and nothing else; `paint` is what the painter would call."""

    def __init__(self, transcript: Transcript) -> None:
        super().__init__()
        self.view = TranscriptView(transcript, PALETTE)
        self.links: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.view

    def on_transcript_view_link_activated(self, message: TranscriptView.LinkActivated) -> None:
        self.links.append(message.address)

    def on_mount(self) -> None:
        self.view.focus()


async def painted(pilot: Pilot[None]) -> list[str]:
    """What is on the screen, row by row, without trailing blanks."""
    app = pilot.app
    assert isinstance(app, ViewApp)
    app.view.take_changes()
    await pilot.pause()
    size = app.view.size
    return [strip.text.rstrip() for strip in app.view.render_lines(size.region)]


def answer(block_id: str, text: str) -> AnswerBlock:
    block = AnswerBlock(block_id)
    block.add(text)
    block.finish()
    return block


def filled(count: int) -> Transcript:
    transcript = Transcript()
    for number in range(count):
        transcript.add(PersonBlock(f"person-{number}", f"question {number}"))
        transcript.add(answer(f"answer-{number}", f"answer {number}\n\n{MARKDOWN}"))
    return transcript


async def test_every_kind_of_block_is_shown() -> None:
    transcript = Transcript()
    transcript.add(PersonBlock("p", "How?"))
    transcript.add(ThinkingBlock("t", ["hm"], is_finished=True, seconds=3))
    transcript.add(ToolBlock("r", "read_files", "Read a.py", state="success", summary="3 lines"))
    transcript.add(ToolBlock("e", "edit", "Edited a.py", state="error", summary="failed: no"))
    transcript.add(answer("a", MARKDOWN))
    transcript.add(NoticeBlock("n", "warning", "Mind the gap."))
    async with ViewApp(transcript).run_test(size=(60, 24)) as pilot:
        assert [row for row in await painted(pilot) if row] == [
            "  › How?",
            "  ▸ Thought for 3 s",
            "  ✓ Read a.py  3 lines",
            "  ✗ Edited a.py  failed: no",
            "  Title",
            "  Some bold words and a link.",
            "  • one",
            "  • two",
            "   x = 1",
            "  ! Mind the gap.",
        ]


async def test_it_follows_the_end_until_the_person_scrolls_up_and_then_stays_put() -> None:
    transcript = filled(30)
    app = ViewApp(transcript)
    async with app.run_test(size=(60, 20)) as pilot:
        rows = await painted(pilot)
        assert rows[-1] == "   x = 1"
        app.view.scroll_to(y=app.view.scroll_y - 30, animate=False)
        await pilot.pause()
        before = await painted(pilot)
        assert not app.view.is_following
        transcript.add(PersonBlock("more", "more"))
        after = await painted(pilot)
        assert after[:-1] == before[:-1]
        assert after[-1].endswith("↓ new")
        app.view.follow()
        assert (await painted(pilot))[-1] == "  › more"
        assert not app.view.has_news


@pytest.mark.parametrize("first_width", [50, 30, 100])
async def test_scrolling_up_step_by_step_shows_every_row_once(first_width: int) -> None:
    """Heights above are estimates until they are seen; that must not make rows jump, repeat or vanish.

    Nor must it when they were estimated for another width, which is made up for only when somebody scrolls.
    """
    transcript = filled(12)
    app = ViewApp(transcript)
    async with app.run_test(size=(first_width, 12)) as pilot:
        await painted(pilot)
        await pilot.resize_terminal(50, 12)
        rows = await painted(pilot)
        seen = list(rows)
        for _ in range(400):
            if app.view.scroll_y <= 0:
                break
            app.view.scroll_to(y=app.view.scroll_y - 1, animate=False, immediate=True)
            now = [strip.text.rstrip() for strip in app.view.render_lines(app.view.size.region)]
            assert now[1:] == rows[:-1]
            rows = now
            seen.insert(0, now[0])
        assert app.view.scroll_y == 0
        assert seen[0] == "  › question 0"
        assert [row for row in seen if "question" in row] == [f"  › question {number}" for number in range(12)]
        assert len(seen) == app.view.virtual_size.height


async def test_only_what_is_in_sight_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []
    rows = block_rendering.part_rows

    def counting(block: object, part: int, look: block_rendering.Look) -> list[object]:
        drawn.append(part)
        return rows(block, part, look)  # type: ignore[arg-type, return-value]

    monkeypatch.setattr(rows_view, "part_rows", counting)
    transcript = filled(500)
    app = ViewApp(transcript)
    async with app.run_test(size=(60, 20)) as pilot:
        await painted(pilot)
        assert len(drawn) < 40
        drawn.clear()
        app.view.set_palette(a_palette())
        await painted(pilot)
        assert 0 < len(drawn) < 40
        drawn.clear()
        await pilot.resize_terminal(40, 20)
        await painted(pilot)
        assert 0 < len(drawn) < 60


async def test_streaming_draws_only_the_piece_that_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    transcript = Transcript()
    block = AnswerBlock("a")
    block.add("paragraph\n\n" * 6)
    transcript.add(block)
    app = ViewApp(transcript)
    async with app.run_test(size=(60, 20)) as pilot:
        await painted(pilot)
        drawn: list[int] = []
        rows = block_rendering.part_rows

        def counting(block: object, part: int, look: block_rendering.Look) -> list[object]:
            drawn.append(part)
            return rows(block, part, look)  # type: ignore[arg-type, return-value]

        monkeypatch.setattr(rows_view, "part_rows", counting)
        for portion in ("open ", "piece", " grows"):
            block.add(portion)
            transcript.touch(block)
            await painted(pilot)
        assert drawn == [6, 6, 6]


@pytest.mark.parametrize(
    "lines", [["a thought\n"] * 1_000, ["a thought " * 5_000], ["word " * 20 + "\n\n"] * 200], ids=range(3)
)
async def test_unfolded_thoughts_are_drawn_only_where_they_are_seen(
    monkeypatch: pytest.MonkeyPatch, lines: list[str]
) -> None:
    drawn: list[int] = []
    rows = block_rendering.part_rows

    def counting(block: object, part: int, look: block_rendering.Look) -> list[object]:
        drawn.append(len(found := rows(block, part, look)))  # type: ignore[arg-type]
        return found  # type: ignore[return-value]

    monkeypatch.setattr(rows_view, "part_rows", counting)
    transcript = Transcript()
    transcript.add(block := ThinkingBlock("t", list(lines), is_expanded=True))
    app = ViewApp(transcript)
    async with app.run_test(size=(60, 20)) as pilot:
        await painted(pilot)
        assert sum(drawn) < 300
        drawn.clear()
        block.parts.append(" more\n\nlast")
        transcript.touch(block)
        assert (await painted(pilot))[-1].strip() == "│ last"
        assert sum(drawn) < 250
        block.is_finished, block.seconds = True, 5.0
        transcript.touch(block)
        await painted(pilot)
        app.view.scroll_to(y=0, animate=False)
        await pilot.pause()
        assert (await painted(pilot))[0].strip() == "▾ Thought for 5 s"
        app.view.toggle(block)
        assert (await painted(pilot))[:2] == ["  ▸ Thought for 5 s", ""]


async def test_a_resize_keeps_the_place() -> None:
    transcript = filled(40)
    app = ViewApp(transcript)
    async with app.run_test(size=(80, 20)) as pilot:
        await painted(pilot)
        app.view.scroll_to(y=60, animate=False)
        await pilot.pause()
        top = next(row for row in await painted(pilot) if "question" in row or "answer" in row)
        for width in (40, 120, 80):
            await pilot.resize_terminal(width, 20)
            rows = await painted(pilot)
            assert any(top in row for row in rows), (width, top, rows)


async def test_a_resize_keeps_the_marked_block_in_sight() -> None:
    app = ViewApp(filled(40))
    async with app.run_test(size=(120, 50)) as pilot:
        await painted(pilot)
        app.view.scroll_to(y=60, animate=False)
        await pilot.pause()
        app.view.mark_next(-1)
        for size in ((40, 20), (20, 6), (120, 50)):
            await pilot.resize_terminal(*size)
            assert any("▌" in row for row in await painted(pilot)), size


async def test_a_click_on_a_title_unfolds_and_folds() -> None:
    transcript = Transcript()
    block = ToolBlock("r", "read_files", "Read a.py", (("paths", "a.py"),), state="success", detail="1\tx = 1")
    transcript.add(PersonBlock("p", "How?"))
    transcript.add(block)
    app = ViewApp(transcript)
    async with app.run_test(size=(60, 20)) as pilot:
        await painted(pilot)
        await pilot.click(app.view, offset=(5, 2))
        rows = await painted(pilot)
        assert rows[2:5] == ["  ✓ Read a.py", "  │ paths: a.py", "  │ 1   x = 1"]
        await pilot.click(app.view, offset=(5, 2))
        assert (await painted(pilot))[3] == ""


async def test_a_click_on_a_link_tells_its_address() -> None:
    transcript = Transcript()
    transcript.add(answer("a", MARKDOWN))
    app = ViewApp(transcript)
    async with app.run_test(size=(60, 20)) as pilot:
        rows = await painted(pilot)
        line = next(number for number, row in enumerate(rows) if "link" in row)
        await pilot.click(app.view, offset=(rows[line].index("link") + 1, line))
        await pilot.click(app.view, offset=(rows[line].index("words"), line))
        await pilot.pause()
        assert app.links == ["https://example.org/page"]


async def test_a_selection_is_copied_as_it_was_written() -> None:
    transcript = Transcript()
    transcript.add(PersonBlock("p", "one two three four five six seven eight nine ten"))
    transcript.add(answer("a", "- item"))
    app = ViewApp(transcript)
    async with app.run_test(size=(24, 12)) as pilot:
        rows = await painted(pilot)
        assert rows[:3] == ["  › one two three four", "    five six seven", "    eight nine ten"]
        await pilot.mouse_down(app.view, offset=(8, 0))
        await pilot.hover(app.view, offset=(8, 4))
        await pilot.mouse_up(app.view, offset=(8, 4))
        await pilot.pause()
        assert app.screen.get_selected_text() == "two three four five six seven eight nine ten\n\nitem"


async def test_blocks_are_walked_and_marked() -> None:
    transcript = filled(3)
    app = ViewApp(transcript)
    async with app.run_test(size=(60, 12)) as pilot:
        await painted(pilot)
        marked: list[str] = []
        for _ in range(8):
            app.view.mark_next(-1)
            assert app.view.marked is not None
            marked.append(app.view.marked.id)
            rows = await painted(pilot)
            assert any(row.startswith("▌") for row in rows)
        assert marked == [
            "answer-2",
            "person-2",
            "answer-1",
            "person-1",
            "answer-0",
            "person-0",
            "person-0",
            "person-0",
        ]
        app.view.mark(None)
        assert not any(row.startswith("▌") for row in await painted(pilot))


class Box(Panel):
    def needed_height(self, width: int, most: int) -> int:
        return min(4, most)

    def render(self) -> str:
        return "PANEL"


async def test_a_panel_stands_below_the_title_of_its_block_and_moves_with_it() -> None:
    transcript = filled(2)
    block = ToolBlock("t", "execute_command", "Running make")
    transcript.add(block)
    app = ViewApp(transcript)
    async with app.run_test(size=(60, 20)) as pilot:
        await painted(pilot)
        panel = Box()
        app.view.add_panel(block, panel)
        rows = await painted(pilot)
        await pilot.pause()
        title = rows.index("  ◐ Running make")
        assert (panel.region.y, panel.region.height) == (title + 1, 4)
        transcript.add(NoticeBlock("n", "info", "below"))
        rows = await painted(pilot)
        await pilot.pause()
        assert panel.region.y == rows.index("  ◐ Running make") + 1
        assert rows[rows.index("  ◐ Running make") + 6] == "  i below"
        app.view.remove_panel(block)
        rows = await painted(pilot)
        assert rows[rows.index("  ◐ Running make") + 2] == "  i below"


async def test_a_click_on_a_panel_is_no_click_on_the_row_that_has_the_same_number_in_the_view() -> None:
    transcript = Transcript()
    above = ToolBlock("r", "read_files", "Read a.py", (("paths", "a.py"),), state="success", detail="1\tx = 1")
    asking = ToolBlock("t", "execute_command", "Running make")
    transcript.add(PersonBlock("p", "How?"))
    transcript.add(above)
    transcript.add(asking)
    app = ViewApp(transcript)
    async with app.run_test(size=(60, 20)) as pilot:
        await painted(pilot)
        panel = Box()
        app.view.add_panel(asking, panel)
        rows = await painted(pilot)
        await pilot.pause()
        assert rows[2] == "  ✓ Read a.py"
        assert await pilot.click(panel, offset=(5, 2))
        assert await painted(pilot) == rows
        assert not above.is_expanded and app.view.is_following


async def test_clearing_begins_anew() -> None:
    transcript = filled(20)
    app = ViewApp(transcript)
    async with app.run_test(size=(60, 20)) as pilot:
        await painted(pilot)
        transcript.clear()
        transcript.add(PersonBlock("p", "new"))
        assert [row for row in await painted(pilot) if row] == ["  › new"]


@pytest.mark.parametrize("width", [40, 80, 200])
async def test_sub_h5_wide_and_combining_characters_never_overflow(width: int) -> None:
    transcript = Transcript()
    hostile = "日本語 e\u0301 👩\u200d💻 [/foo] [@click=x] \\[b] " * 6
    transcript.add(PersonBlock("p", hostile))
    transcript.add(ToolBlock("t", "x", hostile, (("日本", hostile),), state="error", summary=hostile, detail=hostile))
    block = transcript.blocks[-1]
    assert isinstance(block, ToolBlock)
    block.is_expanded = True
    transcript.add(answer("a", f"{hostile}\n\n| {hostile} | b |\n|---|---|\n| x | {hostile} |\n\n```\n{hostile}\n```"))
    transcript.add(NoticeBlock("n", "error", hostile))
    app = ViewApp(transcript)
    async with app.run_test(size=(width, 40)) as pilot:
        await painted(pilot)
        for _ in range(30):
            strips = app.view.render_lines(app.view.size.region)
            assert {strip.cell_length for strip in strips} == {app.view.size.width}
            app.view.scroll_to(y=max(app.view.scroll_y - 5, 0), animate=False)
            await pilot.pause()


async def test_what_changes_between_two_paints_is_shown_by_the_next_one_whatever_is_painted_before() -> None:
    """A scroll or a selection may paint at any time; that must not use up what the painter has to know."""
    transcript = Transcript()
    block = ToolBlock("t", "x", "Read a.py", (("paths", "a.py"),), state="success", detail="one\ntwo")
    transcript.add(block)
    transcript.add(NoticeBlock("n", "info", "below"))
    app = ViewApp(transcript)
    async with app.run_test(size=(60, 20)) as pilot:
        await painted(pilot)
        app.view.toggle(block)
        app.view.render_lines(app.view.size.region)
        rows = await painted(pilot)
        assert rows[:6] == ["  ✓ Read a.py", "  │ paths: a.py", "  │ one", "  │ two", "", "  i below"]


async def test_pieces_that_are_joined_between_two_paints_break_nothing() -> None:
    """A line that began like a list item turns out to belong to the paragraph: there is one piece less."""
    for act in ("render", "scroll", "resize", "mark", "click"):
        transcript = filled(5)
        block = AnswerBlock("streaming")
        block.add("some words\n-")
        transcript.add(block)
        app = ViewApp(transcript)
        async with app.run_test(size=(60, 12)) as pilot:
            await painted(pilot)
            count = block.pieces.count
            block.add("-")
            transcript.touch(block)
            assert block.pieces.count < count
            if act == "render":
                app.view.render_lines(app.view.size.region)
            elif act == "scroll":
                app.view.scroll_to(y=app.view.scroll_y - 3, animate=False)
            elif act == "resize":
                await pilot.resize_terminal(50, 12)
            elif act == "mark":
                app.view.mark_next(-1)
            else:
                await pilot.click(app.view, offset=(5, 11))
            await pilot.pause()
            app.view.follow()
            assert (await painted(pilot))[-1].endswith("some words")


async def test_after_clearing_nothing_old_is_looked_at_before_the_next_paint() -> None:
    transcript = filled(5)
    app = ViewApp(transcript)
    async with app.run_test(size=(60, 12)) as pilot:
        await painted(pilot)
        app.view.mark_next(-1)
        transcript.clear()
        app.view.render_lines(app.view.size.region)
        app.view.action_toggle_block()
        app.view.action_copy_block()
        await pilot.click(app.view, offset=(5, 5))
        app.view.scroll_to(y=0, animate=False)
        app.view.mark_next(-1)
        assert app.view.marked is None
        assert not any(await painted(pilot))


async def test_a_link_behind_wide_characters_is_where_it_is_drawn() -> None:
    transcript = Transcript()
    transcript.add(answer("a", "日本語日本語 [link](https://example.org/page) 日本"))
    app = ViewApp(transcript)
    async with app.run_test(size=(60, 20)) as pilot:
        await painted(pilot)
        for column in (2 + 12, 2 + 13, 2 + 16, 2 + 17):
            await pilot.click(app.view, offset=(column, 0))
        await pilot.pause()
        assert app.links == ["https://example.org/page"] * 2


async def test_text_is_found_where_it_is_drawn_without_its_marks() -> None:
    transcript = Transcript()
    block = answer("a", "\n\n".join([*(f"line {number}" for number in range(50)), "the **needle** is `here`", "x"]))
    transcript.add(block)
    app = ViewApp(transcript)
    async with app.run_test(size=(60, 11)) as pilot:
        await painted(pilot)
        app.view.scroll_to(y=0, animate=False)
        await pilot.pause()
        app.view.show_text(block, "the **needle** is `here`")
        assert "  the needle is here" in await painted(pilot)


async def test_new_is_shown_when_text_streams_in_below_the_view_and_only_then() -> None:
    transcript = filled(20)
    growing = AnswerBlock("growing")
    transcript.add(growing)
    growing.add("It begins")
    transcript.touch(growing)
    async with ViewApp(transcript).run_test(size=(60, 20)) as pilot:
        app = pilot.app
        assert isinstance(app, ViewApp)
        await painted(pilot)
        app.view.scroll_relative(y=-30, animate=False)
        assert not any("↓ new" in row for row in await painted(pilot))
        # More of the same line: no row is added by it.
        growing.add(" and")
        transcript.touch(growing)
        assert "↓ new" in (await painted(pilot))[-1]
        app.view.follow()
        app.view.scroll_relative(y=-30, animate=False)
        assert not any("↓ new" in row for row in await painted(pilot))
        # Its end is nothing new.
        growing.finish()
        transcript.touch(growing)
        assert not any("↓ new" in row for row in await painted(pilot))


async def test_a_tool_that_waits_below_the_view_is_new() -> None:
    transcript = filled(20)
    tool = ToolBlock("tool", "execute_command", "Running")
    transcript.add(tool)
    async with ViewApp(transcript).run_test(size=(60, 20)) as pilot:
        app = pilot.app
        assert isinstance(app, ViewApp)
        await painted(pilot)
        app.view.scroll_relative(y=-30, animate=False)
        assert not any("↓ new" in row for row in await painted(pilot))
        tool.state = "waiting"
        transcript.touch(tool)
        assert "↓ new" in (await painted(pilot))[-1]


@pytest.mark.parametrize(("lines", "first", "last"), [(8, 0, 7), (50, 0, 17)])
async def test_the_last_block_unfolds_into_sight(lines: int, first: int, last: int) -> None:
    transcript = filled(20)
    detail = "\n".join(f"line {number};" for number in range(lines))
    tool = ToolBlock("tool", "execute_command", "Ran it", state="success", detail=detail)
    transcript.add(tool)
    async with ViewApp(transcript).run_test(size=(60, 20)) as pilot:
        app = pilot.app
        assert isinstance(app, ViewApp)
        await painted(pilot)
        app.view.toggle(tool)
        rows = await painted(pilot)
        shown = [number for number in range(lines) if any(f"line {number};" in row for row in rows)]
        assert (shown[0], shown[-1]) == (first, last)
        assert any("Ran it" in row for row in rows)
        assert not any("↓ new" in row for row in rows)


def earlier(count: int) -> list[PersonBlock | AnswerBlock]:
    blocks: list[PersonBlock | AnswerBlock] = []
    for number in range(count):
        blocks.append(PersonBlock(f"early-person-{number}", f"early question {number}"))
        blocks.append(answer(f"early-answer-{number}", f"early answer {number}\n\n{MARKDOWN}"))
    return blocks


@pytest.mark.parametrize("place", ["top", "middle", "end"])
async def test_what_is_put_before_moves_nothing_in_sight(place: str) -> None:
    transcript = filled(10)
    app = ViewApp(transcript)
    async with app.run_test(size=(60, 20)) as pilot:
        await painted(pilot)
        if place == "top":
            app.view.scroll_home(animate=False)
        elif place == "middle":
            app.view.scroll_to(y=40, animate=False)
        before = await painted(pilot)
        transcript.put_before(earlier(5))
        # Something new comes in the same moment.
        transcript.add(NoticeBlock("late", "info", "late"))
        after = await painted(pilot)
        if place == "end":
            assert after[-1].strip() == "i late"
        else:
            # Only whether there is a gap above what was the first block is decided anew.
            assert [row for row in after if row][: len([row for row in before if row]) - 1] == [
                row for row in before if row
            ][: len([row for row in before if row]) - 1]
        app.view.scroll_home(animate=False)
        assert (await painted(pilot))[0] == "  › early question 0"
        assert [block.id for block in transcript.blocks[:2]] == ["early-person-0", "early-answer-0"]
        assert transcript.position_of(transcript.blocks[-1]) == len(transcript.blocks) - 1


async def test_what_is_put_before_nothing_is_shown_too() -> None:
    transcript = Transcript()
    app = ViewApp(transcript)
    async with app.run_test(size=(60, 20)) as pilot:
        await painted(pilot)
        transcript.put_before(earlier(1))
        assert "  › early question 0" in await painted(pilot)


async def test_a_selection_does_not_move_to_other_words() -> None:
    transcript = filled(3)
    app = ViewApp(transcript)
    async with app.run_test(size=(60, 20)) as pilot:
        app.view.scroll_home(animate=False)
        await painted(pilot)
        app.screen.selections = {app.view: Selection(Offset(0, 0), Offset(20, 0))}
        assert app.view.text_selection is not None
        transcript.put_before(earlier(2))
        await painted(pilot)
        assert app.view.text_selection is None


async def test_more_is_asked_for_once_near_the_beginning() -> None:
    transcript = filled(20)
    transcript.has_older = True
    asked: list[object] = []

    class Asking(ViewApp):
        def on_transcript_view_older_wanted(self, message: TranscriptView.OlderWanted) -> None:
            asked.append(message)

    app = Asking(transcript)
    async with app.run_test(size=(60, 20)) as pilot:
        await painted(pilot)
        assert asked == []
        app.view.scroll_home(animate=False)
        await painted(pilot)
        await painted(pilot)
        assert len(asked) == 1
        transcript.put_before(earlier(1))
        await painted(pilot)
        assert len(asked) == 2
        transcript.has_older = False
        transcript.put_before([PersonBlock("first", "the first")])
        await painted(pilot)
        assert len(asked) == 2
