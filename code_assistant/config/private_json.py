"""A small JSON file of ours: private, replaced in one step, and safe with several programs at once."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from code_assistant.config.text_files import read_user_file
from code_assistant.errors import UsageError, WorkspaceError
from code_assistant.private_files import make_private_folder, private_descriptor


class PrivateJson:
    def __init__(self, file: Path) -> None:
        self.file = file

    def read(self) -> Any:
        """What stands in it, None where there is no file. Raises UsageError where it is no JSON."""
        text = read_user_file(self.file)
        if text is None:
            return None
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{self.file} is damaged.") from error

    @contextmanager
    def alone(self) -> Generator[None]:
        """To read, change and write: two programs may do so at the same moment, and nothing may be lost."""
        make_private_folder(self.file.parent)
        descriptor = private_descriptor(self.file.with_name(f".{self.file.name}.lock"))
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def write(self, document: object) -> None:
        """In one step, private from the first byte."""
        folder = self.file.parent
        make_private_folder(folder)
        temporary = folder / f".{self.file.name}.{os.getpid()}"
        temporary.unlink(missing_ok=True)
        descriptor = private_descriptor(temporary)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(document, file, indent=2)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self.file)
        except OSError as error:
            raise WorkspaceError(f"{self.file} cannot be written: {error.strerror or error}.") from error
        finally:
            temporary.unlink(missing_ok=True)
