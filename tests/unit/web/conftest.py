"""The small internet for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.unit.web.internet import Internet, internet


@pytest.fixture
async def net() -> AsyncIterator[Internet]:
    async with internet() as running:
        yield running
