"""Error answers and error chunks as services really send them: each has its type and helps in one line."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from code_assistant.errors import CredentialError, PromptTooLong, ProviderError, RateLimited, UnknownModel
from code_assistant.llm.model import Provider
from code_assistant.llm.openai.errors import error_from_answer, error_in_stream
from tests.rows import each_row
from tests.unit.llm.openai.chunks import PROVIDER

ROUTER = Provider("openrouter", "openai", "OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY")


def error(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, **more}}


def answered(status: int, body: Any, headers: dict[str, str] | None = None) -> ProviderError:
    written = body if isinstance(body, bytes) else json.dumps(body).encode()
    return error_from_answer(ROUTER, status, headers or {}, written)


@each_row(
    ("status", "body", "expected", "words"),
    [
        (401, error("Incorrect API key", code="invalid_api_key"), CredentialError, "OPENROUTER_API_KEY"),
        (403, error("not yours"), CredentialError, "not yours"),
        (403, error("flagged", code=403, metadata={"reasons": ["violence"]}), ProviderError, "flagged"),
        (403, error("no access to model x", code="model_not_found"), UnknownModel, "no access"),
        (402, error("Insufficient credits", code=402), ProviderError, "cannot pay for the request"),
        (429, error("You exceeded your quota", code="insufficient_quota"), ProviderError, "cannot pay"),
        (429, error("Rate limit reached for tokens per min", type="tokens"), RateLimited, "slow down"),
        (404, error("The model `x` does not exist", code="model_not_found"), UnknownModel, "does not exist"),
        (404, error('model "x" not found, try pulling it first', type="api_error"), UnknownModel, "try pulling it"),
        (400, error("foo/bar is not a valid model ID", code=400), UnknownModel, "not a valid model"),
        (404, {"detail": "Not Found"}, ProviderError, "the base_url of openrouter, which mostly ends in /v1"),
        (404, b"404 page not found", ProviderError, "base_url"),
        (404, error("No endpoints found that support tool use", code=404), ProviderError, "support tool use"),
        (405, b"", ProviderError, "base_url"),
        (400, error("bad thing", type="invalid_request_error"), ProviderError, "refused the request: bad thing"),
        (422, {"detail": [{"loc": ["body"], "msg": "Field required"}]}, ProviderError, "Field required"),
        (400, {"error": "plain words"}, ProviderError, "plain words"),
        (400, [error("a list, as Gemini sends")], ProviderError, "a list, as Gemini sends"),
        (400, {"object": "error", "message": "old vLLM", "code": 400}, ProviderError, "old vLLM"),
        (400, b"not json\nat all", ProviderError, "not json at all"),
        (413, b"<html>", PromptTooLong, "context window"),
        (500, error("oops"), ProviderError, "OpenRouter failed: oops"),
        (502, b"<html>\x1b[2J</html>", ProviderError, "failed: HTTP 502"),
        (503, error("The server is overloaded", type="server_overloaded"), RateLimited, "overloaded"),
        (529, error("busy"), RateLimited, "overloaded"),
        (307, b"", ProviderError, "redirection (HTTP 307)"),
        (
            502,
            error("Provider returned error", code=502, metadata={"raw": "cuda\nfell over", "provider_name": "Acme"}),
            ProviderError,
            "Provider returned error (Acme: cuda fell over)",
        ),
    ],
)
def test_every_answer_is_a_typed_error_in_one_line(
    status: int, body: Any, expected: type[ProviderError], words: str
) -> None:
    found = answered(status, body)
    assert type(found) is expected
    assert words in found.person
    assert "\n" not in found.person
    assert found.status in {status, None} or expected is RateLimited


@each_row(
    ("status", "body"),
    [
        (400, error("This model's maximum context length is 8192 tokens", code="context_length_exceeded")),
        (400, error("This model's maximum context length is 4096 tokens. However, you requested 5000 tokens")),
        (400, error("the request exceeds the available context size", type="exceed_context_size_error")),
        (500, error("the request exceeds the available context size. try increasing the context size", code=500)),
        (400, error("Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded")),
        (400, {"error": "Context size has been exceeded."}),
        (400, error("the input length exceeds the context length")),
        (400, error("Please reduce the length of the messages or completion.")),
        (400, error("prompt is too long: 9 tokens > 8 maximum")),
        (400, error("Input is too long for requested model.")),
    ],
)
def test_a_prompt_that_does_not_fit_is_known_in_all_wordings(status: int, body: Any) -> None:
    assert type(answered(status, body)) is PromptTooLong
    assert type(error_in_stream(PROVIDER, body)) is PromptTooLong


@each_row(
    ("retryable", "status"),
    [(True, 408), (True, 409), (True, 429), (True, 500), (True, 503), (True, 529)]
    + [(False, status) for status in (400, 401, 402, 403, 404, 413, 422)],
)
def test_errors_know_whether_trying_again_can_help(status: int, retryable: bool) -> None:
    assert answered(status, error("x")).retryable is retryable


def test_an_error_with_a_good_status_has_the_status_that_it_names() -> None:
    found = answered(200, error("the request exceeds the available context size", code=400))
    assert (type(found), found.status) == (PromptTooLong, 400)
    assert answered(200, error("gone", code=502)).retryable


def test_when_to_try_again_is_what_the_service_says() -> None:
    found = answered(429, error("slow"), {"retry-after": "7"})
    assert isinstance(found, RateLimited)
    assert found.retry_after == 7
    assert "in 7 s" in found.person


@each_row(
    ("chunk", "expected", "retryable"),
    [
        (error("busy", code=503, type="overloaded"), RateLimited, True),
        (error("Provider disconnected", code="server_error"), ProviderError, True),
        (error("Internal error", type="InternalServerError", code=500), ProviderError, True),
        (error("slow down", code=429), RateLimited, True),
        (error("no", code="invalid_api_key"), CredentialError, False),
        (error("Error rendering prompt with jinja template"), ProviderError, False),
        (error("bad", type="invalid_request_error"), ProviderError, False),
        ({"error": {}, "object": "error"}, ProviderError, False),
    ],
)
def test_errors_inside_a_stream(chunk: dict[str, Any], expected: type[ProviderError], retryable: bool) -> None:
    found = error_in_stream(PROVIDER, chunk)
    assert type(found) is expected
    assert found.retryable is retryable


def test_a_service_without_a_key_says_where_one_would_be_named() -> None:
    found = error_from_answer(PROVIDER, 401, {}, b"")
    assert "No key is set up for local" in found.person


def test_safe_r7_endless_words_are_cut() -> None:
    assert len(answered(400, error("x" * 50_000)).person) < 2000


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "message", "code", "type", "metadata", "raw", "detail"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)


@given(st.integers(300, 599), JSON)
def test_safe_r7_any_answer_at_all_is_a_typed_error(status: int, body: Any) -> None:
    assert answered(status, body).person
    assert error_in_stream(PROVIDER, body if isinstance(body, dict) else {"error": body}).person
