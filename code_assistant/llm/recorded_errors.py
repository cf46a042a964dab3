"""Errors of providers as data, so that a recording can raise them again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from code_assistant.errors import (
    ConnectionFailed,
    CredentialError,
    PromptTooLong,
    ProviderError,
    RateLimited,
    StreamBroken,
    UnknownModel,
)


@dataclass(frozen=True, slots=True)
class RecordedError:
    kind: str
    person: str
    status: int | None = None
    retryable: bool = False
    retry_after: float | None = None

    @classmethod
    def of(cls, error: ProviderError) -> RecordedError:
        wait = error.retry_after if isinstance(error, RateLimited) else None
        return cls(error.kind, error.person, error.status, error.retryable, wait)

    def again(self) -> ProviderError:
        """The same typed error; one of a kind that this version does not know is a plain ProviderError."""
        return _BUILDERS.get(self.kind, _plain(ProviderError))(self)


def _plain(kind: type[ProviderError]) -> Callable[[RecordedError], ProviderError]:
    return lambda found: kind(found.person, status=found.status, retryable=found.retryable)


_BUILDERS: Mapping[str, Callable[[RecordedError], ProviderError]] = {
    RateLimited.kind: lambda found: RateLimited(found.person, status=found.status, retry_after=found.retry_after),
    ConnectionFailed.kind: lambda found: ConnectionFailed(found.person, retryable=found.retryable),
    StreamBroken.kind: lambda found: StreamBroken(found.person, retryable=found.retryable),
    **{kind.kind: _plain(kind) for kind in (CredentialError, UnknownModel, PromptTooLong)},
}
