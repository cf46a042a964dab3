"""Choosing from a list with keys and the mouse."""

from __future__ import annotations

import pytest
from textual.events import Key, Paste

from code_assistant.tui.pickers.picker import Picker, PickerRow
from code_assistant.tui.pickers.picker_list import PickerList
from tests.tui.hostile import HOSTILE, is_safe
from tests.tui.pickers.host import NOTHING, Host, assert_inside, rows

MODELS = [
    PickerRow("sonnet", "claude-sonnet", "balanced, 200k"),
    PickerRow("opus", "claude-opus", "the strongest", is_current=True),
    PickerRow("haiku", "claude-haiku", "fast and cheap"),
    PickerRow("local", "qwen-coder", "on this machine, strongest offline"),
]
LONG = " ".join(f"word{number}" for number in range(40))
RULES = [
    PickerRow("mode", "ask", "reading is free"),
    PickerRow("one", f"deny Bash(one {LONG} last1)", "from here", is_whole=True),
    PickerRow("two", f"deny Bash(two {LONG} last2)", "from there", is_whole=True),
]
MANY = [PickerRow(str(number), f"session {number}", "yesterday") for number in range(100)]


async def press(keys: str, picker: Picker) -> object:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(picker)
        await pilot.pause()
        await pilot.press(*keys.split())
        await pilot.pause()
        return app.given


@pytest.mark.parametrize(
    ("keys", "given"),
    [
        ("enter", "opus"),
        ("down enter", "haiku"),
        ("up enter", "sonnet"),
        ("up up enter", "local"),
        ("down down down enter", "sonnet"),
        ("home enter", "sonnet"),
        ("end enter", "local"),
        ("pagedown enter", "local"),
        ("pageup enter", "sonnet"),
        ("escape", None),
        ("q w enter", "local"),
        ("h a i enter", "haiku"),
        ("s t r o n g enter", "opus"),
        ("s t r o n g down enter", "local"),
        ("z z enter", NOTHING),
        ("z z backspace backspace enter", NOTHING),
        ("h x backspace enter", "haiku"),
        ("h a i ctrl+u q w enter", "local"),
        ("h a i space o ctrl+w enter", "haiku"),
        ("z z escape", None),
    ],
)
async def test_keys(keys: str, given: object) -> None:
    if keys == "z z backspace backspace enter":
        # Nothing was highlighted, so the first row is again.
        given = "sonnet"
    assert await press(keys, Picker("Model", MODELS)) == given


async def test_an_empty_list_can_only_be_left() -> None:
    assert await press("down up pagedown end x enter", Picker("Nothing", [])) is NOTHING
    assert await press("down escape", Picker("Nothing", [])) is None


async def test_highlights_are_told_and_only_those_that_are_new() -> None:
    told: list[str] = []
    await press("down down home home q w x backspace escape", Picker("Model", MODELS, on_highlight=told.append))
    assert told == ["haiku", "local", "sonnet", "local"]


async def test_paging_keeps_the_highlight_in_sight() -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        picker = Picker("Sessions", MANY)
        app.open(picker)
        await pilot.pause()
        for key in ("pagedown", "pagedown", "down", "end", "up", "pageup", "home", "up", "down"):
            await pilot.press(key)
            await pilot.pause()
            assert picker.highlighted is not None
            (line,) = [row for row in rows(app) if "❯" in row]
            assert f" {picker.highlighted.title} " in line


async def test_the_current_row_is_in_sight_from_the_start() -> None:
    app = Host()
    async with app.run_test(size=(80, 16)) as pilot:
        app.open(Picker("Sessions", [*MANY, PickerRow("now", "this one", is_current=True)]))
        await pilot.pause()
        assert any("❯✓ this one" in row for row in rows(app))


async def test_the_mouse_picks_and_scrolls_and_leaves() -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(Picker("Sessions", MANY))
        await pilot.pause()
        body = app.screen.query_one(PickerList)
        body.scroll_to(y=10, animate=False)
        await pilot.pause()
        await pilot.click(PickerList, offset=(8, 3))
        await pilot.pause()
        assert app.given == "13"
        app.open(Picker("Sessions", MANY))
        await pilot.pause()
        await pilot.click(offset=(1, 1))
        await pilot.pause()
        assert app.given is None


async def test_clicking_below_the_rows_does_nothing() -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(Picker("Model", MODELS))
        await pilot.pause()
        await pilot.press("h", "a", "i")
        await pilot.click(PickerList, offset=(8, 3))
        await pilot.pause()
        assert app.given is NOTHING


def marked(app: Host) -> list[str]:
    """The rows of the highlighted entry that are in sight, without what is around them."""
    frames = [row.strip().strip("│").rstrip("▁▂▃▄▅▆▇█▉▊▋▌▍▎▏ ") for row in rows(app) if row.strip().startswith("│")]
    return [row[4:].strip() for row in frames if row.startswith((" ❯", " │"))]


