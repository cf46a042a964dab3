"""One lock for each path in this process, so that comparing and replacing a file is one step for all agents."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from weakref import WeakValueDictionary


class _PathLock:
    """Lives as long as somebody holds it or waits for it."""

    __slots__ = ("__weakref__", "lock")

    def __init__(self) -> None:
        self.lock = threading.Lock()


_guard = threading.Lock()
_locks: WeakValueDictionary[Path, _PathLock] = WeakValueDictionary()


@contextmanager
def locked(real: Path) -> Generator[None]:
    """Hold the lock of a resolved path; only for work that takes moments, in worker threads."""
    with _guard:
        path_lock = _locks.get(real)
        if path_lock is None:
            path_lock = _locks[real] = _PathLock()
    with path_lock.lock:
        yield
