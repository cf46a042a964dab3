"""Typed errors. Each carries words for the person and, where it can reach one, words for the model."""

from __future__ import annotations

from typing import ClassVar

from code_assistant.sanitize import sanitize
from code_assistant.secret_formats import mask_formats


class AssistantError(Exception):
    """Base of all errors we raise on purpose. `str(error)` is for the person: what happened, what to do.

    `kind` names the error in events, where classes do not travel.
    """

    kind: ClassVar[str] = "error"

    def __init__(self, person: str, *, model: str | None = None) -> None:
        super().__init__(person)
        self.person = person
        self.model = model if model is not None else person


class UsageError(AssistantError):
    """The program was called or configured in a way that cannot work."""

    kind = "usage"


class NotAvailableYet(UsageError):
    """Something the product will have and does not have yet; refused, never ignored."""

    def __init__(self, what: str, instead: str = "") -> None:
        super().__init__(f"{what} is not available yet; the README lists what is still missing. {instead}".rstrip())


class WorkspaceError(AssistantError):
    """A path that cannot be used: missing, unreadable, of the wrong kind, refused."""

    kind = "workspace"


class ToolError(AssistantError):
    """A tool could not do what was asked; goes back to the model as an error result."""

    kind = "tool"


class PermissionDenied(ToolError):
    """The person, a rule, or the absence of a person said no to one tool call; `by` says shortly who."""

    kind = "permission"

    def __init__(self, person: str, *, model: str | None = None, by: str = "") -> None:
        super().__init__(person, model=model)
        self.by = by


class HistoryError(AssistantError):
    """The conversation would be refused by the provider. Always a fault of ours."""

    kind = "history"


class ProviderError(AssistantError):
    """The model's service could not be used or did not answer properly.

    Its words may repeat what a server said, which may be anything: an echo of what it was sent, somebody else's key,
    what acts on a terminal. They are safe to show from here on but for configured keys, which front ends mask.
    """

    kind = "provider"

    def __init__(
        self,
        person: str,
        *,
        status: int | None = None,
        retryable: bool = False,
        retry_after: float | None = None,
    ) -> None:
        """`retry_after` is in how many seconds the service may be asked again, where it says so."""
        super().__init__(sanitize(mask_formats(person)))
        self.status = status
        self.retryable = retryable
        self.retry_after = retry_after


class CredentialError(ProviderError):
    """No key, or a key that the service refuses."""

    kind = "credential"


class UnknownModel(ProviderError):
    """The service does not know the model."""

    kind = "unknown_model"


class RateLimited(ProviderError):
    """The service asks to slow down or is overloaded."""

    kind = "rate_limit"

    def __init__(self, person: str, *, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(person, status=status, retryable=True, retry_after=retry_after)


class PromptTooLong(ProviderError):
    """The conversation does not fit into the model's context window."""

    kind = "prompt_too_long"


class ConnectionFailed(ProviderError):
    """The service could not be reached."""

    kind = "connection"

    def __init__(self, person: str, *, retryable: bool = True) -> None:
        super().__init__(person, retryable=retryable)


class StreamBroken(ProviderError):
    """The answer's stream ended early or made no sense."""

    kind = "stream"

    def __init__(self, person: str, *, retryable: bool = True) -> None:
        super().__init__(person, retryable=retryable)


def fault_words(error: Exception) -> str:
    """For the person, about a fault of ours that the log has the whole of."""
    words = mask_formats(str(error))
    return (
        f"The program failed: {type(error).__name__}: {words}. Please report it; --debug writes the details to a log."
    )
