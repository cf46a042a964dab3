"""The table of keys: nothing twice, nothing forgotten."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields

import pytest

from code_assistant.config.settings import KeySettings
from code_assistant.tui.app import CodeAssistantApp
from code_assistant.tui.composer.composer import Composer
from code_assistant.tui.keys import (
    BLOCK_KEYS,
    COMPOSER_KEYS,
    KEYS,
    OTHER_KEYS,
    REMAPPABLE,
    Key,
    bindings,
    help_rows,
    keymap,
    shown_key,
    unknown_keys,
)
from code_assistant.tui.widgets.transcript_view import TranscriptView


@pytest.mark.parametrize("place", [KEYS, BLOCK_KEYS, COMPOSER_KEYS])
def test_no_key_is_bound_twice_in_one_place(place: tuple[Key, ...]) -> None:
    keys = Counter(name.strip() for key in place for name in key.keys.split(","))
    assert [name for name, count in keys.items() if count > 1] == []


def test_every_key_has_a_name_of_its_own_and_can_be_set() -> None:
    names = [key.id for key in REMAPPABLE]
    assert len(names) == len(set(names))
    assert set(names) == {field.name for field in fields(KeySettings)}


def test_every_action_exists() -> None:
    for key in KEYS:
        assert hasattr(CodeAssistantApp, "action_" + key.action.removeprefix("app.").partition("(")[0]), key
    for key in BLOCK_KEYS:
        assert hasattr(TranscriptView, "action_" + key.action.partition("(")[0]), key
    for key in COMPOSER_KEYS:
        assert hasattr(Composer, f"action_{key.action}"), key


def test_the_help_lists_all_of_them() -> None:
    rows = help_rows({})
    assert len(rows) == len(REMAPPABLE) + len(OTHER_KEYS)
    for key in (*REMAPPABLE, *OTHER_KEYS):
        assert (key.place, key.keys, key.help) in rows


def test_the_help_shows_keys_as_they_are_set() -> None:
    rows = {words: keys for _, keys, words in help_rows({"details": "f3", "search": " "})}
    assert rows["unfold or fold the details of all tools"] == "f3"
    assert rows["search the conversation"] == "ctrl+f"


@pytest.mark.parametrize(
    ("name", "own", "shown"),
    [
        ("interrupt", {}, "esc"),
        ("new_line", {}, "shift+enter"),
        ("details", {"details": "f3, f4"}, "f3"),
        ("details", {"details": " "}, "ctrl+o"),
    ],
)
def test_hints_show_one_key_as_it_is_set(name: str, own: dict[str, str], shown: str) -> None:
    assert shown_key(name, own) == shown


def test_only_what_was_set_is_in_the_map() -> None:
    assert keymap({"details": "f3", "search": "", "mode": "  "}) == {"details": "f3"}


def test_bindings_can_be_remapped_by_their_name() -> None:
    assert [binding.id for binding in bindings(KEYS)] == [key.id for key in KEYS]


def test_names_of_keys_that_do_not_exist_are_told() -> None:
    assert (
        unknown_keys({"stop": "ctrl+x", "mode": "", "details": "f5,alt+up, question_mark", "palette": "ctrl+ü"}) == []
    )
    (words,) = unknown_keys({"stop": "ctrl+nosuch"})
    assert "keys.stop" in words
    assert "'ctrl+nosuch'" in words
    assert len(unknown_keys({"stop": "cntrl+x, f99, escape"})) == 2
