"""Which version of which file an agent has seen, so that nothing is overwritten that it does not know."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class FileVersion:
    """The content of a file at one moment, by its digest: a file that was only touched is still the same."""

    digest: bytes

    @classmethod
    def of(cls, data: bytes) -> FileVersion:
        from hashlib import sha256

        return cls(sha256(data).digest())


# No content has this digest.
_NO_VERSION = FileVersion(b"")


class FileLedger:
    """One per agent: what one agent has read says nothing about what another one knows."""

    def __init__(self) -> None:
        self._seen: dict[Path, FileVersion] = {}
        self._whole: set[Path] = set()
        self._matched: set[Path] = set()

    def note(self, path: Path, version: FileVersion, *, is_whole: bool = True) -> None:
        """The agent has read or written this version of a resolved path, all of it or a part."""
        if is_whole:
            self._whole.add(path)
        elif self._seen.get(path) != version:
            self._whole.discard(path)
        self._seen[path] = version

    def note_match(self, path: Path) -> None:
        """A search has shown the agent that lines of this resolved path match; that is not to have read it."""
        self._matched.add(path)

    def has_met(self, path: Path) -> bool:
        """Whether the agent has read, matched or written a resolved path, so that it may speak of what is there."""
        return path in self._seen or path in self._matched

    def knows_all(self, path: Path) -> bool:
        """Whether it has seen the whole of the version that it saw last."""
        return path in self._whole

    def outdate(self, path: Path) -> None:
        """The file was changed behind the agent's back, so that it has to read it before it changes it."""
        self._seen[path] = _NO_VERSION
        self._whole.discard(path)

    def forget(self, path: Path) -> None:
        self._seen.pop(path, None)
        self._whole.discard(path)
        self._matched.discard(path)

    def seen(self, path: Path) -> FileVersion | None:
        """The version the agent saw last; None when it has not read the file."""
        return self._seen.get(path)
