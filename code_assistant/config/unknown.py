"""Warnings about keys and variables that we do not know, with the nearest one that we do."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from code_assistant.config.key_variables import API_KEY_VARIABLE, AUTH_TOKEN_VARIABLE
from code_assistant.config.keys import KEYS

_MOST_WARNINGS = 20
_SHOWN_CHARACTERS = 80
_CREDENTIAL_WORDS = ("api_key", "apikey", "auth_token", "token", "secret", "password")


def unknown_key_warnings(origin: str, names: Sequence[str]) -> list[str]:
    """One warning for each unknown key of a file, and one for all beyond a sensible number."""
    warnings = [f"{origin}: {_unknown_key(name)}" for name in names[:_MOST_WARNINGS]]
    if len(names) > _MOST_WARNINGS:
        warnings.append(f"{origin}: {len(names) - _MOST_WARNINGS} more unknown keys are ignored.")
    return warnings


def unknown_variable(name: str) -> str:
    """What to say about a variable that begins like ours and does not exist."""
    return f"unknown variable {name} is ignored{nearest(name, [key.variable for key in KEYS.values()])}"


def nearest(name: str, known: Collection[str]) -> str:
    """The end of a sentence about an unknown name: the known one that was probably meant, or where to look."""
    # Only needed when somebody mistyped; every start would pay for it otherwise.
    from difflib import get_close_matches

    last = name.rpartition(".")[2]
    same = [each for each in known if each.rpartition(".")[2] == last]
    found = same or get_close_matches(name, known, n=1, cutoff=0.5)
    return f"; did you mean {found[0]}?" if found else "; docs/settings.md lists all of them."


def _unknown_key(name: str) -> str:
    bounded = name[:_SHOWN_CHARACTERS]
    readable = bounded if bounded.isprintable() else ascii(bounded)
    if name.lower().rpartition(".")[2] in _CREDENTIAL_WORDS:
        return f"{readable} is ignored: keys and tokens come from {API_KEY_VARIABLE} or {AUTH_TOKEN_VARIABLE} only."
    return f"unknown key {readable} is ignored{nearest(bounded, list(KEYS))}"
