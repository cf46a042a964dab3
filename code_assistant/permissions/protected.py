"""Places where a changed file makes programs run or rules change: asked about even where edits are accepted."""

from __future__ import annotations

from pathlib import Path

from code_assistant.permissions.access import Place

PROTECTED_NAMES = frozenset(
    {
        ".git",
        ".gitmodules",
        ".gitconfig",
        ".husky",
        ".code-assistant",
        ".claude",
        ".agents",
        ".mcp.json",
        ".vscode",
        ".idea",
        ".envrc",
        ".ssh",
        ".netrc",
        ".npmrc",
        ".bashrc",
        ".bash_profile",
        ".bash_login",
        ".bash_logout",
        ".profile",
        ".zshrc",
        ".zshenv",
        ".zprofile",
        ".zlogin",
    }
)


def protection_of(place: Place, own_folders: tuple[Path, ...] = ()) -> str | None:
    """The name that makes a place protected, None for an ordinary one. `own_folders` are the program's own."""
    for path in (place.path, place.named):
        for folder in own_folders:
            if path.is_relative_to(folder):
                return folder.name
        for part in _parts_below(path, place.folder):
            # Some file systems do not tell upper from lower case.
            if part.lower() in PROTECTED_NAMES:
                return part
    return None


def _parts_below(path: Path, folder: Path | None) -> tuple[str, ...]:
    if folder is not None and path.is_relative_to(folder):
        return path.relative_to(folder).parts
    return path.parts