def is_in_order(pieces: str, text: str) -> bool:
    """Whether the words of a text are there, one after the other, wherever they were broken."""
    return text.replace(" ", "") in pieces.replace(" ", "")


@pytest.mark.parametrize("width", [40, 44, 60, 100])
async def test_a_whole_row_is_one_entry_however_narrow_it_is(width: int) -> None:
    app = Host()
    async with app.run_test(size=(width, 50)) as pilot:
        app.open(Picker("Rules", RULES))
        await pilot.pause()
        for row in RULES[1:]:
            await pilot.press("down")
            await pilot.pause()
            assert is_in_order("".join(marked(app)), f"{row.title}{row.detail}")
        # Filtered by what stands at its end: all of it is shown, and nothing of the other one.
        await pilot.press(*"last1")
        await pilot.pause()
        assert is_in_order("".join(marked(app)), f"{RULES[1].title}{RULES[1].detail}")
        assert not any("two" in row or "there" in row for row in rows(app))


async def test_a_click_on_any_row_of_an_entry_picks_it() -> None:
    app = Host()
    async with app.run_test(size=(44, 50)) as pilot:
        app.open(Picker("Rules", RULES))
        await pilot.pause()
        first, second = (at for at, row in enumerate(rows(app)) if "deny" in row)
        for at, value in ((first, "one"), (second - 1, "one"), (second, "two"), (second + 5, "two")):
            await pilot.click(offset=(20, at))
            await pilot.pause()
            assert app.given == value
            app.open(Picker("Rules", RULES))
            await pilot.pause()


@pytest.mark.parametrize(("key", "back"), [("down", "up"), ("pagedown", "pageup")])
async def test_an_entry_higher_than_the_list_is_read_to_its_end_and_back(key: str, back: str) -> None:
    app = Host()
    async with app.run_test(size=(40, 12)) as pilot:
        picker = Picker("Rules", RULES)
        app.open(picker)
        await pilot.pause()

        async def read(key: str) -> list[str]:
            """What is seen of each entry on the way, in the order in which it comes into sight."""
            seen: dict[str, list[str]] = {}
            for _ in range(100):
                assert picker.highlighted is not None
                known = seen.setdefault(picker.highlighted.value, [])
                known += [row for row in marked(app) if row not in known]
                if picker.highlighted.value == ("two" if key in ("down", "pagedown") else "mode") and (
                    "from there" in known or key in ("up", "pageup")
                ):
                    break
                await pilot.press(key)
                await pilot.pause()
            return ["".join(sorted("".join(known).replace(" ", ""))) for known in seen.values()]

        whole = ["".join(sorted(f"{row.title}{row.detail}".replace(" ", ""))) for row in RULES]
        assert await read(key) == whole
        assert await read(back) == whole[::-1]


async def test_pasted_text_filters_and_is_made_harmless() -> None:
    app = Host()
    async with app.run_test(size=(80, 24)) as pilot:
        app.open(Picker("Model", MODELS))
        await pilot.pause()
        app.screen.post_message(Paste("hai\nku\x1b]0;x\x07"))
        await pilot.pause()
        assert all(is_safe(row) for row in rows(app))
        assert any("hai ku␛]0;x␇" in row for row in rows(app))


async def test_marks_are_seen_without_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = Host(ansi_color=True)
    async with app.run_test(size=(60, 20)) as pilot:
        app.open(Picker("Model", MODELS))
        await pilot.press("down")
        await pilot.pause()
        assert any(" ❯  claude-haiku" in row for row in rows(app))
        assert any("  ✓ claude-opus" in row for row in rows(app))


async def test_entries_of_several_rows_are_drawn_anew_when_the_screen_gets_another_width() -> None:
    app = Host()
    async with app.run_test(size=(40, 40)) as pilot:
        app.open(Picker("Rules", RULES))
        await pilot.pause()
        for width in (80, 30, 60):
            await pilot.resize_terminal(width, 40)
            await pilot.pause()
            resized = rows(app)
            app.open(Picker("Rules", RULES))
            await pilot.pause()
            assert rows(app) == resized
            await pilot.press("escape")
            await pilot.pause()


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120, 200])
async def test_it_fits(width: int) -> None:
    app = Host()
    hostile = [PickerRow(str(number), text, text, number == 3) for number, text in enumerate(HOSTILE)]
    async with app.run_test(size=(width, 30)) as pilot:
        for height in (8, 12, 24, 50):
            await pilot.resize_terminal(width, height)
            app.open(Picker(HOSTILE[4], hostile))
            # The long word is pasted: Pilot waits after each key, and what is looked at is how it fits.
            for event in (None, Key("down", None), Key("a", "a"), Key("end", None), Paste("a" * 70)):
                if event is not None:
                    app.post_message(event)
                await pilot.pause()
                assert_inside(app)
                shown = rows(app)
                assert all(is_safe(row) for row in shown)
                assert any("pick" in row for row in shown)
            await pilot.press("ctrl+u", "down", "enter")
            await pilot.pause()
            assert app.given is not NOTHING
