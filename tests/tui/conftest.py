"""What all tests of the screen share."""

from __future__ import annotations

import pytest

from tests.tui.settling import settle_pilots


@pytest.fixture(autouse=True)
def settled_pilots(monkeypatch: pytest.MonkeyPatch) -> None:
    settle_pilots(monkeypatch)
