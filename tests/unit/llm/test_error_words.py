"""What services say when they refuse: no secret of a known form in it, and nothing that acts on a terminal."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from code_assistant.errors import ProviderError, fault_words
from code_assistant.llm.anthropic import errors as anthropic
from code_assistant.llm.model import Provider
from code_assistant.llm.openai import errors as openai
from tests.unit.secret_samples import SURROUNDED, TOKENS

ECHO = f"key {TOKENS['openai']} of \x1b[31m{TOKENS['github-classic']}\x07 {SURROUNDED['postgres'][0]}"
SECRETS = (TOKENS["openai"], TOKENS["github-classic"], SURROUNDED["postgres"][1], "\x1b", "\x07")
PROVIDER = Provider("gateway", "openai", "Gateway", "https://gateway.example/v1")


@pytest.mark.parametrize("status", [400, 401, 402, 404, 408, 413, 429, 500, 529])
@pytest.mark.parametrize(
    "body", [json.dumps({"error": {"type": "x", "message": ECHO}}), json.dumps({"detail": ECHO}), ECHO], ids=str.__len__
)
@pytest.mark.parametrize(
    "error_from",
    [anthropic.error_from_answer, lambda *given: openai.error_from_answer(PROVIDER, *given)],
    ids=["anthropic", "openai"],
)
def test_safe_k4_answers(
    error_from: Callable[[int, dict[str, str], bytes], ProviderError], body: str, status: int
) -> None:
    error = error_from(status, {}, body.encode())
    for words in (error.person, error.model, str(error)):
        assert not [secret for secret in SECRETS if secret in words]
        assert "removed]" in words


def test_safe_k4_errors_inside_of_streams() -> None:
    for error in (
        anthropic.error_of_kind("api_error", ECHO),
        openai.error_in_stream(PROVIDER, {"error": {"message": "no", "metadata": {"raw": ECHO}}}),
    ):
        assert not [secret for secret in SECRETS if secret in error.person]


def test_safe_k1_faults_of_ours_may_be_passed_on() -> None:
    assert TOKENS["openai"] not in fault_words(ValueError(ECHO))
