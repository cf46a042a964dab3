"""Places whose content no command has any business with: keys, tokens, and what this program keeps of its own."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

# Below the home folder.
SECRET_PLACES = (
    *(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".netrc", "_netrc", ".pgpass", ".my.cnf"),
    *(".git-credentials", ".config/git/credentials", ".config/gh", ".config/hub", ".config/glab-cli"),
    *(".config/gcloud", ".config/op", ".config/doctl", ".config/rclone", ".config/sops", ".config/github-copilot"),
    *(".config/containers/auth.json", ".composer/auth.json", ".s3cfg", ".boto", ".npmrc", ".yarnrc.yml", ".pypirc"),
    *(".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".1password", ".config/1Password"),
    *(".m2/settings.xml", ".gradle/gradle.properties", ".terraform.d/credentials.tfrc.json", ".vault-token"),
    *(".password-store", ".local/share/keyrings", ".local/share/kwalletd", ".mozilla", ".thunderbird"),
    *(".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".Xauthority", ".ICEauthority"),
    *(".anthropic", ".config/anthropic", ".claude/.credentials.json", ".claude.json", ".codex/auth.json"),
    *(".bash_history", ".zsh_history", ".python_history", ".psql_history", ".mysql_history"),
    *(".node_repl_history", ".local/share/fish/fish_history"),
)


def hidden_places(home: Path, own_folders: Iterable[Path], folders: Iterable[Path]) -> tuple[Path, ...]:
    """Those that are there, resolved; without one in which the person works."""
    opened = tuple(folders)
    wanted = (*(home / place for place in SECRET_PLACES), *own_folders)
    found = dict.fromkeys(Path(os.path.realpath(place)) for place in wanted if not _is_link_into(place, opened))
    return tuple(
        place
        for place in found
        if (place.is_dir() or place.is_file()) and not any(folder.is_relative_to(place) for folder in opened)
    )


def _is_link_into(place: Path, folders: tuple[Path, ...]) -> bool:
    """Whether it is a file of an opened folder under another name: covered, it would look changed there."""
    real = Path(os.path.realpath(place))
    return any(real.is_relative_to(folder) and not place.is_relative_to(folder) for folder in folders)
