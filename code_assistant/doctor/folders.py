"""Our own folders: whether they can be used, and whether only their owner can."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from tempfile import TemporaryFile

from code_assistant.doctor.finding import Finding, note, ok, problem
from code_assistant.protected_names import KEYS_FILE

FOR_OTHERS = 0o077
WRITABLE_FOR_OTHERS = 0o022


def check_state_folder(folder: Path) -> Finding:
    """Sessions, logs and what agents did: to be written, and for nobody else to read."""
    title = "state folder"
    try:
        found = folder.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return _missing(title, folder)
    except OSError as error:
        return problem(title, f"{folder} cannot be looked at: {error.strerror or error}. Check its permissions.")
    if objection := _objection(found):
        return problem(title, f"{folder} {objection}")
    try:
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        return problem(title, f"{folder} cannot be written: {error.strerror or error}. Check its permissions.")
    if found.st_mode & FOR_OTHERS:
        return note(title, f"others may look into {folder}. Run: chmod 700 {folder}")
    return ok(title, f"{folder}, private and writable")


def check_config_folder(folder: Path) -> tuple[Finding, ...]:
    """What is set there decides where keys are sent, so that nobody else may write it."""
    title = "config folder"
    try:
        found = folder.stat()
    except (FileNotFoundError, NotADirectoryError):
        return (ok(title, f"{folder} is not there, and need not be"),)
    except OSError as error:
        return (problem(title, f"{folder} cannot be looked at: {error.strerror or error}. Check its permissions."),)
    if found.st_mode & WRITABLE_FOR_OTHERS:
        first = problem(title, f"others may write in {folder}. Run: chmod go-w {folder}")
    else:
        first = ok(title, str(folder))
    return first, *_keys_file(folder / KEYS_FILE)


def _keys_file(file: Path) -> tuple[Finding, ...]:
    try:
        mode = file.stat().st_mode
    except OSError:
        # Whether it can be read is what the check of the keys says.
        return ()
    if mode & FOR_OTHERS:
        return (problem("kept keys", f"others may read {file}. Run: chmod 600 {file}"),)
    return (ok("kept keys", f"{file}, private"),)


def _missing(title: str, folder: Path) -> Finding:
    parent = next(each for each in folder.parents if each.exists())
    if parent.is_dir() and os.access(parent, os.W_OK | os.X_OK):
        return ok(title, f"{folder} is made when it is needed")
    return problem(title, f"{folder} cannot be made: {parent} may not be written or is no folder.")


def _objection(found: os.stat_result) -> str:
    if stat.S_ISLNK(found.st_mode):
        return "is a symlink and must be a folder of its own. Remove the symlink."
    if not stat.S_ISDIR(found.st_mode):
        return "is not a folder. Remove it."
    if found.st_uid != os.geteuid():
        return f"belongs to another user (id {found.st_uid}). Remove it or choose another place with XDG_STATE_HOME."
    return ""
