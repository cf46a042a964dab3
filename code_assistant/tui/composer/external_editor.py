"""Writing in the person's own editor: a private file goes out and comes back."""

from __future__ import annotations

import asyncio
import shlex
import shutil
import signal
import tempfile
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from code_assistant.errors import AssistantError, UsageError
from code_assistant.secrets import Masker
from code_assistant.tui.trusted_programs import find_program

FALLBACKS = ("vi", "nano")


def editor_command(environ: Mapping[str, str], untrusted: Sequence[Path] = ()) -> list[str]:
    """The editor and its arguments; raises UsageError where there is none."""
    for name in ("VISUAL", "EDITOR"):
        value = environ.get(name, "").strip()
        if value:
            try:
                return _found_first(shlex.split(value), environ, untrusted)
            except ValueError as error:
                raise UsageError(f"{name} cannot be understood: {error}.") from error
    for program in FALLBACKS:
        if found := find_program(program, environ, untrusted):
            return [found]
    raise UsageError("There is no editor. Set EDITOR to the one you use.")


def _found_first(command: list[str], environ: Mapping[str, str], untrusted: Sequence[Path]) -> list[str]:
    """The person's choice stands, but another of that name in the workspace is not what was chosen."""
    program, *arguments = command
    found = None if "/" in program else find_program(program, environ, untrusted)
    return [found or program, *arguments]


def editor_environment(environ: Mapping[str, str], key_variables: Collection[str], masker: Masker) -> dict[str, str]:
    """All that the person's programs have, but for keys, under whatever name."""
    return {name: value for name, value in environ.items() if name not in key_variables and masker.mask(value) == value}


async def edited(text: str, command: list[str], environ: Mapping[str, str] | None = None) -> str:
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
            process = await asyncio.create_subprocess_exec(*command, str(file), env=environ)
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
