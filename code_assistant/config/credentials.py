"""The keys for models' services and for searching the web: from the environment, else those the person had us keep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from code_assistant.config.key_store import KeyStore
from code_assistant.config.key_variables import (
    API_KEY_VARIABLE,
    AUTH_TOKEN_VARIABLE,
    SEARCH_KEY_VARIABLE,
    USUAL_VARIABLES,
    key_variables,
)
from code_assistant.config.paths import config_folder
from code_assistant.errors import AssistantError, CredentialError


@dataclass(frozen=True, slots=True, repr=False)
class Credentials:
    """By the variable that each is known by. All are kept, so that all can be masked."""

    values: Mapping[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def from_environ(cls, environ: Mapping[str, str], further: Iterable[str] = ()) -> Credentials:
        """Read the variables, and for those that are absent or blank what was kept of them.

        `further` are variables of providers that only a models file names.
        """
        folder = config_folder(environ)
        names = (*key_variables(folder), *further)
        given = {name: value for name in names if (value := environ.get(name, "").strip())}
        # Whoever has set a variable need not wait for a keyring.
        kept = {**KeyStore(folder).read(known=given), **given}
        found = {name: kept[name] for name in dict.fromkeys((*names, *kept)) if name in kept}
        return cls({name: _checked(name, value) for name, value in found.items() if value})

    def get(self, variable: str) -> str | None:
        return self.values.get(variable)

    @property
    def chosen(self) -> str | None:
        """For Anthropic: the API key, else the token, else None."""
        return self.get(API_KEY_VARIABLE) or self.get(AUTH_TOKEN_VARIABLE)

    @property
    def search_key(self) -> str | None:
        return self.get(SEARCH_KEY_VARIABLE)

    def secrets(self) -> tuple[str, ...]:
        """Every value that must never be shown, logged or stored."""
        return tuple(self.values.values())

    def __repr__(self) -> str:
        return f"Credentials({', '.join(sorted(self.values)) or 'none'})"


def _checked(variable: str, value: str) -> str:
    if not (value.isascii() and value.isprintable()):
        raise CredentialError(
            f"{variable} holds a character that no key has (a line break, a control or a non-ASCII character). "
            "Copy the key again and set the variable anew."
        )
    return value


def possible_secrets(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Whatever may be a key, checked or not, for words about something that went wrong; never fails."""
    values = [environ.get(name, "").strip() for name in USUAL_VARIABLES]
    try:
        values += Credentials.from_environ(environ).secrets()
    except (AssistantError, OSError):
        # The complaint may be about them, or about where they are kept.
        return tuple(values)
    return tuple(values)
