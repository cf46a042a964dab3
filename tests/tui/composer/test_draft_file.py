"""The unsent draft on disk."""

from __future__ import annotations

import asyncio
import os
import stat
from pathlib import Path

import pytest

from code_assistant.messages import Image
from code_assistant.tui.composer.draft import AttachedImage, Draft, Span
from code_assistant.tui.composer.draft_file import DraftKeeper, read_draft, write_draft

PICTURE = Image("image/png", "AA==")


def draft_with_everything() -> Draft:
    return Draft(
        "see BIG and [Image #1 · x.png] \x1b\udc80",
        (Span(4, 7),),
        (AttachedImage(Span(12, 30), "/a/x.png", PICTURE),),
    )


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "state" / "draft.json"
    write_draft(path, draft_with_everything())
    assert read_draft(path, lambda _: PICTURE) == draft_with_everything()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in path.parent.iterdir()] == ["draft.json"]


def test_an_image_that_is_gone_leaves_its_label(tmp_path: Path) -> None:
    path = tmp_path / "draft.json"
    write_draft(path, draft_with_everything())
    draft = read_draft(path, lambda _: None)
    assert draft is not None
    assert draft.text == draft_with_everything().text
    assert draft.images == ()


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"text": "a", "images": [1]}', '{"folds": []}'])
def test_a_broken_file_is_no_draft(tmp_path: Path, content: str) -> None:
    path = tmp_path / "draft.json"
    path.write_text(content)
    assert read_draft(path, lambda _: None) is None
    assert read_draft(tmp_path / "missing", lambda _: None) is None


class Keeping:
    def __init__(self, path: Path | None) -> None:
        self.text = ""
        self.complaints: list[str] = []
        self.keeper = DraftKeeper(path, lambda: Draft(self.text), self.complaints.append)

    def change(self, text: str) -> None:
        self.text = text
        self.keeper.changed(len(text))

    async def settled(self) -> None:
        """Let the timer fire now, and wait for the thread."""
        if self.keeper._timer is not None:
            self.keeper._timer.cancel()
            self.keeper._due()
        if self.keeper._task is not None:
            await self.keeper._task


async def test_many_changes_are_one_writing(tmp_path: Path) -> None:
    keeping = Keeping(tmp_path / "draft.json")
    for end in range(1, 20):
        keeping.change("x" * end)
    timer = keeping.keeper._timer
    assert timer is not None
    assert timer.when() - asyncio.get_running_loop().time() > 0.4
    await keeping.settled()
    assert read_draft(tmp_path / "draft.json", lambda _: None) == Draft("x" * 19)
    assert keeping.keeper._timer is None


async def test_a_sent_draft_does_not_come_back(tmp_path: Path) -> None:
    keeping = Keeping(tmp_path / "draft.json")
    keeping.change("one")
    await keeping.settled()
    keeping.change("one and two")
    keeping.keeper._due()
    keeping.text = ""
    keeping.keeper.removed()
    await keeping.settled()
    assert os.listdir(tmp_path) == []


async def test_an_old_writing_never_replaces_a_newer_one(tmp_path: Path) -> None:
    keeping = Keeping(tmp_path / "draft.json")
    keeping.keeper._write(2, Draft("newer"))
    keeping.keeper._write(1, Draft("older"))
    assert read_draft(tmp_path / "draft.json", lambda _: None) == Draft("newer")


async def test_the_end_of_the_program_writes_what_is_left(tmp_path: Path) -> None:
    keeping = Keeping(tmp_path / "draft.json")
    keeping.change("unsent")
    keeping.keeper.close()
    assert read_draft(tmp_path / "draft.json", lambda _: None) == Draft("unsent")


async def test_a_failure_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    keeping = Keeping(tmp_path / "file" / "draft.json")
    for text in ("a", "b"):
        keeping.change(text)
        await keeping.settled()
    assert len(keeping.complaints) == 1


async def test_without_a_file_nothing_ticks() -> None:
    keeping = Keeping(None)
    keeping.change("a")
    keeping.keeper.removed()
    keeping.keeper.close()
    assert keeping.keeper._timer is None
    assert keeping.keeper._task is None


async def test_what_was_sent_last_is_gone_also_when_the_program_ends_at_once(tmp_path: Path) -> None:
    keeping = Keeping(tmp_path / "draft.json")
    keeping.change("/quit")
    await keeping.settled()
    keeping.text = ""
    keeping.keeper.removed()
    keeping.keeper.close()
    assert os.listdir(tmp_path) == []
    await keeping.settled()
    assert os.listdir(tmp_path) == []
