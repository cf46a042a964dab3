from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from code_assistant.config.keys import KEYS, SECTIONS, with_values
from code_assistant.config.settings import Settings
from code_assistant.config.values import checked
from code_assistant.tui.keys import REMAPPABLE
from tests.unit.config.settings_table import settings_table

DOCUMENT = Path(__file__).parents[3] / "docs" / "settings.md"


def test_every_field_is_a_key_with_words_and_a_default_it_accepts() -> None:
    for key in KEYS.values():
        assert key.declaration.doc.endswith(".")
        assert checked(key, key.default, "default") == key.default
        assert not (key.choices and key.default not in key.choices)


def test_the_keys_of_today() -> None:
    assert [name for name in KEYS if not name.startswith("keys.")] == [
        "model",
        "anthropic.transport",
        "anthropic.platform",
        "anthropic.auth",
        "anthropic.base_url",
        "request.max_output_tokens",
        "request.thinking",
        "request.effort",
        "request.max_retries",
        "request.retry_delay_ms",
        "request.first_byte_timeout_s",
        "request.silence_timeout_s",
        "request.content_timeout_s",
        "request.connect_timeout_s",
        "limits.max_turns",
        "context.max_memory_bytes",
        "context.compact_at",
        "web.search_url",
        "agents.max_depth",
        "agents.max_parallel",
        "agents.max_result_tokens",
        "agents.file_reference_failure",
        "agents.advertise",
        "session.max_tokens",
        "sandbox.enabled",
        "sandbox.network",
        "sandbox.writable",
        "screen.theme",
        "screen.collapse_finished_agents",
    ]
    assert {
        "anthropic",
        "request",
        "limits",
        "context",
        "web",
        "agents",
        "session",
        "sandbox",
        "screen",
        "keys",
    } == SECTIONS


def test_every_key_of_the_screen_can_be_set() -> None:
    assert [name for name in KEYS if name.startswith("keys.")] == [f"keys.{key.id}" for key in REMAPPABLE]


def test_safe_t3_what_a_project_may_do_to_each_key() -> None:
    rights = {name: key.declaration.project for name, key in KEYS.items()}
    assert {name for name, right in rights.items() if right == "tighten"} == {
        "request.max_output_tokens",
        "request.max_retries",
        "limits.max_turns",
        "context.max_memory_bytes",
        "agents.max_depth",
        "agents.max_parallel",
        "agents.max_result_tokens",
        "session.max_tokens",
        "sandbox.network",
    }


def test_variables_are_named_after_the_keys() -> None:
    assert KEYS["request.effort"].variables == ("CODE_ASSISTANT_REQUEST__EFFORT",)
    assert KEYS["anthropic.base_url"].variables == (
        "ANTHROPIC_BASE_URL",
        "CODE_ASSISTANT_ANTHROPIC__BASE_URL",
    )


def test_values_reach_their_nested_fields() -> None:
    assert with_values({}) == Settings()
    changed = with_values({"model": "opus", "limits.max_turns": 3})
    assert (changed.model, changed.limits.max_turns, changed.request) == ("opus", 3, Settings().request)


def test_settings_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Settings().model = "x"  # pyright: ignore[reportAttributeAccessIssue]


def test_the_document_holds_the_table_as_generated() -> None:
    assert settings_table() in DOCUMENT.read_text(encoding="utf-8")
