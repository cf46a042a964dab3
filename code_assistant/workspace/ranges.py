"""Line ranges written behind a path: `a.py:10`, `a.py:10-20`, `a.py:10-`, `a.py#L10-L20`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from code_assistant.errors import WorkspaceError

SUFFIX = re.compile(r"(?P<path>.+?)(?::|#L)(?P<first>\d{1,9})(?P<dash>-L?(?P<last>\d{1,9})?)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class LineRange:
    """Lines counted from 1, both ends included; no last line means to the end."""

    first: int = 1
    last: int | None = None

    def __str__(self) -> str:
        if self.last == self.first:
            return str(self.first)
        return f"{self.first}-{self.last or ''}"


WHOLE_FILE = LineRange()


def split_range(text: str) -> tuple[str, LineRange] | None:
    """The path and the range behind it, or None where the text has no range; raises for an impossible one."""
    found = SUFFIX.fullmatch(text)
    if found is None:
        return None
    first = int(found["first"])
    last = int(found["last"]) if found["last"] else None if found["dash"] else first
    if first < 1:
        raise WorkspaceError(f"{text}: lines are counted from 1.")
    if last is not None and last < first:
        raise WorkspaceError(f"{text}: the last line is before the first.")
    return found["path"], LineRange(first, last)
