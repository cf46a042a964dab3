"""Keys that send, make lines and leave keys to the app."""

from __future__ import annotations

import pytest
from textual.binding import Binding

from code_assistant.tui.composer.draft import Draft
from tests.tui.composer.host import Host, screen_text, type_text


async def test_enter_sends_and_empties() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await type_text(pilot, "hello")
        await pilot.press("enter")
        assert app.sent == [Draft("hello")]
        assert app.composer.is_empty


@pytest.mark.parametrize("text", ["", "  ", "!", "! "])
async def test_blank_is_not_sent(text: str) -> None:
    app = Host()
    async with app.run_test() as pilot:
        await type_text(pilot, text)
        await pilot.press("enter")
        assert app.sent == []
        assert app.composer.text == text


@pytest.mark.parametrize("key", ["shift+enter", "ctrl+j", "alt+enter"])
async def test_keys_that_make_a_line(key: str) -> None:
    app = Host()
    async with app.run_test() as pilot:
        await pilot.press("a", key, "b", "enter")
        assert app.sent == [Draft("a\nb")]


async def test_a_backslash_before_enter_makes_a_line() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await pilot.press("a", "\\", "enter", "b")
        assert app.composer.text == "a\nb"
        await pilot.press("\\", "c", "enter")
        assert app.sent == [Draft("a\nb\\c")]


async def test_keys_typed_faster_than_they_are_handled_keep_their_order() -> None:
    app = Host()
    async with app.run_test() as pilot:
        # All of them are waiting at once; a binding that ran in the app would overtake the letters.
        from textual import events

        def key(name: str) -> events.Key:
            return events.Key(name, name if len(name) == 1 else None)

        for name in ("a", "c", "left", "b", "home", "x", "end", "z", "enter", "n", "ctrl+j", "m", "backspace", "k"):
            app.post_message(key(name))
        await pilot.pause()
        assert app.sent == [Draft("xabcz")]
        assert app.composer.text == "n\nk"


async def test_editing_keys_of_shells_work() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await type_text(pilot, "one two three")
        await pilot.press("ctrl+w")
        assert app.composer.text == "one two "
        await pilot.press("ctrl+a", "x", "ctrl+e", "y")
        assert app.composer.text == "xone two y"
        await pilot.press("left", "ctrl+k")
        assert app.composer.text == "xone two "
        await pilot.press("ctrl+u")
        assert app.composer.is_empty
        await pilot.press("ctrl+underscore")
        assert app.composer.text == "xone two y"


async def test_keys_that_are_the_apps_reach_it() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await pilot.press("escape", "ctrl+d", "ctrl+z", "ctrl+c", "f8")
        assert app.unused_keys == ["escape", "ctrl+d", "ctrl+z", "ctrl+c", "f8"]
        await pilot.press("a", "left", "ctrl+d")
        assert app.composer.is_empty
        assert "ctrl+d" not in app.unused_keys[5:]


async def test_a_question_mark_in_an_empty_composer_asks_for_help() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await pilot.press("question_mark")
        assert app.told == ["help"]
        assert app.composer.is_empty
        await pilot.press("a", "question_mark")
        assert app.composer.text == "a?"
        assert app.told == ["help"]


async def test_keys_can_be_set_otherwise() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await pilot.press("a")
        app.set_keymap({"send": "ctrl+s", "new_line": "f2"})
        await pilot.press("enter", "b", "f2", "c", "ctrl+s")
        assert app.sent == [Draft("a\nb\nc")]


async def test_a_key_of_the_app_with_priority_goes_first() -> None:
    class Greedy(Host):
        BINDINGS = [Binding("ctrl+r", "told", priority=True)]  # noqa: RUF012

        def action_told(self) -> None:
            self.told.append("app")

    app = Greedy()
    async with app.run_test() as pilot:
        await pilot.press("ctrl+r")
        assert app.told == ["app"]
        assert not app.composer.is_popup_open


async def test_shell_mode_is_seen_and_sent() -> None:
    app = Host()
    async with app.run_test() as pilot:
        assert "› " in screen_text(app)
        await type_text(pilot, "!ls -l")
        assert app.composer.has_class("-shell")
        assert "$ !ls -l" in screen_text(app)
        await pilot.press("enter")
        assert [(draft.kind, draft.command) for draft in app.sent] == [("shell", "ls -l")]
        assert not app.composer.has_class("-shell")


async def test_it_grows_to_a_third_of_the_screen() -> None:
    app = Host()
    async with app.run_test(size=(40, 30)) as pilot:
        assert app.composer.content_size.height == 1
        assert app.composer.placeholder
        assert "@ files · / commands · ! shell" in screen_text(app)
        await type_text(pilot, "a\nb\nc")
        await pilot.pause()
        assert app.composer.content_size.height == 3
        app.composer.put("word " * 20)
        await pilot.pause()
        assert app.composer.content_size.height == 3
        app.composer.put("x\n" * 60)
        await pilot.pause()
        assert app.composer.outer_size.height == 10
        app.composer.clear_draft()
        await pilot.pause()
        assert app.composer.content_size.height == 1


async def test_putting_and_clearing_can_be_undone() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await type_text(pilot, "mine")
        app.composer.put("theirs\nof two lines")
        assert app.composer.cursor_location == (1, 12)
        app.composer.clear_draft()
        assert app.composer.is_empty
        await pilot.press("ctrl+underscore", "ctrl+underscore")
        assert app.composer.text == "mine"


async def test_nothing_ticks_while_nothing_happens() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await pilot.pause()
        timers = [timer for timer in app.composer._timers if timer._active.is_set()]
        assert timers == []
