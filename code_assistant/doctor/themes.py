"""The themes, and whether the chosen one is among them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from code_assistant.doctor.finding import Finding, note, ok

TITLE = "themes"


@dataclass(frozen=True, slots=True)
class ThemesSeen:
    """The names of those that can be used, and what is wrong with others."""

    names: Collection[str]
    problems: tuple[str, ...]


def check_themes(seen: ThemesSeen, wanted: str | None) -> tuple[Finding, ...]:
    """One that is broken is left out by the screen, so that none of this is in the way. `wanted` is what is set."""
    notes = [note(TITLE, f"{words.rstrip('.')}.") for words in seen.problems]
    if wanted is not None and wanted not in seen.names:
        notes.append(note(TITLE, f"there is no theme {wanted!r} (screen.theme). Choose another with /theme."))
    return tuple(notes) or (ok(TITLE, f"{len(seen.names)} can be chosen"),)
