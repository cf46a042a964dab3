"""Windows to read in: keys, wrapping, selecting, and the address of a link."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from textual.geometry import Offset
from textual.selection import Selection

from code_assistant.tui.frame.spans import Span
from code_assistant.tui.pickers.text_screen import (
    ConfirmLink,
    KeyGroup,
    KeyHelp,
    TextScreen,
    host_of,
    key_paragraphs,
    objection_to,
    paragraphs_of,
)
from code_assistant.tui.pickers.text_view import Paragraph, TextView, text_rows
from tests.rows import each_row
from tests.tui.hostile import HOSTILE, is_safe
from tests.tui.pickers.host import NOTHING, Host, assert_inside, rows

GROUPS = [
    KeyGroup("Composer", [("enter", "send"), ("shift+enter, ctrl+j, \\+enter", "new line"), ("?", "these keys")]),
    KeyGroup("Prompts", [("f8", "go to the oldest open prompt, wherever it is on the screen")]),
]
LONG = "\n".join(f"line {number}" for number in range(200))


@pytest.mark.parametrize("key", ["escape", "q", "enter"])
async def test_text_is_read_and_closed(key: str) -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(TextScreen("Cost", "# This session\nmain  $0.03\n\tindented"))
        await pilot.pause()
        shown = "\n".join(rows(app))
        for words in ("Cost", " This session", "main  $0.03", "    indented", "esc close"):
            assert words in shown
        assert "# This" not in shown
        await pilot.press(key)
        await pilot.pause()
        assert app.given is None


async def test_long_text_scrolls_with_keys() -> None:
    app = Host()
    # Where it scrolls to is what counts; how it glides there is Textual's.
    app.animation_level = "none"
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(TextScreen("Long", LONG))
        await pilot.pause()
        view = app.screen.query_one(TextView)
        view.scroll_to(y=0, animate=False)
        tops: list[int] = []
        for key in ("end", "home", "down", "j", "up"):
            await pilot.press(key)
            tops.append(round(view.scroll_target_y))
        assert tops == [200 - view.size.height, 0, 1, 2, 1]
        await pilot.press("pagedown")
        assert view.scroll_target_y > 10


async def test_keys_by_place() -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(KeyHelp(GROUPS))
        await pilot.pause()
        shown = rows(app)
        columns = {row.index(words) for row in shown for words in ("send", "new line", "these keys") if words in row}
        assert len(columns) == 1
        assert any("Composer" in row for row in shown)
        await pilot.press("question_mark")
        await pilot.pause()
        assert app.given is None


def test_long_keys_stand_beside_their_words() -> None:
    (paragraph,) = [each for each in key_paragraphs(GROUPS) if each.label and each.label.text.startswith("shift")]
    found = [row.text.rstrip() for row in text_rows(paragraph, 38)]
    assert found[0].startswith(" shift+enter,")
    assert found[0].endswith("new line")
    assert found[1:] == [" ctrl+j,", " \\+enter"]


@each_row("text", HOSTILE)
def test_rows_are_never_too_wide(text: str) -> None:
    paragraphs = [*paragraphs_of(text), *key_paragraphs([KeyGroup(text, [(text, text)])])]
    for width in (6, 20, 38, 80, 200):
        for paragraph in paragraphs:
            for row in text_rows(paragraph, width):
                assert cell_len(row.text) <= width
                assert is_safe(row.text)


def test_selecting_gives_the_text_as_it_was_before_wrapping() -> None:
    view = TextView([Paragraph((Span("one two three four"),)), Paragraph((Span("five"),))])
    view._lay_out(12)  # pyright: ignore[reportPrivateUsage]
    assert view.get_selection(Selection(None, None)) == ("one two three four\nfive", "\n")
    assert view.get_selection(Selection(Offset(5, 0), Offset(6, 1))) == ("two three", "\n")


async def test_selected_text_is_seen_and_copied() -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(TextScreen("Cost", "main  $0.03\nchild  $0.01"))
        await pilot.pause()
        await pilot.mouse_down(TextView, offset=(1, 0))
        await pilot.hover(TextView, offset=(6, 1))
        await pilot.mouse_up(TextView, offset=(6, 1))
        await pilot.pause()
        selected = app.screen.get_selected_text()
        assert selected is not None
        assert selected.startswith("main  $0.03\nchil")


@pytest.mark.parametrize(
    ("keys", "given"), [("o", True), ("enter", True), ("escape", False), ("q", False), ("x", NOTHING)]
)
async def test_safe_x3_a_link_is_opened_only_on_demand(keys: str, given: object) -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(ConfirmLink("https://docs.example.org/tax"))
        await pilot.pause()
        assert any("https://docs.example.org/tax" in row for row in rows(app))
        await pilot.press(keys)
        await pilot.pause()
        assert app.given is given


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "ftp://example.org",
        "example.org",
        "",
        "https://",
        "http:///path",
        "https://[bad",
        "https://example.org/\x1b]0;x",
        "https://example.org/a b",
        "https://example.org/\u202egpj.exe",
        " https://example.org",
        "--help",
    ],
)
async def test_safe_x3_other_addresses_are_never_opened(address: str) -> None:
    assert objection_to(address)
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(ConfirmLink(address))
        await pilot.pause()
        assert all(is_safe(row) for row in rows(app))
        await pilot.press("o", "enter")
        await pilot.pause()
        assert app.given is NOTHING
        await pilot.press("escape")
        await pilot.pause()
        assert app.given is False


async def test_safe_x3_where_a_link_really_leads_is_said() -> None:
    assert host_of("https://good.example@evil.example:80/x") == "evil.example"
    app = Host()
    async with app.run_test(size=(60, 20)) as pilot:
        app.open(ConfirmLink("https://good.example@\u0435vil.example/x"))
        await pilot.pause()
        shown = "\n".join(rows(app))
        assert "leads to \u0435vil.example" in shown
        assert "may look like others" in shown


async def test_the_whole_address_is_shown() -> None:
    address = "https://example.org/" + "".join(f"{number:04}" for number in range(300))
    app = Host()
    async with app.run_test(size=(40, 60)) as pilot:
        app.open(ConfirmLink(address))
        await pilot.pause()
        shown = "".join(row.strip(" │") for row in rows(app))
        assert address in shown


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120, 200])
async def test_they_fit(width: int) -> None:
    app = Host()
    async with app.run_test(size=(width, 30)) as pilot:
        text = "\n".join(HOSTILE)
        for screen in (
            TextScreen(HOSTILE[0], text),
            TextScreen("Short", "x"),
            KeyHelp(GROUPS, HOSTILE[4]),
            KeyHelp([KeyGroup(word, [(word, word)]) for word in HOSTILE]),
            ConfirmLink("https://example.org/" + "a" * 900),
        ):
            app.open(screen)
            for height in (8, 12, 24, 50):
                await pilot.resize_terminal(width, height)
                await pilot.pause()
                assert_inside(app)
                shown = rows(app)
                assert all(is_safe(row) for row in shown)
                assert any("esc" in row for row in shown)
            await pilot.press("escape")
            await pilot.pause()
            assert app.given is not NOTHING
