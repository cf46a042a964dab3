"""Run as a program: changes files in processes that are killed with SIGKILL, and says what was found afterwards.

It has one thread, so that it can fork: a child per kill costs next to nothing.
"""

from __future__ import annotations

import fcntl
import json
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from code_assistant.workspace import opening
from code_assistant.workspace.changes import ContentChange, apply_content, apply_removal, removal_of
from code_assistant.workspace.threads import StopFlag

OLD, NEW, NEXT = b"old\n" * 40_000, b"new content\n" * 30_000, b"next\n"
HOOKED = {
    os: (
        *("open", "close", "stat", "fstat", "pread", "write", "fsync", "rename", "link", "unlink", "mkdir", "rmdir"),
        *("fchmod", "fchown", "listxattr", "getxattr", "setxattr", "removexattr", "scandir", "urandom", "readlink"),
    ),
    fcntl: ("flock",),
    opening: ("open_in_one_step",),
}
# Its library is loaded on first use: once here, and not in each child, where most kills would meet nothing else.
os.close(opening.open_unlinked("/", opening.FOLDER_FLAGS))
# With one more name the file has only reached its place; a removal has no content afterwards.
Outcome = dict[str, Any]


def replace(path: Path) -> None:
    apply_content(ContentChange(path, path.name, OLD, NEW), StopFlag())


def create(path: Path) -> None:
    apply_content(ContentChange(path.parent / "new" / "folder" / "b.txt", "b.txt", None, NEW), StopFlag())


def remove(path: Path) -> None:
    apply_removal(removal_of(path, path.name), StopFlag())


CHANGES: dict[str, Callable[[Path], None]] = {"replace": replace, "create": create, "remove": remove}


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_at(number: int, *, torn: bool) -> None:
    """Die right before the n-th call into the system; torn, in the middle of it where it is a write."""
    calls = 0

    def hooked(real: Callable[..., Any], name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == number:
                if torn and name == "write":
                    real(arguments[0], arguments[1][: len(arguments[1]) // 2])
                die()
            return real(*arguments, **named)

        return call

    for module, names in HOOKED.items():
        for name in names:
            setattr(module, name, hooked(getattr(module, name), name))


def in_child(work: Callable[[], None], meanwhile: Callable[[int], None] = lambda _: None) -> bool:
    """Whether the work came to its end; False when it was killed on the way."""
    child = os.fork()
    if not child:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    meanwhile(child)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return False
    if os.waitstatus_to_exitcode(status):
        raise RuntimeError("the change failed instead of being killed")
    return True


def temporaries(folder: Path) -> int:
    return sum(each.name.endswith(".tmp") for each in folder.rglob("*"))


def state(path: Path) -> str:
    if not path.exists():
        return "missing"
    return {OLD: "old", NEW: "new"}.get(path.read_bytes(), "damaged")


def looked_at(changed: Path) -> Outcome:
    """What a kill has left, and whether the next change in the same folder clears up and succeeds."""
    outcome: Outcome = {"state": state(changed), "left": temporaries(changed.parent)}
    before = changed.read_bytes() if changed.exists() else None
    apply_content(ContentChange(changed, changed.name, before, NEXT), StopFlag())
    return outcome | {"swept": not temporaries(changed.parent), "next": changed.read_bytes() == NEXT}


def fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    path = folder / "a.txt"
    path.write_bytes(OLD)
    path.chmod(0o640)
    return path


def sweep_calls(folder: Path, name: str, torn: bool) -> list[Outcome]:
    """Kill before the first call, the second, and so on until a change comes to its end."""
    outcomes: list[Outcome] = []
    while True:
        path = fresh(folder)
        changed = folder / "new" / "folder" / "b.txt" if name == "create" else path

        def work(path: Path = path) -> None:
            kill_at(len(outcomes) + 1, torn=torn)
            CHANGES[name](path)

        has_ended = in_child(work)
        outcomes.append({"ended": has_ended, **looked_at(changed)})
        if has_ended:
            return outcomes


def sweep_moments(folder: Path, seed: int, rounds: int) -> list[Outcome]:
    """Kill a process that changes one file again and again, at moments chosen by chance."""
    chance = random.Random(seed)
    outcomes: list[Outcome] = []
    for _ in range(rounds):
        path = fresh(folder)

        def work(path: Path = path) -> None:
            while True:
                apply_content(ContentChange(path, path.name, OLD, NEW), StopFlag())
                apply_content(ContentChange(path, path.name, NEW, OLD), StopFlag())

        def kill_later(child: int) -> None:
            time.sleep(chance.uniform(0, 0.02))
            os.kill(child, signal.SIGKILL)

        in_child(work, kill_later)
        outcomes.append(looked_at(path))
    return outcomes


def main(arguments: list[str]) -> None:
    kind, folder, *rest = arguments
    if kind == "calls":
        outcomes = sweep_calls(Path(folder), rest[0], torn=rest[1] == "torn")
    else:
        outcomes = sweep_moments(Path(folder), int(rest[0]), int(rest[1]))
    json.dump(outcomes, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1:])
