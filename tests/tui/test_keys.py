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
    PANEL_KEYS,
    PERMISSION_KEYS,
    PLAN_KEYS,
    QUESTION_KEYS,
    REMAPPABLE,
    Key,
    bindings,
    help_rows,
    keymap,
    shown_key,
)
from code_assistant.tui.prompts.panel import PromptPanel
from code_assistant.tui.prompts.permission import PermissionPanel
from code_assistant.tui.prompts.plan import PlanPanel
from code_assistant.tui.prompts.question import QuestionPanel
from code_assistant.tui.widgets.transcript_view import TranscriptView
from tests.rows import each_row


@each_row(
    "place",
    [
        *(KEYS, BLOCK_KEYS, COMPOSER_KEYS),
        *((*PANEL_KEYS, *answers) for answers in (PERMISSION_KEYS, PLAN_KEYS, QUESTION_KEYS)),
    ],
)
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


@pytest.mark.parametrize(
    ("panel", "keys"),
    [(PermissionPanel, PERMISSION_KEYS), (PlanPanel, PLAN_KEYS), (QuestionPanel, QUESTION_KEYS)],
)
def test_every_prompt_has_its_keys(panel: type[PromptPanel], keys: tuple[Key, ...]) -> None:
    bound = {binding.action for _, binding in panel._merge_bindings()}
    assert {key.action for key in (*keys, *PANEL_KEYS)} == bound


def test_the_help_lists_all_of_them() -> None:
    rows = {(place, words): keys for place, keys, words in help_rows({})}
    for key in (*REMAPPABLE, *PANEL_KEYS, *OTHER_KEYS):
        assert key.keys in rows[key.place, key.help]


def test_keys_that_do_the_same_are_one_row_of_the_help() -> None:
    rows = {(place, words): keys for place, keys, words in help_rows({"choose_2": "f2", "interrupt": "f5"})}
    assert len(rows) == len(help_rows({}))
    assert rows["a question", "choose that answer"] == "1, f2, 3, 4, 5, 6, 7, 8"
    assert rows["any prompt", "hide it; it stays open"] == "f5"


def test_the_help_shows_keys_as_they_are_set() -> None:
    rows = {words: keys for _, keys, words in help_rows({"details": "f3", "search": " "})}
    assert rows["unfold or fold the details of all tools"] == "f3"
    assert rows["search the conversation"] == "ctrl+f"


@each_row(
    ("name", "own", "shown"),
    [
        ("interrupt", {}, "esc"),
        ("new_line", {}, "shift+enter"),
        ("details", {"details": "f3, f4"}, "f3"),
        ("details", {"details": " "}, "ctrl+o"),
        ("allow_once", {"allow_once": "question_mark"}, "?"),
        ("switch_choice", {}, "space"),
    ],
)
def test_hints_show_one_key_as_it_is_set(name: str, own: dict[str, str], shown: str) -> None:
    assert shown_key(name, own) == shown


def test_only_what_was_set_is_in_the_map() -> None:
    assert keymap({"details": "f3", "search": "", "mode": "  "}) == {"details": "f3"}


def test_bindings_can_be_remapped_by_their_name() -> None:
    assert [binding.id for binding in bindings(KEYS)] == [key.id for key in KEYS]
