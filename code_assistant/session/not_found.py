"""The one error of looking for a session that is not there."""

from __future__ import annotations

from code_assistant.errors import UsageError


class SessionNotFound(UsageError):
    """No session has such an id, or nothing was said in it yet."""
