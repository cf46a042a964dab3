"""The program itself, and the programs that it runs."""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from code_assistant import __version__
from code_assistant.doctor.finding import Finding, note, ok
from code_assistant.workspace.ripgrep import find_ripgrep


def check_program() -> Finding:
    python = ".".join(map(str, sys.version_info[:3]))
    return ok("program", f"code-assistant {__version__}, Python {python}, {platform.system()} {platform.machine()}")


def check_git(environ: Mapping[str, str]) -> Finding:
    found = shutil.which("git", path=environ.get("PATH", ""))
    if found is None:
        return note("git", "not found: agents cannot look at changes or at the history. Install git.")
    return ok("git", found)


def check_ripgrep(folder: Path) -> Finding:
    found = find_ripgrep((folder,))
    if found is None:
        return note("ripgrep", "not found: searching works on its own, only slower. Install ripgrep (rg).")
    return ok("ripgrep", str(found))
