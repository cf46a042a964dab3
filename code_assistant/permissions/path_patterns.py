"""Path patterns of rules: as in .gitignore, anchored where they say so, a folder covering all below it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from code_assistant.errors import UsageError
from code_assistant.globs import entry_regex
from code_assistant.permissions.access import Place

FILE_SYSTEM = Path("/")


@dataclass(frozen=True, slots=True)
class Anchors:
    """What patterns count from: the workspace's root, all opened folders (the root among them), the person's home."""

    root: Path
    folders: tuple[Path, ...]
    home: Path


@dataclass(frozen=True, slots=True)
class PathPattern:
    """`bases` are the folders it counts from; without any it is for a name at any depth of the opened folders."""

    text: str
    regex: re.Pattern[str]
    is_for_name: bool
    bases: tuple[Path, ...]
    folders: tuple[Path, ...]

    def covers(self, place: Place, *, widely: bool) -> bool:
        """Whether a place is meant. A denial counts widely: under either of its names, and outside, too."""
        paths = (place.path, place.named) if widely else (place.path,)
        return any(self._matches(path, base) for path in paths for base in self._bases_for(path, widely))

    def _bases_for(self, path: Path, widely: bool) -> tuple[Path, ...]:
        if self.bases:
            return tuple(base for base in self.bases if path.is_relative_to(base))
        inside = tuple(folder for folder in self.folders if path.is_relative_to(folder))
        return inside or ((FILE_SYSTEM,) if widely else ())

    def _matches(self, path: Path, base: Path) -> bool:
        parts = path.relative_to(base).parts
        if self.is_for_name:
            return any(self.regex.match(f"{part}/") for part in parts)
        above = ("/".join(parts[: count + 1]) for count in range(len(parts)))
        return any(self.regex.match(f"{folder}/") for folder in above)


def path_pattern(text: str, anchors: Anchors) -> PathPattern:
    """Raises UsageError for what is no pattern."""
    bases, rest = _anchored(text, anchors)
    # A leading ! or # would say something else in an ignore file.
    entry = entry_regex(f"\\{rest}" if rest[:1] in ("!", "#") else rest)
    if entry is None or "\0" in text or ".." in rest.split("/"):
        raise UsageError(f"{text!r} is not a path pattern. Write it as in .gitignore, without `..`: src/** or *.md.")
    return PathPattern(
        text, re.compile(entry.regex, re.DOTALL), entry.is_for_name and not bases, bases, anchors.folders
    )


def _anchored(text: str, anchors: Anchors) -> tuple[tuple[Path, ...], str]:
    """The folders a pattern counts from, and the rest of it; no folders for a name at any depth."""
    if text.startswith("//"):
        return (FILE_SYSTEM,), f"/{text.lstrip('/')}"
    if text.startswith("~/"):
        home = (anchors.home, Path(os.path.realpath(anchors.home)))
        return tuple(dict.fromkeys(home)), f"/{text[2:].lstrip('/')}"
    relative = text.removeprefix("./")
    if relative != text or "/" in text.rstrip("/"):
        return (anchors.root,), f"/{relative.lstrip('/')}"
    return (), text
