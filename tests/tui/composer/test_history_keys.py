"""Up and Down through the history, the queue, and the search."""

from __future__ import annotations

import json
from pathlib import Path

from textual import events

from code_assistant.messages import Image
from code_assistant.tui.composer.draft import Draft
from code_assistant.tui.composer.input_history import InputHistory
from tests.tui.composer.host import Host, Surroundings, paste, type_text, until

BIG = "line\n" * 50


def history_file(tmp_path: Path, *texts: str) -> Path:
    path = tmp_path / "history.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return path


async def test_up_and_down_walk_and_bring_the_draft_back(tmp_path: Path) -> None:
    app = Host(Surroundings(history_file=history_file(tmp_path, "one", "two")))
    async with app.run_test() as pilot:
        await type_text(pilot, "draft")
        await pilot.press("up")
        assert app.composer.text == "two"
        await pilot.press("up", "up", "up")
        assert app.composer.text == "one"
        await pilot.press("down", "down", "down")
        assert app.composer.text == "draft"


async def test_up_is_for_the_history_only_at_the_first_line(tmp_path: Path) -> None:
    app = Host(Surroundings(history_file=history_file(tmp_path, "old")))
    async with app.run_test(size=(40, 30)) as pilot:
        await type_text(pilot, "a\nb")
        await pilot.press("up")
        assert (app.composer.text, app.composer.cursor_location) == ("a\nb", (0, 1))
        await pilot.press("up")
        assert app.composer.text == "old"
        await pilot.press("down")
        assert app.composer.text == "a\nb"
        # A long line is several rows: the cursor goes through them first.
        app.composer.put("word " * 20)
        await pilot.pause()
        await pilot.press("up", "up")
        assert app.composer.text == "word " * 20
        await pilot.press("up")
        assert app.composer.text == "old"


async def test_many_lines_do_not_stop_the_walk(tmp_path: Path) -> None:
    app = Host(Surroundings(history_file=history_file(tmp_path, "first", "a\nb\nc")))
    async with app.run_test() as pilot:
        await pilot.press("up", "up")
        assert app.composer.text == "first"
        await pilot.press("down")
        assert app.composer.text == "a\nb\nc"
        await pilot.press("down")
        assert app.composer.is_empty


async def test_changes_to_an_entry_last_while_walking(tmp_path: Path) -> None:
    app = Host(Surroundings(history_file=history_file(tmp_path, "one", "two")))
    async with app.run_test() as pilot:
        await pilot.press("up", "x", "up", "down")
        assert app.composer.text == "twox"
        await pilot.press("enter", "up", "up")
        assert app.composer.text == "two"


async def test_what_is_sent_is_in_the_history_now_and_later(tmp_path: Path) -> None:
    path = history_file(tmp_path, "old")
    app = Host(Surroundings(history_file=path))
    async with app.run_test() as pilot:
        for text in ("new", "new"):
            await type_text(pilot, text)
            await pilot.press("enter")
        await pilot.press("up")
        assert app.composer.text == "new"
        await pilot.press("up")
        assert app.composer.text == "old"
    history = InputHistory(path)
    history.load()
    assert [entry.text for entry in history.entries] == ["old", "new"]


