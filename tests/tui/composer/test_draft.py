"""Drafts as data: what kind they are, joined, and written anew."""

from __future__ import annotations

from code_assistant.messages import Image
from code_assistant.tui.composer.draft import AttachedImage, Draft, Span, joined, rewritten
from tests.rows import each_row

PICTURE = Image("image/png", "AA==")


@each_row(
    ("text", "kind", "command"),
    [
        ("hello", "prompt", "hello"),
        ("! ls -l ", "shell", "ls -l"),
        ("/help", "command", "help"),
        ("/?", "command", "?"),
        ("/model big one", "command", "model big one"),
        ("/init\nand more", "command", "init\nand more"),
        ("/usr/bin/env is missing", "prompt", "/usr/bin/env is missing"),
        ("/", "prompt", "/"),
        ("/1", "prompt", "/1"),
        (" /help", "prompt", " /help"),
        (" !ls", "prompt", " !ls"),
    ],
)
def test_the_kind_is_told_by_the_beginning(text: str, kind: str, command: str) -> None:
    assert Draft(text).kind == kind
    assert Draft(text).command == command


@each_row(("text", "is_blank"), [("", True), (" \n\t", True), ("!", True), ("! ", True), ("x", False)])
def test_what_has_nothing_in_it_is_blank(text: str, is_blank: bool) -> None:
    assert Draft(text).is_blank is is_blank


def test_joined_drafts_keep_their_parts_in_place() -> None:
    first = Draft("a BIG", (Span(2, 5),))
    second = Draft("[Image #1 · x.png] b", (), (AttachedImage(Span(0, 18), "/x.png", PICTURE),))
    both = joined((first, second))
    assert both.text == "a BIG\n[Image #1 · x.png] b"
    assert [both.text[span.start : span.end] for span in both.folds] == ["BIG"]
    assert [both.text[slice(*each.span)] for each in both.attached] == ["[Image #1 · x.png]"]
    assert both.images == (PICTURE,)


def test_what_is_still_there_is_folded_and_attached_again() -> None:
    text = "see FIRST and [Image #1 · x.png] and SECOND"
    image = AttachedImage(Span(14, 32), "/x.png", PICTURE)
    draft = Draft(text, (Span(4, 9), Span(37, 43)), (image,))
    again = rewritten(draft, "FIRST, then [Image #1 · x.png]; SECON is gone")
    assert [again.text[slice(*span)] for span in again.folds] == ["FIRST"]
    assert [again.text[slice(*each.span)] for each in again.attached] == ["[Image #1 · x.png]"]
