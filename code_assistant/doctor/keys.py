"""Which keys are set, by their names, and where they are kept. Their values are nobody's business."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from code_assistant.config.credentials import Credentials
from code_assistant.config.key_store import KeyStore, keyring_name
from code_assistant.config.key_variables import API_KEY_VARIABLE
from code_assistant.doctor.finding import Finding, note, ok, problem
from code_assistant.errors import AssistantError


def check_keys(
    environ: Mapping[str, str], config_folder: Path, further: Iterable[str]
) -> tuple[tuple[Finding, ...], Credentials | None]:
    """Also gives the keys, None where they cannot be had. `further` are variables of providers in models files."""
    try:
        kept = KeyStore(config_folder).places()
        credentials = Credentials.from_environ(environ, further)
    except AssistantError as error:
        return (problem("keys", error.person),), None
    lost = [name for name in kept if name not in credentials.values]
    notes = tuple(
        note("keys", f"{name} was kept in the keyring, which does not give it. Set it anew.") for name in lost
    )
    if not credentials.values:
        words = (
            f"none is set. Set {API_KEY_VARIABLE} or the variable of another service, or use a model of this machine."
        )
        return (*notes, note("keys", words)), credentials
    found = (f"{name} ({_place(name, environ, kept)})" for name in credentials.values)
    return (ok("keys", ", ".join(found)), *notes), credentials


def check_keyring() -> Finding:
    name = keyring_name()
    if name is None:
        return ok("keyring", "there is none: keys that you have kept go to a file that only you can read")
    return ok("keyring", name)


def _place(name: str, environ: Mapping[str, str], kept: Mapping[str, str]) -> str:
    return "environment" if environ.get(name, "").strip() else kept[name]
