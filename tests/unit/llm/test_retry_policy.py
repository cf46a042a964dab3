"""When a request is sent again: after a longer pause each time, never earlier than asked, never for ever."""

from __future__ import annotations

from code_assistant.errors import CredentialError, ProviderError, RateLimited, StreamBroken
from code_assistant.llm.retry_policy import RetryPolicy, is_too_long
from tests.rows import each_row

STEADY = RetryPolicy(chance=lambda: 0.0)


def failed(retry_after: float | None = None) -> ProviderError:
    return ProviderError("busy", status=503, retryable=True, retry_after=retry_after)


@each_row(
    ("attempt", "error", "wait"),
    [
        (1, failed(), 0.5),
        (3, failed(), 2.0),
        (7, failed(), 32.0),
        (8, failed(), None),
        (1, failed(20), 20.0),
        (6, failed(1), 16.0),
        (1, failed(0), 0.5),
        (1, RateLimited("slow", retry_after=0), 0.5),
        (1, RateLimited("slow", retry_after=60), 60.0),
        (1, RateLimited("slow", retry_after=61), None),
        (1, failed(3600), None),
        (1, StreamBroken("cut"), 0.5),
        (1, StreamBroken("too large", retryable=False), None),
        (1, CredentialError("no"), None),
    ],
)
def test_safe_r4_how_long_to_wait(attempt: int, error: ProviderError, wait: float | None) -> None:
    assert STEADY.wait(attempt, error) == wait


def test_jitter_makes_it_later_never_earlier() -> None:
    eager = RetryPolicy(chance=lambda: 1.0)
    assert eager.wait(1, failed()) == 0.625
    assert eager.wait(1, failed(20)) == 25.0


def test_too_long_is_only_what_could_be_tried_again() -> None:
    assert is_too_long(failed(61))
    assert not is_too_long(CredentialError("no"))
