"""A folder that the person has trusted before, as most tests and measurements have it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from code_assistant.config.folder_trust import FolderTrust
from code_assistant.errors import AssistantError


def trust_folder(folder: Path, environ: Mapping[str, str]) -> None:
    """Where that is impossible it stays as it is: what is said then is what the test is about."""
    with suppress(AssistantError, OSError):
        FolderTrust(folder, environ).decide("keep")
