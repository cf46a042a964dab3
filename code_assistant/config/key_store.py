"""Keys that the person had us keep: in the system's keyring where there is one, else in a file that only they can read.

The file names every kept key; the value of one that is in the keyring is null there.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from pathlib import Path
from typing import Any

from code_assistant.config.private_json import PrivateJson
from code_assistant.protected_names import KEYS_FILE

logger = logging.getLogger(__name__)

SERVICE = "code-assistant"
KEYRING = "the system's keyring"


class KeyStore:
    """By the names of the variables that would hold them."""

    def __init__(self, folder: Path) -> None:
        self._kept = PrivateJson(folder / KEYS_FILE)

    def read(self, known: Collection[str] = ()) -> dict[str, str]:
        """All kept keys but those that are known already. Raises UsageError where the file is none of ours."""
        kept: dict[str, str] = {}
        wanted = {variable: value for variable, value in self._entries().items() if variable not in known}
        for variable, value in wanted.items():
            found = value if value is not None else _from_keyring(variable)
            if found:
                kept[variable] = found
        return kept

    def places(self) -> dict[str, str]:
        """Where each kept key is, in words for the person."""
        return {name: KEYRING if value is None else str(self._kept.file) for name, value in self._entries().items()}

    def keep(self, variable: str, key: str) -> str:
        """Keep a key; gives where it is, in words for the person."""
        in_keyring = _into_keyring(variable, key)
        with self._kept.alone():
            entries = self._entries()
            entries[variable] = None if in_keyring else key
            self._kept.write(entries)
        return KEYRING if in_keyring else str(self._kept.file)

    def _entries(self) -> dict[str, str | None]:
        return self._kept.read(_are_keys, "Remove it and enter your keys again.")


def _are_keys(document: dict[str, Any]) -> bool:
    return all(value is None or isinstance(value, str) for value in document.values())


def keyring_name() -> str | None:
    """What the system's keyring is called; None where there is none."""
    keyring = _keyring()
    return str(keyring.get_keyring().name) if keyring is not None else None


def _keyring() -> Any | None:
    """The keyring package, where it is installed and has somewhere to keep things."""
    try:
        import keyring
        from keyring.backends import fail, null
    except ImportError:
        return None
    backend = keyring.get_keyring()
    return None if isinstance(backend, fail.Keyring | null.Keyring) else keyring


def _from_keyring(variable: str) -> str:
    keyring = _keyring()
    if keyring is None:
        logger.warning("%s is in a keyring that is not to be had now", variable)
        return ""
    try:
        return keyring.get_password(SERVICE, variable) or ""
    except Exception as error:  # noqa: BLE001 - what stands behind it raises what it likes
        logger.warning("the keyring does not give %s: %s", variable, error)
        return ""


def _into_keyring(variable: str, key: str) -> bool:
    keyring = _keyring()
    if keyring is None:
        return False
    try:
        keyring.set_password(SERVICE, variable, key)
    except Exception as error:  # noqa: BLE001
        logger.warning("the keyring does not take %s: %s", variable, error)
        return False
    return True
