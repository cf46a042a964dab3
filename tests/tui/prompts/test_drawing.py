"""What is shown: all of it, nothing but it, and never wider than there is room."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from textual import events

from code_assistant.events import Choice, DetailForm, Origin
from code_assistant.tui.prompts import details
from code_assistant.tui.prompts.details import detail_rows
from code_assistant.tui.prompts.exact import BLANK, TAB, escaped_text, exact_rows
from code_assistant.tui.prompts.messages import PermissionAnswered
from code_assistant.tui.prompts.panel import PromptPanel
from code_assistant.tui.rendering.rows import Row
from tests.rows import each_row
from tests.tui.look import PALETTE, a_palette
from tests.tui.prompts.host import Host, mouse

HOSTILE = [
    "\x1b[2J\x1b]0;title\x07",
    "\x1b]52;c;ZXZpbA==\x1b\\",
    "\x9b31m\x9d52;c;x\x9c",
    "\x00\x08\x7f\r",
    "[/foo] [/] [b",
    "[@click=app.quit]click[/]",
    "[link=file:///etc/passwd]x[/link]",
    "rm \u202e/ fr- \u2066x\u2069",
    "a\u200bb\u200dc\ufeffd\u00ad",
    "tag\U000e0041\U000e007f",
    "\ud800 lone",
    "a\tb\n\nc   ",
    "漢字🙂👩‍💻 e\u0301",
    "\\",
    "$ {x} %s",
    "Delete&#13;Keep&#12; &#x202e;all&#x200b;&shy; <http://x/%0d%e2%80%ae>",
]
UNSAFE = set(map(chr, [*range(0x20), *range(0x7F, 0xA0), 0xAD, 0x200B, 0x200D, 0x202E, 0x2066, 0x2069, 0xFEFF]))

KINDS: dict[str, Callable[[Host, str], PromptPanel]] = {
    "text": lambda host, text: host.permission(text, action=text, rule=f"Bash({text})", origin=Origin("x", text, 2)),
    "diff": lambda host, text: host.permission(f"--- {text}\n+++ b\n@@ -1 +1 @@\n-{text}\n+{text}", form="diff"),
    "question": lambda host, text: host.question((Choice(text, text), Choice("b")), text=text),
    "several": lambda host, text: host.question((Choice(text, text), Choice("b")), text=text, several=True),
    "plan": lambda host, text: host.plan(f"# {text}\n\n{text}\n\n```\n{text}\n```\n\n| a |\n|---|\n| {text} |"),
}


def check_rows(panel: PromptPanel) -> list[str]:
    rows = [panel.render_line(y) for y in range(panel.size.height)]
    for strip in rows:
        assert strip.cell_length == panel.size.width == sum(cell_len(segment.text) for segment in strip)
    return [strip.text for strip in rows]


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("kind", KINDS)
async def test_safe_x1_x2_x4_hostile_text_is_shown_escaped(kind: str, width: int) -> None:
    host = Host()
    async with host.run_test(size=(width, 40)) as pilot:
        panels = [await host.ask(KINDS[kind](host, text)) for text in HOSTILE]
        await pilot.pause()
        host.now.now += 5
        for text, panel in zip(HOSTILE, panels, strict=True):
            for _ in range(2):
                rows = check_rows(panel)
                assert len(rows) > 3
                # In prose, pictures made of several may stay together.
                allowed = {"\u200d"} if kind in {"question", "several", "plan"} and "👩" in text else set[str]()
                assert UNSAFE & set("".join(rows)) <= allowed, f"{text!r} in {kind}"
                host.take(panel)
                await pilot.pause()
                panel.scroll_rows(10_000)
        assert host.answers == []


@pytest.mark.parametrize(("width", "height"), [(40, 12), (40, 40), (80, 24), (200, 50), (24, 10), (30, 6)])
async def test_the_end_of_a_long_diff_is_reached(width: int, height: int) -> None:
    diff = "--- a/x\n+++ b/x\n@@ -1,250 +1,250 @@\n" + "".join(f"-old {n}\n+new {n}\n" for n in range(250))
    host = Host()
    async with host.run_test(size=(width, height)) as pilot:
        panel = await host.ask(host.permission(diff, form="diff"))
        panel.styles.height = panel.needed_height(width, max(height - 4, 3))
        await pilot.pause()
        host.now.now += 5
        host.take(panel)
        await pilot.pause()
        check_rows(panel)
        await pilot.press("end")
        ended = check_rows(panel)
        await pilot.press("home")
        begun = check_rows(panel)
        await pilot.press("pagedown", "down", "up", "pageup")
        assert check_rows(panel) == begun
        seen = set(begun)
        while panel.scroll_rows(1):
            seen |= set(check_rows(panel))
        assert check_rows(panel) == ended
        for number in (0, 137, 249):
            assert any(f"+new {number}" in row for row in seen)
        if panel.size.height > 12:
            assert any("lines 1-" in row and "of 503 ↓" in row for row in begun)
            assert any("-503 of 503 ↑" in row for row in ended)


async def test_the_end_of_a_long_command_is_reached_by_the_wheel() -> None:
    command = "echo " + " ".join(f"word{n}" for n in range(1200)) + " ; rm -rf ~"
    assert len(command) > 9_000
    host = Host()
    async with host.run_test(size=(60, 30)) as pilot:
        panel = await host.ask(host.permission(command, rule=f"Bash({command})"))
        panel.styles.height = panel.needed_height(60, 14)
        await pilot.pause()
        seen: set[str] = set()
        before: list[str] = []
        while (rows := check_rows(panel)) != before:
            before = rows
            seen |= set(rows)
            panel.post_message(events.MouseScrollDown(panel, 5, 3, 0, 0, 0, False, False, False))
            await pilot.pause()
        for words in ("word1199", "word600", "; rm -rf ~"):
            assert any(words in row for row in seen), words


@each_row("kind", KINDS)
@each_row("width", [1, 3, 8, 12, 40, 80, 200])
def test_the_needed_height_holds_everything_and_no_more_than_asked(kind: str, width: int) -> None:
    host = Host()
    panel = KINDS[kind](host, "some words " * 20)
    for most in (0, 1, 2, 5, 9, 30):
        assert panel.needed_height(width, most) <= most
    assert panel.needed_height(width, 10_000) < 10_000


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [(1, 1), (3, 3), (5, 4), (12, 5), (20, 8), (33, 9)])
async def test_tiny_screens_break_nothing(kind: str, size: tuple[int, int]) -> None:
    host = Host()
    async with host.run_test(size=(60, 24)) as pilot:
        panel = await host.ask(KINDS[kind](host, "some words 漢字 " * 9))
        panel.styles.width, panel.styles.height = size
        await pilot.pause()
        host.now.now += 5
        host.take(panel)
        await pilot.pause()
        check_rows(panel)
        await pilot.press("down", "end", "tab", "r" if kind != "question" else "t", "x")
        await pilot.pause()
        check_rows(panel)


async def test_nothing_scrolls_where_everything_fits() -> None:
    host = Host()
    async with host.run_test(size=(80, 40)) as pilot:
        panel = await host.ask(host.permission("one\ntwo"))
        await pilot.pause()
        rows = check_rows(panel)
        assert not any("lines 1-" in row for row in rows)
        assert panel.size.height == panel.needed_height(80, 40) == len(rows) == 8


async def test_notes_stay_reachable_where_there_is_little_room() -> None:
    host = Host()
    async with host.run_test(size=(80, 40)) as pilot:
        panel = await host.ask(host.permission("a\nb\nc\nd\ne\x1b\nf"))
        panel.styles.height = 5
        await pilot.pause()
        host.now.now += 5
        host.take(panel)
        seen = ""
        for _ in range(12):
            seen += "\n".join(check_rows(panel))
            await pilot.press("down")
        assert "always would store: Bash(make test)" in seen and "1 invisible character, shown like ␛" in seen
        assert "Allow once" in seen


async def test_a_title_too_long_for_the_border_stands_whole_below_it() -> None:
    host = Host()
    async with host.run_test(size=(40, 40)) as pilot:
        path = "/".join(["folder"] * 12)
        panel = await host.ask(host.permission(action=f"delete {path}"))
        await pilot.pause()
        text = "".join(row.strip("│ ") for row in check_rows(panel)[1:])
        assert path in text


async def test_other_colours_are_taken_at_once() -> None:
    host = Host()
    async with host.run_test() as pilot:
        panel = await host.ask(host.permission())
        await pilot.pause()
        other = a_palette()
        panel.set_palette(other)
        styles = {segment.style for y in range(panel.size.height) for segment in panel.render_line(y)}
        assert other.strong in styles


# Exactness


@settings(max_examples=300, derandomize=True, deadline=None)
@given(st.text("ab \t\n\r\x1b\u200b漢é🙂·→┊", max_size=80), st.integers(6, 40))
def test_safe_b6_every_character_is_in_its_place(text: str, width: int) -> None:
    rows = exact_rows(text, width, PALETTE)
    assert all(row.cells <= max(width, 8) for row in rows)
    lines: list[str] = []
    for row in rows:
        part = "".join(
            segment.text.replace(BLANK, " ") if segment.style == PALETTE.muted and segment.text != TAB else segment.text
            for segment in row.segments
        )
        if row.joint is None:
            lines.append(part)
        else:
            assert part.startswith("┊ ")
            lines[-1] += part[2:]
    assert "\n".join(lines) == escaped_text(text.removesuffix("\n")).replace("\t", TAB)


@pytest.mark.parametrize("count", [3_990, 4_001, 9_000])
def test_a_diff_of_any_length_is_shown_whole_and_numbered(count: int) -> None:
    diff = f"--- a\n+++ b\n@@ -0,0 +1,{count} @@\n" + "".join(f"+line {n}\n" for n in range(1, count + 1))
    rows = [row.text for row in detail_rows(diff, "diff", 80, PALETTE)]
    assert len(rows) == count + 3
    assert rows[-1].split() == [str(count), "+line", str(count)]
    assert [row.split()[0] for row in rows[3:]] == [str(n) for n in range(1, count + 1)]


@settings(max_examples=300, derandomize=True, deadline=None)
@given(st.lists(st.text("ab+- @\t\r\x1b\u200b漢é🙂", max_size=40), min_size=1, max_size=6), st.integers(6, 40))
def test_rows_are_counted_as_they_are_drawn(lines: list[str], width: int) -> None:
    text = "\n".join(["a", *lines, "b"])
    assert list(detail_rows(text, "text", width, PALETTE)) == exact_rows(text, width, PALETTE)
    # What is counted wrongly would shift the lines below it, or end before the last of them.
    marked = [f"{'+- '[at % 3]}{line}" for at, line in enumerate(lines)]
    rows = detail_rows("\n".join(["@@ -1 +1 @@", *marked, "@@ -9 +9 @@", "+z"]), "diff", width, PALETTE)
    assert rows[-1].text.split() == ["9", "+z"]
    assert sum(row.text.startswith("@@ -") for row in rows) == 2
    assert all(row.cells <= max(width, 8) for row in rows)


@pytest.mark.parametrize("form", ["diff", "text"])
async def test_only_what_is_in_sight_is_drawn(form: DetailForm, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[object] = []

    def counting(draw: Callable[..., list[Row]]) -> Callable[..., list[Row]]:
        def counted(*arguments: Any) -> list[Row]:
            rows = draw(*arguments)
            drawn.extend(rows)
            return rows

        return counted

    for name in ("diff_line_rows", "exact_rows"):
        monkeypatch.setattr(details, name, counting(getattr(details, name)))
    count = 30_000
    detail = f"--- a\n+++ b\n@@ -0,0 +1,{count} @@\n" + "".join(f"+\tline {n}\n" for n in range(1, count + 1))
    host = Host()
    async with host.run_test(size=(80, 24)) as pilot:
        panel = await host.ask(host.permission(detail.replace("\t", "") if form == "text" else detail, form=form))
        await pilot.pause()
        host.take(panel)
        await pilot.press("pagedown", "end")
        assert any(f"+line {count}" in row.replace("→   ", "") for row in check_rows(panel))
        assert any(f"-{count + 3} of {count + 3} ↑" in row for row in check_rows(panel))
        await pilot.resize_terminal(60, 30)
        assert any(" of " in row for row in check_rows(panel))
    assert 0 < len(drawn) < 500


async def test_buttons_without_room_are_the_end_of_what_is_scrolled() -> None:
    host = Host()
    async with host.run_test(size=(80, 24)) as pilot:
        panel = await host.ask(host.permission("one\ntwo"))
        panel.styles.width, panel.styles.height = 17, 3
        await pilot.pause()
        host.now.now += 5
        host.take(panel)
        await pilot.pause()
        seen = [check_rows(panel)[1]]
        while panel.scroll_rows(1):
            seen.append(check_rows(panel)[1])
        words = " ".join(row.strip("┃ ") for row in seen)
        for part in ("explore-2", "one two", "always", "[y Allow on…]", "[n Deny]"):
            assert part in words
        panel.scroll_rows(-1000)
        while "[n Deny]" not in check_rows(panel)[1]:
            assert panel.scroll_rows(1)
        host.now.now += 5
        await mouse(pilot, events.MouseDown, panel, 4, 1)
        await mouse(pilot, events.MouseUp, panel, 4, 1)
        assert [type(each) for each in host.answers] == [PermissionAnswered]


def test_the_names_in_a_diff_are_not_cut() -> None:
    name = "x" * 100
    text = "".join(row.text.removeprefix("┊ ") for row in detail_rows(f"--- {name}\n+++ {name}\n", "diff", 30, PALETTE))
    assert text == f"--- {name}+++ {name}"


def test_safe_b6_a_blank_that_is_none_is_seen() -> None:
    for blank in "\u00a0\u2003\u3000\u2800\ue000":
        shown = escaped_text(f"./run{blank}tests now")
        assert shown == f"./run⟨U+{ord(blank):04X}⟩tests now"
