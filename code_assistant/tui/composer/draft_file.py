"""The unsent draft on disk, so that it survives a crash: a private file, replaced as a whole."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from code_assistant.errors import WorkspaceError
from code_assistant.messages import Image
from code_assistant.private_files import make_private_folder, private_descriptor
from code_assistant.tui.composer.draft import Draft, reattached
from code_assistant.tui.composer.input_history import draft_of

SAVE_SECONDS = 0.5
# A long draft takes longer to write: it is written less often.
CHARACTERS_PER_SECOND = 1_000_000
MAXIMUM_BYTES = 64 << 20


def write_draft(path: Path, draft: Draft) -> None:
    """Replace the file; raises WorkspaceError. Of images only the paths are written."""
    data: dict[str, Any] = {"text": draft.text, "folds": draft.folds}
    data["images"] = [[*each.span, each.path] for each in draft.attached]
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    make_private_folder(path.parent)
    try:
        fresh.unlink(missing_ok=True)
        descriptor = private_descriptor(fresh)
        with os.fdopen(descriptor, "wb") as file:
            file.write(json.dumps(data).encode())
        fresh.replace(path)
    except OSError as error:
        raise WorkspaceError(f"The draft cannot be kept in {path}: {error.strerror or error}.") from error


def read_draft(path: Path, read_image: Callable[[str], Image | None]) -> Draft | None:
    """What was kept, or None. An image that is not there any more stays behind as its label."""
    try:
        if path.stat().st_size > MAXIMUM_BYTES:
            return None
        draft = draft_of(json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError):
        return None
    return reattached(draft, read_image)[0]


class DraftKeeper:
    """Writes the draft a while after it changed, in a thread, the last state only. Nothing ticks in between."""

    def __init__(self, path: Path | None, current: Callable[[], Draft], complain: Callable[[str], None]) -> None:
        self._path = path
        self._current = current
        self._complain = complain
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._lock = threading.Lock()
        # What is on disk must never be older than what was written before: each writing has a number.
        self._wanted = 0
        self._written = 0
        self._latest = Draft("")
        self._has_complained = False

    def changed(self, characters: int) -> None:
        """Called for each change; costs nothing while a writing is due."""
        if self._path is not None and self._timer is None:
            seconds = SAVE_SECONDS + characters / CHARACTERS_PER_SECOND
            self._timer = asyncio.get_running_loop().call_later(seconds, self._due)

    def removed(self) -> None:
        """The draft was sent: it goes now, and nothing older comes back."""
        if self._path is not None:
            self._stop_timer()
            self._start(Draft(""))

    def close(self) -> None:
        """Write what is not written yet, at once; for the end of the program, when no task runs to its end."""
        if self._timer is not None:
            self._stop_timer()
            self._latest = self._current()
            self._wanted += 1
        if self._written < self._wanted:
            self._write(self._wanted, self._latest)

    def _due(self) -> None:
        self._timer = None
        self._start(self._current())

    def _start(self, draft: Draft) -> None:
        self._latest = draft
        self._wanted += 1
        before = self._task
        self._task = asyncio.get_running_loop().create_task(self._write_in_thread(self._wanted, draft, before))

    async def _write_in_thread(self, number: int, draft: Draft, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await before
        await asyncio.to_thread(self._write, number, draft)

    def _write(self, number: int, draft: Draft) -> None:
        assert self._path is not None
        with self._lock:
            if number <= self._written:
                return
            self._written = number
            try:
                if draft.text:
                    write_draft(self._path, draft)
                else:
                    self._path.unlink(missing_ok=True)
            except (WorkspaceError, OSError) as error:
                if not self._has_complained:
                    self._has_complained = True
                    self._complain(str(error))

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
