"""`code-assistant trust`: the folders that are trusted, without the screen."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from code_assistant.config.folder_trust import FolderTrust
from code_assistant.config.paths import state_folder
from code_assistant.config.project_files import find_project_root
from code_assistant.config.trust_store import TrustStore
from code_assistant.errors import UsageError
from code_assistant.exit_codes import ExitCode
from code_assistant.sanitize import sanitize_line

DESCRIPTION = "Trust a folder from now on: its settings, instructions and what else of it acts. Without PATH, this one."

NONE_TRUSTED = "No folder is trusted."


def run_trust(argv: Sequence[str], folder_of: Callable[[str], Path], environ: Mapping[str, str]) -> int:
    """`folder_of` gives the folder that a text names, or says what is wrong with it."""
    parser = argparse.ArgumentParser(prog="code-assistant trust", description=DESCRIPTION, allow_abbrev=False)
    parser.add_argument("path", metavar="PATH", nargs="?", default=".")
    parser.add_argument("--remove", action="store_true", help="trust it no longer")
    parser.add_argument("--list", action="store_true", dest="is_list", help="all folders that are trusted")
    parsed = parser.parse_args(argv)
    store = TrustStore(state_folder(environ))
    if parsed.is_list:
        _list(store.roots())
        return ExitCode.DONE
    if parsed.remove:
        # It may be gone by now; what is kept of it is not.
        named = Path(parsed.path).expanduser().resolve()
        root = find_project_root(named) if named.exists() else named
        was_trusted = store.remove(root)
        _say(f"{root} is {'trusted no longer' if was_trusted else 'not trusted, and was not'}.")
        return ExitCode.DONE
    trust = FolderTrust(folder_of(parsed.path), environ)
    parts = trust.parts()
    problem = trust.decide("keep")
    if problem:
        raise UsageError(problem)
    _say(f"{trust.root} is trusted.", *(f"  {kind}: {', '.join(names)}" for kind, names in parts))
    return ExitCode.DONE


def _list(roots: Sequence[str]) -> None:
    _say(*roots)
    if not roots:
        # Beside the list, so that who reads it by a program finds it empty.
        sys.stderr.write(f"{NONE_TRUSTED}\n")


def _say(*lines: str) -> None:
    sys.stdout.write("".join(f"{sanitize_line(line)}\n" for line in lines))
