"""Writing in the person's own editor: a private file goes out and comes back."""

from __future__ import annotations

import asyncio
import shlex
import shutil
import signal
import tempfile
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from code_assistant.errors import AssistantError, UsageError

FALLBACKS = ("vi", "nano")


def editor_command(environ: Mapping[str, str], which: Callable[[str], str | None] = shutil.which) -> list[str]:
    """The editor and its arguments; raises UsageError where there is none."""
    for name in ("VISUAL", "EDITOR"):
        value = environ.get(name, "").strip()
        if value:
            try:
                return shlex.split(value)
            except ValueError as error:
                raise UsageError(f"{name} cannot be understood: {error}.") from error
    for program in FALLBACKS:
        if found := which(program):
            return [found]
    raise UsageError("There is no editor. Set EDITOR to the one you use.")


async def edited(text: str, command: list[str]) -> str:
    """The text as the editor leaves it; raises an AssistantError, and then nothing has changed.

    The terminal must be the editor's meanwhile. The loop goes on: agents work while somebody writes.
    """
    # A folder of its own: editors put copies beside the file they edit.
    folder = Path(tempfile.mkdtemp(prefix="code-assistant-"))
    try:
        file = folder / "message.md"
        file.touch(0o600)
        file.write_bytes(text.encode("utf-8", "surrogateescape"))
        with _interrupts_for_editor_only():
            process = await asyncio.create_subprocess_exec(*command, str(file))
            status = await process.wait()
        if status:
            raise AssistantError(f"{command[0]} ended with status {status}; the draft is as it was.")
        written = file.read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise AssistantError(f"{command[0]} cannot be used: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    # Editors end the last line, whether it was ended or not.
    return written if text.endswith("\n") else written.removesuffix("\n")


def _not_for_us(signal_number: int, frame: object) -> None:
    """A handler, since ignored signals stay ignored in the editor."""


@contextmanager
def _interrupts_for_editor_only() -> Generator[None]:
    """Ctrl+C goes to all programs of a terminal; ours must not end because somebody cancels something in an editor."""
    try:
        before: Any = signal.signal(signal.SIGINT, _not_for_us)
    except ValueError:
        # Not the main thread: then interrupts do not come here either.
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
