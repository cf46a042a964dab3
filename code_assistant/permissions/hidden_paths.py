"""Which files a rule hides from the tools that list and search."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from code_assistant.permissions.path_patterns import PathPattern


@dataclass(frozen=True, slots=True)
class HiddenPaths:
    """Says of a resolved path whether it may not be read. Data only: a search takes it along into its own process."""

    patterns: tuple[PathPattern, ...]

    def __call__(self, path: Path) -> bool:
        return any(pattern.covers_path(path) for pattern in self.patterns)

    def is_anchored(self, path: Path) -> bool:
        """The same by those that say where it is, rather than a name at any depth."""
        return any(pattern.bases and pattern.covers_path(path) for pattern in self.patterns)
