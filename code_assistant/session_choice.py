"""Which session the program goes on with, from what the command line says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from code_assistant.cli import LATEST_SESSION
from code_assistant.config.paths import state_folder
from code_assistant.secrets import Masker
from code_assistant.session.store import SessionStore


def session_store(environ: Mapping[str, str], masker: Masker) -> SessionStore:
    return SessionStore(state_folder(environ) / "sessions", masker)


def wanted_session(store: SessionStore, wanted: str | None, folder: Path, *, is_fork: bool) -> str | None:
    """The id of the session to go on with, None for a new one; raises SessionNotFound. Blocks."""
    if wanted is None:
        return None
    found = store.latest(folder) if wanted == LATEST_SESSION else store.find(wanted)
    return store.fork(found) if is_fork else found
