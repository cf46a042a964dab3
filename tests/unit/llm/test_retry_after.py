"""Retry-after in all the forms that services use."""

from __future__ import annotations

from code_assistant.llm.retry_after import retry_after
from tests.rows import each_row

NOW = 1_794_916_800.0  # Tue, 17 Nov 2026 12:00:00 GMT


@each_row(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7),
        ({"retry-after": " 7.5 "}, 7.5),
        ({"retry-after": "-3"}, 0),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9),
        ({"retry-after": "Tue, 17 Nov 2026 12:00:30 GMT"}, 30),
        ({"retry-after": "Tue, 17 Nov 2026 11:00:00 GMT"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "Tue, 99 Nov 2026 12:00:30 GMT"}, None),
    ],
)
def test_how_long_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, lambda: NOW) == seconds
