"""Opening an address in the person's browser: by programs with windows only, which get nothing of our terminal."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Thread

from code_assistant.tui.trusted_programs import find_program, trusted_folders

# What programs with windows need to find the person's desktop; no key of a provider is among it.
PASSED = frozenset(
    {
        *("HOME", "USER", "LOGNAME", "LANG", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS"),
        *("XDG_RUNTIME_DIR", "XDG_CURRENT_DESKTOP", "XDG_SESSION_TYPE", "XDG_SESSION_DESKTOP", "DESKTOP_SESSION"),
        *("XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS", "WSL_DISTRO_NAME", "WSL_INTEROP"),
    }
)


def find_opener(environ: Mapping[str, str], platform: str, untrusted: Sequence[Path]) -> str | None:
    """The program that opens addresses, None where there are no windows; never one that the workspace brought along."""
    found = (find_program(name, environ, untrusted) for name in _names(environ, platform))
    return next((each for each in found if each is not None), None)


def open_address(
    program: str, address: str, environ: Mapping[str, str], untrusted: Sequence[Path], failed: Callable[[], None]
) -> None:
    """Returns at once; `failed` is called in a thread. A browser may run on for as long as it likes, without us."""
    passed = {name: value for name, value in environ.items() if name in PASSED}
    passed["PATH"] = os.pathsep.join(str(folder) for folder in trusted_folders(environ, untrusted))

    def run() -> None:
        try:
            status = subprocess.run(
                [program, address],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                cwd="/",
                env=passed,
                check=False,
            ).returncode
        except OSError:
            status = 1
        if status:
            failed()

    Thread(target=run, name="link", daemon=True).start()


def _names(environ: Mapping[str, str], platform: str) -> tuple[str, ...]:
    if platform == "darwin":
        return ("open",)
    in_windows = ("wslview",) if environ.get("WSL_DISTRO_NAME") else ()
    # Without a display it would look for a browser that wants a terminal.
    has_display = bool(environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY"))
    return (*in_windows, *(("xdg-open",) if has_display else ()))
