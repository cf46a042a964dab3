"""A table walked by one test: as `parametrize`, for functions so cheap that an item of pytest costs more than they do.

All rows are walked, and those that do not hold are told together, each by name. A row has no fixtures of its own, so
this is for tests without any.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from _pytest.mark.structures import ParameterSet

Test = Callable[..., None]


def each_row(
    names: str | Sequence[str], table: Iterable[Any], *, ids: Callable[[Any], object] | None = None
) -> Callable[[Test], Test]:
    """Several of them make a product, the one next to the function innermost."""
    arguments = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    walked = list(table)
    assert walked, "a table without rows proves nothing"

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def walk(**others: Any) -> None:
            failures: list[Exception] = []
            for row in walked:
                values, name = _row(row, len(arguments), ids)
                try:
                    test(**dict(zip(arguments, values, strict=True)), **others)
                except Exception as error:  # noqa: BLE001 (all of them are told below)
                    error.add_note(f"row: {name}")
                    failures.append(error)
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {len(walked)} rows do not hold", failures)

        signature = inspect.signature(test)
        left = [each for name, each in signature.parameters.items() if name not in arguments]
        walk.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return walk

    return decorate


def _row(row: Any, count: int, ids: Callable[[Any], object] | None) -> tuple[Sequence[Any], object]:
    name: object = ids(row) if ids is not None else repr(row)
    if isinstance(row, ParameterSet):
        assert not row.marks, "a row cannot be marked by itself"
        return row.values, row.id or name
    return ((row,) if count == 1 else row), name
