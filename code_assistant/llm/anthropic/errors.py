"""From the service's error answers to our typed errors, in words that help."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from code_assistant.errors import (
    CredentialError,
    PromptTooLong,
    ProviderError,
    RateLimited,
    UnknownModel,
)
from code_assistant.llm.error_body import read_body
from code_assistant.llm.retry_after import retry_after, when_words

KEY_HELP = "Set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN) to a valid key and start again, or enter one with /model."


def error_from_answer(status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
    """The typed error for an HTTP error answer."""
    parsed, text = read_body(body)
    kind, message = read_error(parsed) or ("", text)
    return error_of_kind(kind, message or f"HTTP {status}", status=status, headers=headers)


def error_of_kind(
    kind: str, message: str, *, status: int | None = None, headers: Mapping[str, str] | None = None
) -> ProviderError:
    """The typed error for an error kind of the Messages protocol, also one that arrives inside a stream."""
    if kind in {"authentication_error", "permission_error"} or status in {401, 403}:
        return CredentialError(f"The service refused the key: {message}. {KEY_HELP}", status=status)
    if kind == "rate_limit_error" or status == 429:
        wait = retry_after(headers or {})
        return RateLimited(
            f"The service asks to slow down: {message}. {when_words(wait)}", status=429, retry_after=wait
        )
    if kind == "overloaded_error" or status == 529:
        wait = retry_after(headers or {})
        return RateLimited(f"The service is overloaded: {message}. {when_words(wait)}", status=529, retry_after=wait)
    if kind == "not_found_error":
        return UnknownModel(message, status=status)
    if kind == "billing_error" or status == 402:
        return ProviderError(
            f"The account cannot pay for the request: {message}. See the provider's console.", status=status
        )
    if kind == "request_too_large" or status == 413 or "prompt is too long" in message:
        return PromptTooLong(
            f"The conversation does not fit into the model's context window: {message}. Start a new one.",
            status=status,
        )
    if kind in {"api_error", "timeout_error"} or status in {408, 409} or (status is not None and status >= 500):
        wait = retry_after(headers or {})
        words = f"The service failed: {message}. {when_words(wait)}"
        return ProviderError(words, status=status, retryable=True, retry_after=wait)
    if status is not None and 300 <= status < 400:
        return ProviderError(
            f"The service answered with a redirection (HTTP {status}), which is not followed so that the key stays "
            "where it belongs. Check ANTHROPIC_BASE_URL.",
            status=status,
        )
    if status == 404:
        return ProviderError(
            f"There is no Messages service at this address (HTTP 404: {message}). Check ANTHROPIC_BASE_URL.",
            status=status,
        )
    return ProviderError(f"The service refused the request: {message}", status=status)


def read_error(parsed: Any) -> tuple[str, str] | None:
    """Kind and message of a parsed error object, or None when it is not one."""
    if not isinstance(parsed, dict):
        return None
    error = cast("dict[str, Any]", parsed).get("error")
    if not isinstance(error, dict):
        return None
    fields = cast("dict[str, Any]", error)
    return str(fields.get("type", "")), str(fields.get("message", "")).rstrip(".")
