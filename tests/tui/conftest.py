"""What all tests of the screen share."""

from __future__ import annotations

import pytest

from tests.tui.settling import settle_pilots

# The composer reads files in tasks and threads of its own between two keys, which only a pause gives their turn.
UNSETTLED = "composer"


@pytest.fixture(autouse=True)
def settled_pilots(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if UNSETTLED not in request.path.parts:
        settle_pilots(monkeypatch)
