"""Keys that are kept: private from the first byte, in a keyring where there is one, and the environment wins."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import null
from keyring.errors import KeyringError

from code_assistant.config.credentials import Credentials, possible_secrets
from code_assistant.config.key_store import KeyStore
from code_assistant.config.key_variables import USUAL_VARIABLES, key_variables
from code_assistant.errors import UsageError, WorkspaceError

KEY = "sk-kept-0123456789"


class MemoryKeyring(KeyringBackend):
    """A real backend of the real package, that keeps things in memory."""

    priority = 1  # type: ignore[assignment]

    def __init__(self, *, is_locked: bool = False) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}
        self.is_locked = is_locked

    def get_password(self, service: str, username: str) -> str | None:
        if self.is_locked:
            raise KeyringError("locked")
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        if self.is_locked:
            raise KeyringError("locked")
        self.kept[service, username] = password


@pytest.fixture(autouse=True)
def no_keyring() -> Iterator[None]:
    before = keyring.get_keyring()
    keyring.set_keyring(null.Keyring())
    yield
    keyring.set_keyring(before)


def environ(home: Path) -> dict[str, str]:
    return {"HOME": str(home)}


def folder(home: Path) -> Path:
    return home / ".config" / "code-assistant"


def test_safe_k2_a_kept_key_is_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        where = KeyStore(folder(tmp_path)).keep("OPENAI_API_KEY", KEY)
    finally:
        os.umask(before)
    assert where == str(folder(tmp_path) / "keys.json")
    assert stat.S_IMODE(Path(where).stat().st_mode) == 0o600
    assert stat.S_IMODE(folder(tmp_path).stat().st_mode) == 0o700
    assert sorted(each.name for each in folder(tmp_path).iterdir()) == [".keys.json.lock", "keys.json"]
    assert {stat.S_IMODE(each.stat().st_mode) for each in folder(tmp_path).iterdir()} == {0o600}
    assert Credentials.from_environ(environ(tmp_path)).get("OPENAI_API_KEY") == KEY


def test_the_environment_wins(tmp_path: Path) -> None:
    KeyStore(folder(tmp_path)).keep("ANTHROPIC_API_KEY", KEY)
    found = Credentials.from_environ({**environ(tmp_path), "ANTHROPIC_API_KEY": "sk-of-today"})
    assert found.chosen == "sk-of-today"


def test_several_keys_are_kept_side_by_side(tmp_path: Path) -> None:
    store = KeyStore(folder(tmp_path))
    store.keep("ANTHROPIC_API_KEY", KEY)
    store.keep("OPENAI_API_KEY", "sk-other-0123")
    store.keep("ANTHROPIC_API_KEY", "sk-new-012345")
    assert store.read() == {"ANTHROPIC_API_KEY": "sk-new-012345", "OPENAI_API_KEY": "sk-other-0123"}


@pytest.mark.parametrize("text", ["", "[]", "nonsense", '{"A": 1}', "[" * 100_000])
def test_a_damaged_file_is_named(tmp_path: Path, text: str) -> None:
    folder(tmp_path).mkdir(parents=True)
    (folder(tmp_path) / "keys.json").write_text(text)
    with pytest.raises(UsageError, match=r"keys\.json is damaged"):
        Credentials.from_environ(environ(tmp_path))
    assert possible_secrets({**environ(tmp_path), "OPENAI_API_KEY": KEY}).count(KEY) == 1


def test_safe_k2_a_linked_folder_is_refused(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    folder(tmp_path).parent.mkdir()
    folder(tmp_path).symlink_to(elsewhere)
    with pytest.raises(WorkspaceError, match="symlink"):
        KeyStore(folder(tmp_path)).keep("OPENAI_API_KEY", KEY)
    assert list(elsewhere.iterdir()) == []


def test_a_keyring_is_preferred(tmp_path: Path) -> None:
    backend = MemoryKeyring()
    keyring.set_keyring(backend)
    assert KeyStore(folder(tmp_path)).keep("OPENAI_API_KEY", KEY) == "the system's keyring"
    assert json.loads((folder(tmp_path) / "keys.json").read_text()) == {"OPENAI_API_KEY": None}
    assert backend.kept == {("code-assistant", "OPENAI_API_KEY"): KEY}
    assert Credentials.from_environ(environ(tmp_path)).get("OPENAI_API_KEY") == KEY


def test_a_keyring_that_refuses_is_no_loss(tmp_path: Path) -> None:
    keyring.set_keyring(MemoryKeyring(is_locked=True))
    assert KeyStore(folder(tmp_path)).keep("OPENAI_API_KEY", KEY).endswith("keys.json")
    assert Credentials.from_environ(environ(tmp_path)).get("OPENAI_API_KEY") == KEY


def test_a_keyring_that_is_gone_means_no_key(tmp_path: Path) -> None:
    backend = MemoryKeyring()
    keyring.set_keyring(backend)
    KeyStore(folder(tmp_path)).keep("OPENAI_API_KEY", KEY)
    backend.is_locked = True
    assert Credentials.from_environ(environ(tmp_path)).get("OPENAI_API_KEY") is None


def test_variables_of_the_models_file_count(tmp_path: Path) -> None:
    folder(tmp_path).mkdir(parents=True)
    (folder(tmp_path) / "models.toml").write_text('[providers.x]\nkey_variable = "MY_KEY"\n[providers.y]\nkind = 5\n')
    assert key_variables(folder(tmp_path)) == (*USUAL_VARIABLES, "MY_KEY")
    found = Credentials.from_environ({**environ(tmp_path), "MY_KEY": KEY})
    assert KEY in found.secrets()


@pytest.mark.parametrize("text", ["not toml", "providers = 5", "[providers]\nx = 1", "[providers.x]\nkey_variable = 1"])
def test_a_models_file_with_faults_costs_no_masking(tmp_path: Path, text: str) -> None:
    folder(tmp_path).mkdir(parents=True)
    (folder(tmp_path) / "models.toml").write_text(text)
    assert key_variables(folder(tmp_path)) == USUAL_VARIABLES
