"""A small JSON file of ours: private, replaced in one step, and safe with several programs at once."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from code_assistant.config.text_files import read_user_file
from code_assistant.errors import UsageError, WorkspaceError
from code_assistant.private_files import make_private_folder, private_descriptor


class PrivateJson:
    def __init__(self, file: Path) -> None:
        self.file = file

    def read(self, is_whole: Callable[[dict[str, Any]], bool], advice: str = "") -> dict[str, Any]:
        """The object that stands in it, empty where there is no file. Raises UsageError, with advice, for a bad one.

        `is_whole` is whether everything of it that is ours has the right type.
        """
        text = read_user_file(self.file)
        try:
            document = json.loads(text) if text is not None else None
        except (ValueError, RecursionError) as error:
            raise self._damaged(advice) from error
        if document is None:
            return {}
        if not isinstance(document, dict) or not is_whole(cast("dict[str, Any]", document)):
            raise self._damaged(advice)
        return cast("dict[str, Any]", document)

    def _damaged(self, advice: str) -> UsageError:
        return UsageError(f"{self.file} is damaged. {advice}".rstrip())

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
