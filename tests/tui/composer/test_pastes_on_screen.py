"""Pastes, images, drafts that survive, and the editor outside."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from code_assistant.messages import Image
from code_assistant.tui.composer.draft import Draft
from code_assistant.tui.composer.draft_file import read_draft
from tests.tui.composer.host import Host, Surroundings, paste, screen_text, type_text, until

PICTURE = Image("image/png", "AA==")
BIG = "line\n" * 42


async def test_a_small_paste_is_text_and_sends_nothing() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await paste(pilot, "a\rb\nc\n")
        assert app.composer.text == "a\nb\nc\n"
        assert app.sent == []
        await pilot.press("enter")
        assert app.sent == [Draft("a\nb\nc\n")]


async def test_a_big_paste_is_folded_and_sent_whole() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await type_text(pilot, "why ")
        await paste(pilot, BIG)
        await type_text(pilot, " this")
        assert "why [Pasted text #1 · 42 lines] this" in screen_text(app)
        assert app.sent == []
        await pilot.press("enter")
        assert [draft.text for draft in app.sent] == [f"why {BIG} this"]


async def test_a_folded_paste_is_deleted_as_a_whole() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await type_text(pilot, "a")
        await paste(pilot, BIG)
        await type_text(pilot, "b")
        await pilot.press("left", "backspace")
        assert app.composer.draft() == Draft("ab")
        await pilot.press("ctrl+underscore")
        assert app.composer.draft().text == f"a{BIG}b"
        await pilot.press("home", "right", "delete")
        assert app.composer.draft() == Draft("ab")
        await pilot.press("enter")
        assert app.sent == [Draft("ab")]


async def test_the_cursor_never_stands_in_a_folded_paste() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await type_text(pilot, "a")
        await paste(pilot, BIG)
        await type_text(pilot, "b")
        end = app.composer.cursor_location[1]
        await pilot.press("left", "left")
        assert app.composer.cursor_location == (0, 1)
        await pilot.press("right")
        assert app.composer.cursor_location == (0, end - 1)
        await pilot.click(app.composer, offset=(10, 1))
        assert app.composer.cursor_location[1] in (1, end - 1)
        await pilot.press("x")
        assert app.composer.draft().text in (f"ax{BIG}b", f"a{BIG}xb")


async def test_control_sequences_are_drawn_safely_and_sent_unchanged() -> None:
    text = "a\x1b[31mred\x1b]2;title\x07\x9b\u202e[/foo]\x0c\u2028é ❤\ufe0f"
    app = Host()
    async with app.run_test() as pilot:
        await paste(pilot, f"\x1b[200~{text}\x1b[201~")
        shown = screen_text(app)
        assert "a␛[31mred␛]2;title␇" in shown
        assert not {"\x1b", "\x07", "\x9b", "\u202e", "\x0c", "\u2028"} & set(shown)
        await pilot.press("enter")
        assert app.sent == [Draft(text)]


async def test_pasting_replaces_a_selection_and_copying_gives_the_whole() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await type_text(pilot, "gone")
        await pilot.press("f7")
        await paste(pilot, BIG)
        await pilot.press("f7", "ctrl+c")
        assert app.clipboard == BIG
        await pilot.press("ctrl+x")
        assert app.composer.is_empty
        await pilot.press("ctrl+v", "ctrl+v")
        assert app.composer.draft().text == BIG * 2
        assert "[Pasted text #1 · 42 lines][Pasted text #2 · 42 lines]" in screen_text(app)


@pytest.mark.parametrize("pasted", ["/tmp/a b.png", r"/tmp/a\ b.png", "'/tmp/a b.png'", "file:///tmp/a%20b.png"])
async def test_a_dropped_image_is_attached(pasted: str) -> None:
    app = Host(Surroundings(images={"/tmp/a b.png": PICTURE}))
    async with app.run_test() as pilot:
        await type_text(pilot, "see ")
        await paste(pilot, pasted)
        await until(pilot, lambda: "[Image #1 · a b.png]" in screen_text(app))
        await pilot.press("enter")
        assert app.sent[0].images == (PICTURE,)
        assert app.sent[0].text == "see [Image #1 · a b.png] "


async def test_several_images_and_one_taken_away() -> None:
    other = Image("image/gif", "BB==")
    app = Host(Surroundings(images={"/a.png": PICTURE, "/b.gif": other}))
    async with app.run_test() as pilot:
        await paste(pilot, "/a.png /b.gif")
        assert app.composer.draft().images == (PICTURE, other)
        await pilot.press("home", "delete")
        assert app.composer.draft().images == (other,)


async def test_what_is_no_image_is_text_and_a_bad_one_is_told() -> None:
    app = Host(Surroundings(images={"/big.png": "big.png is too big."}))
    async with app.run_test() as pilot:
        await paste(pilot, "/missing.png")
        assert app.composer.draft() == Draft("/missing.png")
        await paste(pilot, "/big.png")
        await pilot.pause()
        assert app.composer.draft() == Draft("/missing.png/big.png")
        assert app.complaints == ["big.png is too big."]


async def test_keys_after_a_dropped_image_wait_for_it() -> None:
    app = Host(Surroundings(images={"/a.png": PICTURE}))
    async with app.run_test() as pilot:
        from textual import events

        app.post_message(events.Paste("/a.png"))
        for letter in "xyz":
            app.post_message(events.Key(letter, letter))
        await until(pilot, lambda: app.composer.draft().text == "[Image #1 · a.png] xyz")


async def test_a_draft_survives_and_goes_when_sent(tmp_path: Path) -> None:
    path = tmp_path / "draft.json"
    images: dict[str, Image | str] = {"/a.png": PICTURE}
    app = Host(Surroundings(draft_file=path, images=images))
    async with app.run_test() as pilot:
        await type_text(pilot, "unsent ")
        await paste(pilot, BIG)
        await paste(pilot, "/a.png")
        written = app.composer.draft()
        # Without the program's own end, as in a crash.
        await until(pilot, lambda: read_draft(path, lambda _: PICTURE) == written)
    again = Host(Surroundings(draft_file=path, images=images))
    async with again.run_test() as pilot:
        await until(pilot, lambda: again.composer.draft() == written)
        assert "[Pasted text #1 · 42 lines]" in screen_text(again)
        await pilot.press("enter")
        await until(pilot, lambda: not path.exists())
        assert again.sent == [written]


async def test_a_draft_is_never_put_over_what_is_typed(tmp_path: Path) -> None:
    path = tmp_path / "draft.json"
    path.write_text('{"text": "old"}')
    app = Host(Surroundings(draft_file=path))
    async with app.run_test() as pilot:
        await until(pilot, lambda: not app.composer.is_empty)
        assert app.composer.text == "old"
        app.composer.put("typed")
        await app.composer._load()
        assert app.composer.text == "typed"
        await pilot.press("up")
        assert app.composer.text == "old"


async def test_a_draft_is_kept_when_the_program_ends_at_once(tmp_path: Path) -> None:
    path = tmp_path / "draft.json"
    app = Host(Surroundings(draft_file=path))
    async with app.run_test() as pilot:
        await type_text(pilot, "unsent")
    assert read_draft(path, lambda _: None) == Draft("unsent")


def set_editor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: str) -> None:
    script = tmp_path / "editor.py"
    script.write_text(f"import pathlib, sys\npath = pathlib.Path(sys.argv[1])\n{code}\n")
    monkeypatch.setenv("VISUAL", f"{sys.executable} {script}")


async def test_the_editor_outside_gets_everything_and_gives_it_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_editor(monkeypatch, tmp_path, "path.write_text('Edited: ' + path.read_text() + ' end')")
    app = Host(Surroundings(images={"/a.png": PICTURE}))
    async with app.run_test() as pilot:
        await type_text(pilot, "see ")
        await paste(pilot, BIG)
        await paste(pilot, "/a.png")
        await pilot.press("ctrl+g")
        await until(pilot, lambda: app.composer.draft().text.endswith("end"))
        draft = app.composer.draft()
        assert draft.text == f"Edited: see {BIG}[Image #1 · a.png]  end"
        assert draft.images == (PICTURE,)
        assert "[Pasted text #1 · 42 lines]" in screen_text(app)
        assert app.suspended == 1
        await pilot.press("x")
        assert app.composer.draft().text.endswith("endx")


async def test_an_editor_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_editor(monkeypatch, tmp_path, "path.write_text('half'); sys.exit(3)")
    app = Host()
    async with app.run_test() as pilot:
        await type_text(pilot, "mine")
        await pilot.press("ctrl+g")
        await until(pilot, lambda: bool(app.complaints))
        assert "status 3" in app.complaints[0]
        assert app.composer.text == "mine"
        await type_text(pilot, "!")
        assert app.composer.text == "mine!"
