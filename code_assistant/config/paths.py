"""Where our own files live: settings, state, themes. Follows the XDG base directory specification."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from code_assistant.errors import UsageError

PROGRAM_FOLDER = "code-assistant"
_PACKAGE = Path(__file__).resolve().parent.parent


def config_folder(environ: Mapping[str, str]) -> Path:
    """The folder of the person's own settings and AGENTS.md. It need not exist."""
    return _base_folder(environ, "XDG_CONFIG_HOME", ".config") / PROGRAM_FOLDER


def state_folder(environ: Mapping[str, str]) -> Path:
    """The folder of sessions and logs. It need not exist; make it with `make_private_folder`."""
    return _base_folder(environ, "XDG_STATE_HOME", ".local/state") / PROGRAM_FOLDER


def themes_folder(package: Path = _PACKAGE) -> Path:
    """The shipped themes: inside the installed package, or at the top of a source checkout."""
    installed = package / "themes"
    return installed if installed.is_dir() else package.parent / "themes"


def _base_folder(environ: Mapping[str, str], variable: str, below_home: str) -> Path:
    named = Path(environ.get(variable, ""))
    # The XDG specification says that relative values are invalid and must be ignored.
    return named if named.is_absolute() else home_folder(environ) / below_home


def home_folder(environ: Mapping[str, str]) -> Path:
    """The person's home; raises UsageError where it is unknown."""
    named = Path(environ.get("HOME", ""))
    if named.is_absolute():
        return named
    try:
        return Path.home()
    except RuntimeError as error:
        raise UsageError("Your home folder is unknown. Set HOME to an absolute path.") from error
