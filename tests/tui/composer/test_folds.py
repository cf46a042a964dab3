"""Folded parts: labels, and text that goes in and comes out whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from code_assistant.messages import Image
from code_assistant.tui.composer import folds as module
from code_assistant.tui.composer.draft import AttachedImage, Draft, Span
from code_assistant.tui.composer.folds import Folds, ImageFile, label_of
from code_assistant.tui.composer.held import shown

PICTURE = Image("image/png", "AA==")


def test_labels_say_what_is_behind_them() -> None:
    assert label_of("a\n" * 42, 1) == "Pasted text #1 · 42 lines]"
    assert label_of("a\nb", 2) == "Pasted text #2 · 2 lines]"
    assert label_of("x" * 1204, 3) == "Pasted text #3 · 1204 characters]"
    assert label_of(ImageFile("/tmp/shot.png", PICTURE), 1) == "Image #1 · shot.png]"


def test_names_of_images_cannot_act_on_the_screen() -> None:
    label = label_of(ImageFile("/tmp/\x1b]2;x\x07[foo]\u202e.png", PICTURE), 1)
    assert label == "Image #1 · ␛]2;x␇[foo]⟨U+202E⟩.png]"
    assert len(label_of(ImageFile("/" + "x" * 500 + ".png", PICTURE), 1)) < 70


def test_text_that_looks_like_a_label_stays_text() -> None:
    folds = Folds()
    label = folds.fold("secret " * 200, "")
    assert label is not None
    looks_like_it = shown(label)
    draft = folds.opened(f"{looks_like_it} {label}")
    assert draft.text == f"{looks_like_it} {'secret ' * 200}"


def test_numbers_begin_again_when_nothing_is_folded() -> None:
    folds = Folds()
    first = folds.fold("one", "")
    assert first is not None
    second = folds.fold("two", first)
    assert second is not None
    assert "#2" in second
    third = folds.fold("three", "")
    assert third is not None
    assert "#1" in third
    assert folds.opened(first + second + third).text == "onetwothree"


def test_the_same_part_takes_no_further_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CAPACITY", 20)
    folds = Folds()
    assert None not in {folds.fold("same", "") for _ in range(30)}
    labels = [folds.fold(f"content {number}", "") for number in range(30)]
    assert [label is None for label in labels] == [False] * 19 + [True] * 11


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    pieces = draw(st.lists(st.tuples(st.text(max_size=10), st.sampled_from(["plain", "fold", "image"])), max_size=8))
    text = ""
    folds: list[Span] = []
    attached: list[AttachedImage] = []
    for piece, kind in pieces:
        start = len(text)
        if kind == "image":
            number = len(attached) + 1
            text += f"[Image #{number} · x.png]"
            attached.append(AttachedImage(Span(start, len(text)), "/a/x.png", PICTURE))
        else:
            text += piece
            if kind == "fold" and piece:
                folds.append(Span(start, len(text)))
    return Draft(text, tuple(folds), tuple(attached))


@given(drafts())
def test_what_is_closed_opens_again_as_it_was(draft: Draft) -> None:
    folds = Folds()
    opened = folds.opened(folds.closed(draft))
    assert opened.text == draft.text
    assert opened.attached == draft.attached
    # What no editor can hold is folded on top.
    assert set(draft.folds) <= set(opened.folds)
