"""Which of the files below a folder a program changes, where that is told by their names."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass
from pathlib import Path, PurePath

# What find understands by these is more than Python does: any one character, then.
_ANY_CHARACTER = re.compile(r"\\.|\[[!^]?\]?(?:\[[:.=][^\]]*[:.=]\]|[^\]])*\]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class NameFilter:
    """`names` are for a name alone, `paths` for a path as find writes it, which begins with one of `starts`.

    With `takes_below` a folder that is meant goes with all that lies in it.
    """

    names: tuple[re.Pattern[str], ...] = ()
    paths: tuple[re.Pattern[str], ...] = ()
    starts: tuple[str, ...] = (".",)
    takes_below: bool = True

    def means(self, path: Path, folder: Path) -> bool:
        """Whether a path below a folder is meant."""
        parts = path.relative_to(folder).parts
        first = 0 if self.takes_below else len(parts)
        return any(self._means(folder, parts[:count]) for count in range(first, len(parts) + 1))

    def _means(self, folder: Path, parts: tuple[str, ...]) -> bool:
        is_dotted = all(not PurePath(start).name for start in self.starts)
        name = parts[-1] if parts else "." if is_dotted else folder.name
        if any(pattern.fullmatch(name) for pattern in self.names):
            return True
        written = ["/".join((start.rstrip("/"), *parts)) for start in self.starts]
        return any(pattern.fullmatch(text) for pattern in self.paths for text in written)


def shell_pattern(text: str, *, ignores_case: bool = False) -> re.Pattern[str]:
    """As find reads it, rather wider than narrower."""
    wide = _ANY_CHARACTER.sub("?", text)
    return re.compile(fnmatch.translate(wide), re.IGNORECASE if ignores_case else 0)
