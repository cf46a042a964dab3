"""The keys for the model's service and for searching the web. They come from the environment only, never a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from code_assistant.errors import CredentialError

API_KEY_VARIABLE = "ANTHROPIC_API_KEY"
AUTH_TOKEN_VARIABLE = "ANTHROPIC_AUTH_TOKEN"
SEARCH_KEY_VARIABLE = "BRAVE_API_KEY"
VARIABLES = (API_KEY_VARIABLE, AUTH_TOKEN_VARIABLE, SEARCH_KEY_VARIABLE)


@dataclass(frozen=True, slots=True, repr=False)
class Credentials:
    """What may prove who we are. All are kept, so that all can be masked; `chosen` is the one for the model."""

    api_key: str | None = None
    auth_token: str | None = None
    search_key: str | None = None

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> Credentials:
        """Read the variables; blank ones count as absent."""
        return cls(*(_read(environ, variable) for variable in VARIABLES))

    @property
    def chosen(self) -> str | None:
        """The API key, else the token, else None."""
        return self.api_key or self.auth_token

    def secrets(self) -> tuple[str, ...]:
        """Every value that must never be shown, logged or stored."""
        return tuple(value for value in (self.api_key, self.auth_token, self.search_key) if value)

    def __repr__(self) -> str:
        def state(value: str | None) -> str:
            return "set" if value else "absent"

        return (
            f"Credentials(api_key={state(self.api_key)}, auth_token={state(self.auth_token)}, "
            f"search_key={state(self.search_key)})"
        )


def _read(environ: Mapping[str, str], variable: str) -> str | None:
    value = environ.get(variable, "").strip()
    if not value:
        return None
    if not (value.isascii() and value.isprintable()):
        raise CredentialError(
            f"{variable} holds a character that no key has (a line break, a control or a non-ASCII character). "
            "Copy the key again and set the variable anew."
        )
    return value
