"""The catalogue: names, aliases, prices by prompt size, honesty about what is unknown."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from importlib.resources import files
from typing import get_args

import pytest

from code_assistant.llm.anthropic.body import request_body
from code_assistant.llm.catalogue import Catalogue
from code_assistant.llm.models_file import checked_models
from code_assistant.llm.offline.client import OFFLINE_MODEL
from code_assistant.llm.options import RequestOptions
from code_assistant.llm.provider import ModelRequest
from code_assistant.messages import Message, Text, Usage
from tests.rows import each_row

ASK = ModelRequest("", (), (Message("user", (Text("hi"),)),))


@each_row(
    ("name", "found"),
    [
        ("sonnet", "claude-sonnet-5-5"),
        ("opus", "claude-opus-5-5"),
        ("haiku", "claude-haiku-5-5"),
        ("fable", "claude-fable-5-1"),
        ("claude-opus-5", "claude-opus-5"),
        ("my-gateway/model", "my-gateway/model"),
        ("ollama/qwen3:8b", "qwen3:8b"),
        ("openrouter/openai/gpt-6.1-sol", "openai/gpt-6.1-sol"),
        ("GPT", "gpt-6-sol"),
        ("offline", "offline-explorer"),
    ],
)
def test_models_are_found_by_name_and_alias(name: str, found: str) -> None:
    assert Catalogue().find(name).id == found


def test_every_current_model_of_the_sdk_is_known() -> None:
    """Dated names and previews aside, which have a current name."""
    from anthropic.types.model import Model as SdkModel

    names = {name for part in get_args(SdkModel) for name in get_args(part)}
    current = {name for name in names if not re.search(r"-\d{8}$|-preview$", name)}
    assert current <= {model.name for model in Catalogue().models}


def test_names_and_aliases_are_unique() -> None:
    names = [name for model in Catalogue().models for name in (model.name, *model.aliases)]
    assert len(names) == len(set(names))


def test_cost_counts_every_kind_of_token() -> None:
    million = 1_000_000
    opus = Catalogue().find("opus")
    assert opus.cost(Usage(million, million, million, million)) == pytest.approx(4 + 20 + 0.2 + 5)


def test_cost_depends_on_the_prompt_where_the_price_does() -> None:
    haiku = Catalogue().find("haiku")
    assert haiku.cost(Usage(input=100_000)) == pytest.approx(0.01)
    assert haiku.cost(Usage(input=1, cache_read=100_000)) == pytest.approx((0.5 + 0.05 * 100_000) / 1_000_000)


def test_an_unknown_model_has_no_price() -> None:
    assert Catalogue().find("who-knows").cost(Usage(input=1000)) is None


@each_row(
    ("name", "wanted", "thinking"),
    [
        ("sonnet", True, {"type": "adaptive", "display": "summarized"}),
        ("sonnet", False, {"type": "between_tools"}),
        ("opus", False, None),
        ("haiku", False, {"type": "disabled"}),
        ("claude-haiku-4-5", True, {"type": "enabled", "budget_tokens": 4000}),
        ("claude-haiku-4-5", False, None),
        ("who-knows", True, None),
    ],
)
def test_thinking_is_asked_for_the_way_each_model_wants_it(
    name: str, wanted: bool, thinking: dict[str, object] | None
) -> None:
    body = request_body(ASK, Catalogue().find(name), RequestOptions(8000, wanted, "high"))
    assert body.get("thinking") == thinking


def test_effort_goes_only_to_models_that_know_it() -> None:
    options = RequestOptions(8000, True, "max")
    assert request_body(ASK, Catalogue().find("opus"), options)["output_config"] == {"effort": "max"}
    assert "output_config" not in request_body(ASK, Catalogue().find("who-knows"), options)


def test_no_more_output_is_asked_for_than_the_model_has() -> None:
    options = RequestOptions(500_000, True, "")
    assert request_body(ASK, Catalogue().find("opus"), options)["max_tokens"] == 128_000


def test_a_request_without_system_and_tools_has_neither() -> None:
    body = request_body(ASK, Catalogue().find("opus"), RequestOptions(8000, True, ""))
    assert "system" not in body
    assert "tools" not in body


def test_what_we_ship_has_the_form_that_others_are_held_to() -> None:
    """Our own file is not checked at every start; and the explorer is what its entry says."""
    text = files("code_assistant.llm").joinpath("models.toml").read_text(encoding="utf-8")
    document = tomllib.loads(text)
    assert document["providers"].pop("offline")["kind"] == "offline"
    assert set(checked_models(document, "models.toml")) == {"providers", "models"}
    assert replace(OFFLINE_MODEL, aliases=("offline",)) == Catalogue().find("offline")
