"""The folders that the person trusts, kept outside of them: by the real root, with what acts in each of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from code_assistant.config.private_json import PrivateJson
from code_assistant.config.trusted_parts import Fingerprint, fingerprint
from code_assistant.errors import AssistantError, UsageError, WorkspaceError

TRUST_FILE = "trust.json"
DAMAGED = "{0} is damaged, so no folder counts as trusted. What you trust from now on is kept in a new one."
CHANGED = "Changed since you trusted this folder: {0}."
UNREADABLE = "Which folders you trust cannot be told, so none is: {0}"


@dataclass(frozen=True, slots=True)
class Standing:
    """Whether a folder is trusted. `changed` are names of what is not as it was when the person said so.

    `notices` are for the person; `problems` say what keeps it from being trusted.
    """

    is_trusted: bool = False
    changed: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why a folder that may have been trusted is not."""
        changed = (CHANGED.format(", ".join(self.changed)),) if self.changed else ()
        return (*self.notices, *changed, *self.problems)


class TrustStore:
    """By exact path: a folder never speaks for another one above, below or inside of it."""

    def __init__(self, state_folder: Path) -> None:
        self._kept = PrivateJson(state_folder / TRUST_FILE)

    def standing(self, root: Path) -> Standing:
        """Of a folder that is not kept here nothing is read."""
        try:
            kept = self._folders().get(str(root))
        except UsageError:
            return Standing(notices=(DAMAGED.format(self._kept.file),))
        except AssistantError as error:
            return Standing(notices=(UNREADABLE.format(error.person),))
        if kept is None:
            return Standing()
        now = fingerprint(root)
        changed = now.changes(kept)
        return Standing(not changed and not now.problems, changed, now.problems)

    def keep(self, root: Path, found: Fingerprint) -> None:
        """Trust a folder from now on, as it was found."""
        if found.problems:
            raise WorkspaceError(" ".join(found.problems))
        with self._kept.alone():
            try:
                folders = self._folders()
            except UsageError:
                folders = {}
            self._kept.write({"version": 1, "folders": {**folders, str(root): dict(found.digests)}})

    def remove(self, root: Path) -> bool:
        """Trust it no longer; False where it was not."""
        with self._kept.alone():
            folders = dict(self._folders())
            was_there = folders.pop(str(root), None) is not None
            if was_there:
                self._kept.write({"version": 1, "folders": folders})
        return was_there

    def roots(self) -> tuple[str, ...]:
        return tuple(sorted(self._folders()))

    def _folders(self) -> Mapping[str, Mapping[str, str]]:
        return self._kept.read(_is_whole).get("folders", {})


def _is_whole(document: dict[str, Any]) -> bool:
    folders = document.get("folders")
    return isinstance(folders, dict) and all(map(_are_digests, cast("dict[str, Any]", folders).values()))


def _are_digests(found: object) -> bool:
    return isinstance(found, dict) and all(
        isinstance(value, str) for value in cast("dict[object, object]", found).values()
    )
