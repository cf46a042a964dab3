"""What all tests share: the scripted model server."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.fakes.server import ScriptedServer

# The same examples in every run, so that a failure is one of the change; `make soak` looks for new ones.
settings.register_profile("seeded", derandomize=True, deadline=None, max_examples=50)
settings.register_profile("random", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "seeded"))

# Nothing of a test belongs into somebody's keyring.
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"


def pytest_collection_finish() -> None:
    # All modules are loaded now, and stay: no need to look through them again with every collection of garbage.
    gc.freeze()


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """A fresh scripted server; a test that wants its requests refused looks at `problems` itself."""
    with ScriptedServer() as running:
        yield running
