"""A tree full of links, and paths into it and out of it: where each leads by the kernel's own account."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, TypeAlias

Where: TypeAlias = Literal["in", "out", "no path"]

LONG_NAME = "n" * 255
SECRET = "the secret outside"
INSIDE = "harmless inside"

FILES = (
    *("a.txt", "sub/b.txt", "sub/deeper/c.txt", "with space.txt", "new\nline.txt", "-dash.txt", "~/mine.txt"),
    *("$HOME/x.txt", "*.txt", "a:1", "..hidden", "...", "a..b", " lead", "trail ", "back\\slash", "%2e%2e/x.txt"),
    *("\u00fc.txt", "u\u0308.txt", "\u202egnp.txt", "zero\u200bwidth", "bad\udcff", "tab\there", "'q'", '"dq"', "`x`"),
    *("UPPER.TXT", LONG_NAME, "file:a", "http:/x", "a.txt#L1", "esc\x1b[0m"),
)
LINKS = {
    "in-file": "a.txt",
    "in-dir": "sub",
    "in-deeper": "sub/deeper",
    "in-absolute": "{ws}/sub",
    "chain-1": "chain-2",
    "chain-2": "./sub/../chain-3",
    "chain-3": "a.txt",
    "to-itself-and-back": "../ws/a.txt",
    "through-outside": "../outside/to-ws",
    "sub/up": "..",
    "sub/up-twice": "../..",
    "out-file": "../outside/secret.txt",
    "out-dir": "../outside",
    "out-absolute": "{outside}",
    "out-chain-1": "out-chain-2",
    "out-chain-2": "sub/../out-dir",
    "parent": "..",
    "root": "/",
    "loop-a": "loop-b",
    "loop-b": "loop-a",
    "itself": "itself",
    "dangling-in": "missing.txt",
    "dangling-out": "../outside/missing.txt",
    "dangling-far": "/nonexistent/x",
    "evil-twin": "../ws-evil",
    "to-proc-root": "/proc/self/root",
    "to-proc-cwd": "/proc/self/cwd",
    "to-null": "/dev/null",
    "to-home": "{home}",
}

# Paths as they are written, and where they lead. {ws}, {outside} and {home} are absolute; the home lies outside.
CASES: dict[str, Where] = {
    # Plainly inside.
    **{name: "in" for name in FILES if not name.startswith("~")},
    ".": "in",
    "./": "in",
    "./a.txt": "in",
    ".//a.txt": "in",
    "././././a.txt": "in",
    "sub": "in",
    "sub/": "in",
    "sub//b.txt": "in",
    "sub/./b.txt": "in",
    "sub/../a.txt": "in",
    "sub/../sub/../a.txt": "in",
    "a.txt/": "in",
    "a.txt/.": "in",
    "a.txt/../a.txt": "in",
    "missing.txt": "in",
    "missing/../a.txt": "in",
    "missing/deep/er.txt": "in",
    "./~/mine.txt": "in",
    "~root/x": "in",
    "~nobody-here": "in",
    "SUB/b.txt": "in",
    "upper.txt": "in",
    "n" * 256: "in",
    "d/" * 200 + "x": "in",
    "../ws/a.txt": "in",
    "../ws": "in",
    "../ws/sub/../../ws/a.txt": "in",
    "../outside/../ws/a.txt": "in",
    "{ws}": "in",
    "{ws}/": "in",
    "{ws}/a.txt": "in",
    "//{ws}/a.txt": "in",
    "///{ws}//a.txt": "in",
    "{ws}/../ws/a.txt": "in",
    "{outside}/../ws/a.txt": "in",
    "/proc/self/root{ws}/a.txt": "in",
    "/proc/thread-self/root{ws}/sub": "in",
    "/../../..{ws}/a.txt": "in",
    # Through links that stay inside, or come back.
    "in-file": "in",
    "in-dir": "in",
    "in-dir/b.txt": "in",
    "in-dir/": "in",
    "in-dir/../a.txt": "in",
    "in-deeper/../b.txt": "in",
    "in-absolute/b.txt": "in",
    "chain-1": "in",
    "chain-1/": "in",
    "to-itself-and-back": "in",
    "through-outside": "in",
    "sub/up/a.txt": "in",
    "sub/up/sub/up/sub/b.txt": "in",
    "sub/up-twice/ws/a.txt": "in",
    "out-dir/../ws/a.txt": "in",
    "parent/ws/a.txt": "in",
    "root/{ws}/a.txt": "in",
    "to-proc-root/{ws}/a.txt": "in",
    "dangling-in": "in",
    "loop-a": "in",
    "loop-a/x": "in",
    "itself": "in",
    "hard.txt": "in",
    # Outside, plainly.
    "..": "out",
    "../": "out",
    "../..": "out",
    "/": "out",
    "//": "out",
    "../outside/secret.txt": "out",
    "../outside": "out",
    "./../outside/secret.txt": "out",
    "sub/../../outside/secret.txt": "out",
    "missing/../../outside/secret.txt": "out",
    "a.txt/../../outside/secret.txt": "out",
    "{outside}": "out",
    "{outside}/secret.txt": "out",
    "//{outside}/secret.txt": "out",
    "{ws}/../outside/secret.txt": "out",
    "{ws}-evil/secret.txt": "out",
    "{ws}-evil": "out",
    "../ws-evil/secret.txt": "out",
    "../ws.txt": "out",
    "../WS/a.txt": "out",
    "{ws}.": "out",
    "../outside/missing.txt": "out",
    "../outside/new/folder/x.txt": "out",
    "~": "out",
    "~/": "out",
    "~/secret.txt": "out",
    "~/../outside/secret.txt": "out",
    "/etc/passwd": "out",
    "/etc": "out",
    "/dev/null": "out",
    "/dev/zero": "out",
    "/dev/stdin": "out",
    "/dev/fd/0": "out",
    "/dev/tty": "out",
    "/proc/self/environ": "out",
    "/proc/self/mem": "out",
    "/proc/self/cwd": "out",
    "/proc/self/cwd/pyproject.toml": "out",
    "/proc/self/root/etc/passwd": "out",
    "/proc/self/root{outside}/secret.txt": "out",
    "/proc/self/status": "out",
    "/proc/self/fd/0": "out",
    "/sys/kernel": "out",
    "../outside/" + "n" * 300: "out",
    # Outside through links.
    "out-file": "out",
    "out-file/": "out",
    "out-dir": "out",
    "out-dir/": "out",
    "out-dir/.": "out",
    "out-dir/secret.txt": "out",
    "out-dir/../outside/secret.txt": "out",
    "out-dir/..": "out",
    "out-dir/missing.txt": "out",
    "out-dir/new/folder/x.txt": "out",
    "out-absolute/secret.txt": "out",
    "out-chain-1/secret.txt": "out",
    "parent": "out",
    "parent/outside/secret.txt": "out",
    "sub/up-twice": "out",
    "sub/up-twice/outside/secret.txt": "out",
    "sub/up/..": "out",
    "sub/up/../outside/secret.txt": "out",
    "in-deeper/../../../outside/secret.txt": "out",
    "root": "out",
    "root/{outside}/secret.txt": "out",
    "dangling-out": "out",
    "dangling-far": "out",
    "evil-twin": "out",
    "evil-twin/secret.txt": "out",
    "to-proc-root/etc/passwd": "out",
    "to-proc-cwd/pyproject.toml": "out",
    "to-null": "out",
    "to-home": "out",
    "to-home/secret.txt": "out",
    # No paths at all.
    "": "no path",
    "\0": "no path",
    "a.txt\0": "no path",
    "a\0/../../outside/secret.txt": "no path",
    "\ud800": "no path",
    "x/" * 3000: "no path",
}


def build(tmp: Path) -> dict[str, str]:
    """The tree below a folder; gives what the names in braces stand for."""
    places = {name: str(tmp / name) for name in ("ws", "outside", "home")}
    for folder in ("outside", "home", "ws-evil"):
        (tmp / folder).mkdir()
        (tmp / folder / "secret.txt").write_text(f"{SECRET}\n")
    (tmp / "ws.txt").write_text(f"{SECRET}\n")
    for name in FILES:
        path = tmp / "ws" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{INSIDE}\n")
    for name, target in LINKS.items():
        (tmp / "ws" / name).symlink_to(filled(target, places))
    (tmp / "outside" / "to-ws").symlink_to("../ws/a.txt")
    os.link(tmp / "ws" / "a.txt", tmp / "ws" / "hard.txt")
    return places


def filled(text: str, places: dict[str, str]) -> str:
    for name, path in places.items():
        text = text.replace(f"{{{name}}}", path)
    return text
