"""Completing files and commands by keys and by mouse."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from textual.events import Key
from textual.pilot import Pilot

from code_assistant.errors import WorkspaceError
from code_assistant.tui.composer.composer import Composer
from code_assistant.tui.composer.draft import Draft
from code_assistant.tui.composer.file_finder import FRESH_SECONDS
from tests.hang_guard import HANG_GUARD
from tests.tui.composer.host import Host, Surroundings, screen_text, type_text, until


async def until_listed(pilot: Pilot[Any], condition: Callable[[], bool]) -> None:
    """And nothing more comes, such as the same list for the next letter: it would mark its first row again."""
    # The search for the last letter begins when the message of its change is taken.
    await pilot.pause()
    composer = pilot.app.query_one(Composer)
    finder = composer._finder

    def is_at_rest() -> bool:
        searches = (finder._listing, finder._ranking)
        return not composer._tasks and all(each is None or each.done() for each in searches)

    await until(pilot, lambda: is_at_rest() and condition())


async def test_a_file_is_completed_with_tab() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await type_text(pilot, "see @tax")
        await until(pilot, lambda: app.rows == ["› src/shop/tax.py", "  tests/test_tax.py"])
        assert "› src/shop/tax.py" in screen_text(app)
        await pilot.press("tab")
        assert app.composer.text == "see @src/shop/tax.py "
        assert app.rows == []


async def test_enter_takes_the_marked_one_and_then_sends() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await type_text(pilot, "@tax")
        await until_listed(pilot, lambda: len(app.rows) == 2)
        await pilot.press("down", "enter")
        assert app.composer.text == "@tests/test_tax.py "
        assert app.sent == []
        await pilot.press("enter")
        assert app.sent == [Draft("@tests/test_tax.py ")]


async def test_what_is_typed_in_full_is_sent_at_once() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await type_text(pilot, "@README.md")
        await until_listed(pilot, lambda: bool(app.rows))
        await pilot.press("enter")
        await type_text(pilot, "/help")
        assert app.rows
        await pilot.press("enter")
        assert [draft.text for draft in app.sent] == ["@README.md", "/help"]


async def test_moving_goes_round() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await type_text(pilot, "@tax")
        await until_listed(pilot, lambda: len(app.rows) == 2)
        await pilot.press("up")
        assert app.rows[1].startswith("›")
        await pilot.press("down")
        assert app.rows[0].startswith("›")


async def test_escape_closes_and_it_stays_closed_for_that_word() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await type_text(pilot, "@ta")
        await until_listed(pilot, lambda: bool(app.rows))
        await pilot.press("escape")
        assert app.rows == []
        assert app.unused_keys == []
        await pilot.press("x")
        await pilot.pause()
        assert app.rows == []
        await pilot.press("escape")
        assert app.unused_keys == ["escape"]
        await type_text(pilot, " @ta")
        await until_listed(pilot, lambda: bool(app.rows))


async def test_paths_with_blanks_are_quoted() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await type_text(pilot, "@a b")
        assert app.composer.text == "@a b"
        app.composer.clear_draft()
        await type_text(pilot, "@ab")
        await until(pilot, lambda: app.rows == ["› docs/a b.md"])
        await pilot.press("tab")
        assert app.composer.text == '@"docs/a b.md" '


async def test_in_a_folder_one_goes_on() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await type_text(pilot, "@myd")
        await until(pilot, lambda: "› my docs/" in app.rows)
        await pilot.press("tab")
        assert app.composer.text == '@"my docs/"'
        await until(pilot, lambda: "  my docs/x.md" in app.rows)
        await pilot.press("x")
        await until(pilot, lambda: app.rows == ["› my docs/x.md"])
        await pilot.press("tab")
        assert app.composer.text == '@"my docs/x.md" '
        app.composer.put("@sr")
        await pilot.press("c")
        await until(pilot, lambda: bool(app.rows) and app.rows[0] == "› src/")
        await pilot.press("enter")
        assert app.composer.text == "@src/"
        await until(pilot, lambda: "  src/shop/" in app.rows)


async def test_completing_in_the_middle_adds_no_second_blank() -> None:
    app = Host()
    async with app.run_test() as pilot:
        app.composer.put("see  please")
        for _ in range(7):
            await pilot.press("left")
        await type_text(pilot, "@READ")
        await until(pilot, lambda: app.rows == ["› README.md"])
        await pilot.press("tab")
        assert app.composer.text == "see @README.md please"


async def test_moving_away_closes() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await type_text(pilot, "@ta")
        await until_listed(pilot, lambda: bool(app.rows))
        await pilot.press("home")
        assert app.rows == []


async def test_what_is_put_there_or_left_opens_nothing() -> None:
    app = Host()
    async with app.run_test() as pilot:
        app.composer.put("/he")
        assert not app.composer.is_popup_open
        await pilot.press("l")
        assert app.composer.is_popup_open
        app.set_focus(None)
        await pilot.pause()
        assert app.rows == []
        assert app.composer.text == "/hel"


async def test_commands_are_completed_at_the_beginning_only() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await pilot.press("slash")
        assert app.rows == [
            "› /help          commands and keys",
            "  /model [name]  choose the model",
            "  /theme [name]  choose the colours",
            "  /new           begin a new conversation",
            "  /quit          leave",
        ]
        await type_text(pilot, "th")
        assert app.rows == ["› /theme [name]  choose the colours"]
        await pilot.press("tab")
        assert app.composer.text == "/theme "
        assert app.rows == []
        app.composer.put("x ")
        await pilot.press("slash")
        assert app.rows == []
        app.composer.put("x\n")
        await pilot.press("slash")
        assert app.rows == []


async def test_a_click_takes_a_row_and_the_composer_keeps_the_focus() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await pilot.press("slash")
        await pilot.pause()
        await pilot.click(app.popup, offset=(5, 2))
        assert app.composer.text == "/theme "
        assert app.composer.has_focus
        await pilot.press("ctrl+u", "ctrl+r")
        await pilot.pause()
        await pilot.click(app.popup, offset=(5, 0))
        assert app.composer.is_popup_open


async def test_the_list_stays_above_a_growing_composer() -> None:
    app = Host()
    async with app.run_test(size=(60, 24)) as pilot:
        for text in ("", "a\nb\n", "c\n"):
            await type_text(pilot, f"{text}@ta")
            await until(pilot, lambda: len(app.rows) == 2)
            await pilot.pause()
            assert app.popup.region.bottom == app.composer.region.y
            await pilot.resize_terminal(60, 20)
            await pilot.pause()
            assert app.popup.region.bottom == app.composer.region.y
            await pilot.press("escape", "space")


async def test_at_most_eight_rows_and_the_marked_one_in_sight() -> None:
    app = Host(Surroundings(files=lambda: [f"file{number:02}.py" for number in range(30)]))
    async with app.run_test() as pilot:
        await type_text(pilot, "@file")
        await until_listed(pilot, lambda: len(app.rows) == 9)
        for _ in range(10):
            await pilot.press("down")
        assert app.rows[-2] == "› file10.py"
        # And how many there are that are not seen.
        assert len(app.rows) == 9
        for _ in range(5):
            await pilot.press("up")
        assert "› file05.py" in app.rows


UNTRUSTED = ["evil\u202e.py", "[/foo]evil.py", "[@click=app.quit]evil", "evil\x1b]2;x\x07.py", "evil\nx", "evil\u200b"]


async def test_file_names_cannot_act_on_the_screen() -> None:
    app = Host(Surroundings(files=lambda: UNTRUSTED))
    async with app.run_test() as pilot:
        await type_text(pilot, "@evil")
        await until_listed(pilot, lambda: len(app.rows) == 4)
        assert sorted(row[2:] for row in app.rows) == sorted(
            ["evil⟨U+202E⟩.py", "[/foo]evil.py", "[@click=app.quit]evil", "evil⟨U+200B⟩"]
        )
        text = screen_text(app)
        assert "\x1b" not in text
        assert "\u202e" not in text
        # What is written is the real path; what is drawn is not.
        await until(pilot, lambda: any("202E" in row for row in app.rows))
        while "202E" not in next(row for row in app.rows if row.startswith("›")):
            await pilot.press("down")
        await pilot.press("tab")
        assert app.composer.draft().text == "@evil\u202e.py "
        assert "\u202e" not in screen_text(app)


async def test_the_list_is_refreshed_when_it_is_old() -> None:
    files = ["old.py"]
    calls: list[int] = []

    def list_files() -> Sequence[str]:
        calls.append(1)
        return list(files)

    surroundings = Surroundings(files=list_files)
    app = Host(surroundings)
    async with app.run_test() as pilot:
        assert calls == []
        await type_text(pilot, "@")
        await until(pilot, lambda: app.rows == ["› old.py"])
        files.append("new.py")
        await type_text(pilot, "o")
        await until(pilot, lambda: app.rows == ["› old.py"])
        await pilot.press("backspace")
        assert len(calls) == 1
        surroundings.now += FRESH_SECONDS
        await pilot.press("n")
        await until(pilot, lambda: app.rows == ["› new.py"])
        assert len(calls) == 2


async def test_a_listing_that_fails_is_told_and_typing_goes_on() -> None:
    def list_files() -> Sequence[str]:
        raise WorkspaceError("no such folder")

    app = Host(Surroundings(files=list_files))
    async with app.run_test() as pilot:
        await type_text(pilot, "@abc")
        await until(pilot, lambda: bool(app.complaints))
        assert app.complaints[0] == "The files cannot be listed: no such folder"
        await pilot.press("enter")
        assert app.sent == [Draft("@abc")]


async def test_typing_goes_on_while_files_are_listed() -> None:
    may_end = threading.Event()

    def list_files() -> Sequence[str]:
        assert may_end.wait(HANG_GUARD)
        return [f"folder{number % 100}/deep/file_{number}.py" for number in range(20_000)]

    app = Host(Surroundings(files=list_files))
    text = "see @folder7/file and go on, nothing is lost; @file_1999"
    async with app.run_test() as pilot:
        try:
            # Posted, for Pilot would wait after each key until they are listed.
            for character in text:
                app.post_message(Key(character, character))
            await pilot.pause()
            assert app.rows == ["  looking for files …"]
            assert app.composer.text == text
        finally:
            may_end.set()
        await until(pilot, lambda: any("file_1999.py" in row for row in app.rows))
        assert app.composer.text == text


async def test_every_key_is_kept_while_thousands_are_ranked() -> None:
    app = Host(Surroundings(files=lambda: [f"src/{n % 77}/module_{n}_test.py" for n in range(20_000)]))
    async with app.run_test() as pilot:
        await type_text(pilot, "@")
        await until_listed(pilot, lambda: len(app.rows) == 9)
        query = "smodule_123_test"
        # Posted, for Pilot would wait after each key until nothing is ranked any more.
        for character in query:
            app.post_message(Key("underscore" if character == "_" else character, character))
        await pilot.pause()
        assert app.composer.text == f"@{query}"
        for _ in range(12):
            app.post_message(Key("backspace", None))
        for character in "ule_4567":
            app.post_message(Key("underscore" if character == "_" else character, character))
        await pilot.pause()
        assert app.composer.text == "@smodule_4567"
        await until(pilot, lambda: bool(app.rows) and app.rows[0] == "› src/24/module_4567_test.py")


@pytest.mark.parametrize("width", [12, 20, 40])
async def test_long_names_fit_narrow_screens(width: int) -> None:
    app = Host(Surroundings(files=lambda: ["a/very/long/path/to/some/file_with_a_name.py", "日本語/" * 9 + "x.py"]))
    async with app.run_test(size=(width, 12)) as pilot:
        await type_text(pilot, "@")
        await until_listed(pilot, lambda: len(app.rows) == 2)
        assert all(line.endswith(".py") for line in app.rows)
        assert all(row.startswith(("› …", "  …")) or width > 50 for row in app.rows)
        app.composer.put("")
        await pilot.press("slash")
        assert app.rows


async def test_enter_runs_a_command_that_is_begun_and_needs_no_more() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await type_text(pilot, "/qu")
        await pilot.press("enter")
        assert [draft.text.strip() for draft in app.sent] == ["/quit"]
        assert app.composer.is_empty
        # Tab only completes, and so does Enter where an argument may follow.
        await type_text(pilot, "/qu")
        await pilot.press("tab")
        assert app.composer.text == "/quit "
        app.composer.clear_draft()
        await type_text(pilot, "/th")
        await pilot.press("enter")
        assert app.composer.text == "/theme "
        assert len(app.sent) == 1


async def test_a_long_list_says_that_there_is_more() -> None:
    app = Host(Surroundings(files=lambda: [f"f{number:02}.py" for number in range(11)]))
    async with app.run_test() as pilot:
        await type_text(pilot, "@f")
        await until(pilot, lambda: len(app.rows) == 9)
        assert app.rows[-1].strip() == "↓ 3 more"
        await pilot.press(*["down"] * 8)
        assert app.rows[-1].strip() == "↑ 1 more · ↓ 2 more"
        await pilot.press("up", *["up"] * 8)
        assert app.rows[-1].strip() == "↑ 3 more"
        assert app.rows[-1] in screen_text(app)
