"""Whether the person trusts the folder of this run: what is known of it at the start, and what they answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeAlias

from code_assistant.config.paths import state_folder
from code_assistant.config.project_files import ProjectFiles, find_project_root
from code_assistant.config.trust_store import Standing, TrustStore
from code_assistant.config.trusted_parts import Fingerprint, Parts, fingerprint, present_parts
from code_assistant.errors import AssistantError, WorkspaceError

# Kept, for this run only, or not at all.
TrustAnswer: TypeAlias = Literal["keep", "once", "without"]
TrustState: TypeAlias = Literal["trusted", "declined", "unknown"]
NOT_KEPT = "This folder is trusted in this run only: {0}"
CHANGED_MEANWHILE = "Changed since you looked at it: {0}. Look again."


class FolderTrust:
    """`is_given` is whether the command line says so, for this run only: then nothing is stored or compared."""

    def __init__(self, folder: Path, environ: Mapping[str, str], *, is_given: bool = False) -> None:
        self.root = find_project_root(folder)
        self.project = ProjectFiles(self.root, lambda _: self.is_trusted)
        self._folder = folder.resolve()
        self._store = TrustStore(state_folder(environ))
        self._is_given = is_given
        self._answer: TrustState | None = "trusted" if is_given else None
        self._seen: Fingerprint | None = None
        self._listed: Parts | None = None
        self._agreed: Fingerprint | None = None

    @cached_property
    def standing(self) -> Standing:
        """What the store said when somebody last looked."""
        return self._store.standing(self.root)

    def look_again(self) -> None:
        """What is there may have changed since."""
        self.__dict__.pop("standing", None)

    @property
    def state(self) -> TrustState:
        if self._answer is not None:
            return self._answer
        return "trusted" if self.standing.is_trusted else "unknown"

    @property
    def is_trusted(self) -> bool:
        return self.state == "trusted"

    def parts(self) -> Parts:
        """What would become active, by kind and name; nothing is opened for it. From then on none may come unseen."""
        self._listed = present_parts(self.root, self._folder)
        return self._listed

    def contents(self, is_rule: Callable[[str], bool]) -> Parts:
        """What stands in that, for the person who asks to see it; from then on it may not change unseen.

        `is_rule` tells whether a text is a permission rule that can be understood.
        """
        from code_assistant.config.trust_contents import contents_of

        self._seen = fingerprint(self.root)
        return contents_of(self.root, self.parts(), is_rule)

    def decide(self, answer: TrustAnswer) -> str:
        """Gives what is to be said of it: what cannot be kept is trusted in this run only.

        Raises WorkspaceError where it cannot be trusted at all.
        """
        if answer == "without":
            self._answer = "declined"
            return ""
        now = fingerprint(self.root)
        if now.problems:
            raise WorkspaceError(f"This folder cannot be trusted: {' '.join(now.problems)}")
        changed = now.changes(self._seen.digests) if self._seen is not None else ()
        if self._listed is not None:
            listed = _names(self._listed)
            changed += tuple(name for name in _names(self.parts()) if name not in listed)
        if changed:
            raise WorkspaceError(CHANGED_MEANWHILE.format(", ".join(dict.fromkeys(changed))))
        self._answer, self._agreed = "trusted", now
        if answer == "keep":
            try:
                self._store.keep(self.root, now)
            except AssistantError as error:
                return NOT_KEPT.format(error.person)
        return ""

    def look_for_changes(self) -> tuple[str, ...]:
        """The names of what acts here and is not as it was when the person trusted it: then it is trusted no longer.

        What the command line trusts it trusts for the whole run.
        """
        if not self.is_trusted or self._is_given:
            return ()
        if self._agreed is None:
            # The store has just compared it.
            self._agreed = fingerprint(self.root)
            return ()
        now = fingerprint(self.root)
        changed = now.changes(self._agreed.digests) or now.problems
        if changed:
            self._answer = "declined"
        return changed


def _names(parts: Parts) -> tuple[str, ...]:
    return tuple(name for _, names in parts for name in names)
