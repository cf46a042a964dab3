"""Tests of the loop run over both protocols, except for those about what only one of them has."""

from __future__ import annotations

import pytest

from tests.agent import harness

OVER_BOTH_PROTOCOLS = frozenset(
    {"test_compaction", "test_loop", "test_retries", "test_returned_prompts", "test_session", "test_slow_streams"}
)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    module = metafunc.function.__module__.rpartition(".")[2]
    if module in OVER_BOTH_PROTOCOLS and not metafunc.definition.get_closest_marker("messages_only"):
        metafunc.parametrize("spoken_protocol", ["wire", "openai"], indirect=True)


@pytest.fixture(autouse=True)
def spoken_protocol(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "DEFAULT_TRANSPORT", getattr(request, "param", "wire"))