async def test_a_sent_paste_comes_back_folded(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    for _ in range(2):
        app = Host(Surroundings(history_file=path))
        async with app.run_test() as pilot:
            if not path.exists():
                await type_text(pilot, "see ")
                await paste(pilot, BIG)
                await pilot.press("enter")
            await pilot.press("up")
            assert len(app.composer.text) < 50
            assert app.composer.draft().text == f"see {BIG}"


async def test_a_draft_with_pastes_and_images_survives_the_walk(tmp_path: Path) -> None:
    picture = Image("image/png", "AA==")
    surroundings = Surroundings(history_file=history_file(tmp_path, "old"), images={"/x.png": picture})
    app = Host(surroundings)
    async with app.run_test() as pilot:
        await paste(pilot, BIG)
        await paste(pilot, "/x.png")
        before = app.composer.draft()
        await pilot.press("up")
        assert app.composer.text == "old"
        await pilot.press("down")
        assert app.composer.draft() == before
        assert before.images == (picture,)


async def test_up_takes_back_the_queue_first(tmp_path: Path) -> None:
    surroundings = Surroundings(history_file=history_file(tmp_path, "old"), has_queue=True)
    app = Host(surroundings)
    async with app.run_test() as pilot:
        await type_text(pilot, "draft")
        await pilot.press("up")
        assert app.told == ["take back"]
        assert app.composer.text == "draft"
        app.composer.take_back([Draft("queued one"), Draft("queued two")])
        assert app.composer.text == "queued one\nqueued two\ndraft"
        surroundings.has_queue = False
        await pilot.press("up", "up", "up")
        assert app.composer.text == "old"


async def test_searching_takes_an_entry_and_escape_takes_none(tmp_path: Path) -> None:
    path = history_file(tmp_path, "fix the tax", "git log", "Taxes again", "other")
    app = Host(Surroundings(history_file=path))
    async with app.run_test() as pilot:
        await type_text(pilot, "draft")
        await pilot.press("ctrl+r")
        assert app.rows == ["  history  ▏", "  fix the tax", "  git log", "  Taxes again", "› other"]
        await type_text(pilot, "tax")
        assert app.rows == ["  history  tax▏", "  fix the tax", "› Taxes again"]
        assert app.composer.text == "draft"
        await pilot.press("escape")
        assert app.rows == []
        assert app.composer.text == "draft"
        assert app.unused_keys == []
        await pilot.press("ctrl+r", "t", "a", "x", "ctrl+r", "enter")
        assert app.composer.text == "fix the tax"
        assert app.sent == []
        await pilot.press("ctrl+underscore")
        assert app.composer.text == "draft"


async def test_searching_moves_both_ways_and_corrects(tmp_path: Path) -> None:
    app = Host(Surroundings(history_file=history_file(tmp_path, "aa", "ab", "ac")))
    async with app.run_test() as pilot:
        await pilot.press("ctrl+r", "a", "z")
        assert app.rows == ["  nothing found  az▏"]
        await pilot.press("backspace", "up", "up", "down")
        assert app.rows == ["  history  a▏", "  aa", "› ab", "  ac"]
        await paste(pilot, "c")
        assert app.rows == ["  history  ac▏", "› ac"]
        await pilot.press("ctrl+u", "tab")
        assert app.composer.text == "ac"


async def test_another_key_ends_the_search_and_does_what_it_does(tmp_path: Path) -> None:
    app = Host(Surroundings(history_file=history_file(tmp_path, "aa")))
    async with app.run_test() as pilot:
        await type_text(pilot, "xy")
        await pilot.press("ctrl+r", "left", "z")
        assert app.composer.text == "xzy"
        assert app.rows == []


async def test_an_empty_history_says_so() -> None:
    app = Host()
    async with app.run_test() as pilot:
        await pilot.press("ctrl+r")
        assert app.rows == ["  no history yet  ▏"]
        await pilot.press("enter")
        assert app.composer.is_empty


async def test_entries_cannot_act_on_the_screen(tmp_path: Path) -> None:
    app = Host(Surroundings(history_file=history_file(tmp_path, "a\x1b]2;x\x07b\u202e[/foo]")))
    async with app.run_test() as pilot:
        await pilot.press("ctrl+r")
        assert app.rows[1] == "› a␛]2;x␇b⟨U+202E⟩[/foo]"


async def test_a_history_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    app = Host(Surroundings(history_file=tmp_path / "file" / "history.jsonl"))
    async with app.run_test() as pilot:
        await type_text(pilot, "a")
        await pilot.press("enter")
        await until(pilot, lambda: bool(app.complaints))
        assert app.sent == [Draft("a")]


async def test_images_come_back_with_what_was_sent_before(tmp_path: Path) -> None:
    picture = Image("image/png", "AA==")
    path = tmp_path / "history.jsonl"
    app = Host(Surroundings(history_file=path, images={"/x.png": picture}))
    async with app.run_test() as pilot:
        await type_text(pilot, "see ")
        await paste(pilot, "/x.png")
        await pilot.press("enter")
        await until(pilot, lambda: len(app.sent) == 1)
        await pilot.press("up")
        await until(pilot, lambda: app.composer.draft().images == (picture,))
        await pilot.press("enter")
        assert [draft.images for draft in app.sent] == [(picture,), (picture,)]
    # Also in another run, from the search, and for whoever presses Enter at once.
    app = Host(Surroundings(history_file=path, images={"/x.png": picture}))
    async with app.run_test() as pilot:
        await pilot.press("ctrl+r")
        app.composer.post_message(events.Key("enter", None))
        app.composer.post_message(events.Key("enter", None))
        await until(pilot, lambda: bool(app.sent))
        assert app.sent[0].images == (picture,)
        assert app.complaints == []


async def test_an_image_that_is_gone_is_told_of(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_text(json.dumps({"text": "see [Image #1 · x.png]", "images": [[4, 22, "/x.png"]]}) + "\n")
    app = Host(Surroundings(history_file=path))
    async with app.run_test() as pilot:
        await pilot.press("up")
        await until(pilot, lambda: bool(app.complaints))
        assert app.composer.draft() == Draft("see [Image #1 · x.png]")
        assert app.complaints == ["The image /x.png cannot be read any more: only its name goes along."]
