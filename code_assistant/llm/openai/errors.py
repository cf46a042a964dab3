"""From error answers and error chunks of Chat Completions services to our typed errors, in words that help."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from code_assistant.errors import CredentialError, PromptTooLong, ProviderError, RateLimited, UnknownModel
from code_assistant.llm.error_body import read_body
from code_assistant.llm.model import Provider
from code_assistant.llm.retry_after import retry_after, when_words
from code_assistant.llm.stream import whole_words
from code_assistant.secret_formats import mask_formats

MAX_WORDS = 1000
TOO_LONG_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error", "string_above_max_length"})
# How OpenAI, vLLM, llama.cpp, LM Studio, Ollama and gateways say that a prompt does not fit.
TOO_LONG_WORDS = re.compile(
    r"context (?:length|window|size)|prompt is too long|input is too long|too many (?:input )?tokens|"
    r"when context the overflows|reduce the length",
    re.IGNORECASE,
)
UNKNOWN_MODEL_WORDS = re.compile(
    r"model\b.{0,120}\b(?:not found|not exist|not (?:a )?valid)|(?:no such|unknown|invalid|not a valid) model",
    re.IGNORECASE,
)
UNPAID_CODES = frozenset({"insufficient_quota", "billing_not_active", "billing_hard_limit_reached"})
FAILED_WORDS = re.compile(r"server_?error|internal|api_error|time_?out|unavailable|upstream|bad_gateway", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Refusal:
    """What a service says: the words, its own names for what went wrong, the HTTP status or what stands for it."""

    words: str
    names: tuple[str, ...]
    status: int | None
    moderated: bool = False

    def is_called(self, *parts: str) -> bool:
        return any(part in name for part in parts for name in self.names)


def address_setting(provider: Provider) -> str:
    """Where the person set the service's address."""
    return f"the base_url of {provider.name}"


def error_from_answer(provider: Provider, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
    """The typed error for an error answer; some services send one with the status of a good one."""
    parsed, text = read_body(body)
    refusal = _read(parsed, text or f"HTTP {status}", None if status == 200 else status)
    return _typed(provider, refusal, headers)


def error_in_stream(provider: Provider, chunk: dict[str, Any]) -> ProviderError:
    """The typed error for an error object that arrives where a chunk of the answer should."""
    return _typed(provider, _read(chunk, "unknown error", None), {})


def _typed(provider: Provider, refusal: _Refusal, headers: Mapping[str, str]) -> ProviderError:
    status = refusal.status
    return (
        _about_the_account(provider, refusal, headers)
        or _about_the_request(provider, refusal)
        or _about_the_service(provider, refusal, headers)
        or ProviderError(f"{provider.title} refused the request: {refusal.words}", status=status)
    )


def _about_the_account(provider: Provider, refusal: _Refusal, headers: Mapping[str, str]) -> ProviderError | None:
    words, status = refusal.words, refusal.status
    if status == 402 or refusal.is_called(*UNPAID_CODES):
        return ProviderError(
            f"The account at {provider.title} cannot pay for the request: {words}. See the provider's console.",
            status=status,
        )
    if refusal.moderated:
        return None
    if _is_unknown_model(refusal):
        return UnknownModel(words, status=status)
    if status in {401, 403} or refusal.is_called("invalid_api_key", "authentication_error", "permission_error"):
        return CredentialError(f"{provider.title} refused the key: {words}. {key_help(provider)}", status=status)
    if status == 429 or refusal.is_called("rate_limit"):
        wait = retry_after(headers)
        return RateLimited(
            f"{provider.title} asks to slow down: {words}. {when_words(wait)}", status=429, retry_after=wait
        )
    return None


def _about_the_request(provider: Provider, refusal: _Refusal) -> ProviderError | None:
    words, status = refusal.words, refusal.status
    if status == 413 or refusal.is_called(*TOO_LONG_CODES) or TOO_LONG_WORDS.search(words):
        return PromptTooLong(
            f"The conversation does not fit into the model's context window: {words}. Start a new one.",
            status=status,
        )
    if status is not None and 300 <= status < 400:
        return ProviderError(
            f"{provider.title} answered with a redirection (HTTP {status}), which is not followed so that the key "
            f"stays where it belongs. Check {address_setting(provider)}.",
            status=status,
        )
    if status in {404, 405}:
        return ProviderError(
            f"{provider.title} has no such service at this address (HTTP {status}: {words}). Check "
            f"{address_setting(provider)}, which mostly ends in /v1.",
            status=status,
        )
    return None


def _about_the_service(provider: Provider, refusal: _Refusal, headers: Mapping[str, str]) -> ProviderError | None:
    words, status = refusal.words, refusal.status
    if status == 529 or refusal.is_called("overloaded"):
        wait = retry_after(headers)
        return RateLimited(
            f"{provider.title} is overloaded: {words}. {when_words(wait)}", status=status, retry_after=wait
        )
    named_failure = status is None and any(FAILED_WORDS.search(name) for name in refusal.names)
    if status in {408, 409} or (status is not None and status >= 500) or named_failure:
        wait = retry_after(headers)
        told = f"{provider.title} failed: {words}. {when_words(wait)}"
        return ProviderError(told, status=status, retryable=True, retry_after=wait)
    return None


def _is_unknown_model(refusal: _Refusal) -> bool:
    if refusal.is_called("model_not_found"):
        return True
    return refusal.status in {400, 404} and UNKNOWN_MODEL_WORDS.search(refusal.words) is not None


def key_help(provider: Provider) -> str:
    if not provider.key_variable:
        return f"No key is set up for {provider.name}; name the variable that holds one in its settings."
    return f"Set {provider.key_variable} to a valid key and start again, or enter one with /model."


def _read(parsed: Any, text: str, status: int | None) -> _Refusal:
    """The error of an answer in any of the shapes that services use."""
    if isinstance(parsed, list) and parsed:
        parsed = cast("list[Any]", parsed)[0]
    if not isinstance(parsed, dict):
        return _Refusal(_one_line(text), (), status)
    outer = cast("dict[str, Any]", parsed)
    error: Any = outer.get("error")
    fields = cast("dict[str, Any]", error) if isinstance(error, dict) else outer
    code = fields.get("code")
    if status is None and isinstance(code, int) and 300 <= code < 600:
        status = code
    said = error if isinstance(error, str) else fields.get("message") or fields.get("detail") or outer.get("message")
    words = said if isinstance(said, str) and said.strip() else text
    metadata: Any = fields.get("metadata")
    details = cast("dict[str, Any]", metadata) if isinstance(metadata, dict) else {}
    upstream = details.get("raw")
    if isinstance(upstream, str) and upstream.strip() and upstream not in words:
        words = f"{words} ({details.get('provider_name') or 'upstream'}: {upstream})"
    names = tuple(str(fields[key]).lower() for key in ("type", "code") if isinstance(fields.get(key), str))
    return _Refusal(_one_line(words), names, status, moderated="reasons" in details)


def _one_line(words: str) -> str:
    # Of a secret that is cut in two, the rest would not be known any more.
    line = " ".join(mask_formats(words).split()).rstrip(".")
    return line if len(line) <= MAX_WORDS else f"{whole_words(line, MAX_WORDS)}…"
