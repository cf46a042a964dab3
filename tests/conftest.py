"""What all tests share: the scripted model server."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.fakes.server import ScriptedServer

# Nothing of a test belongs into somebody's keyring.
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """A fresh scripted server; a test that wants its requests refused looks at `problems` itself."""
    with ScriptedServer() as running:
        yield running
