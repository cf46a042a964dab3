"""Which files a rule hides from the tools that list and search."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from code_assistant.permissions.access import beginning_of
from code_assistant.permissions.path_patterns import PathPattern

NOTHING = r"(?!)"


@dataclass(frozen=True, slots=True)
class HiddenPaths:
    """Says of a resolved path whether it may not be read. Data only: a search takes it along into its own process."""

    patterns: tuple[PathPattern, ...]
    _any: re.Pattern[str] = field(init=False, repr=False, compare=False)
    _anchored: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_any", _joined(self.patterns))
        object.__setattr__(self, "_anchored", _joined(pattern for pattern in self.patterns if pattern.bases))

    def __call__(self, path: Path) -> bool:
        return self._any.match(beginning_of(path)) is not None

    def is_anchored(self, path: Path) -> bool:
        """The same by those that say where it is, rather than a name at any depth."""
        return self._anchored.match(beginning_of(path)) is not None


def _joined(patterns: Iterable[PathPattern]) -> re.Pattern[str]:
    """All in one: a path is much faster compared with them together."""
    return re.compile("|".join(pattern.wide.pattern for pattern in patterns) or NOTHING, re.DOTALL)
