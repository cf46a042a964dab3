"""Run as a program: kills processes that change files, or take changes back, and says what undo made of the rest."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from code_assistant.checkpoints.checkpoints import Checkpoints, NothingToUndo
from code_assistant.checkpoints.restoring import UndoRefused
from tests.unit.checkpoints.support import anywhere, delete, everything, write
from tests.unit.workspace.kills import in_child, kill_at

OLD, NEW = b"old\n" * 20_000, b"new\n" * 30_000


def fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    work = folder / "work"
    work.mkdir(parents=True)
    for name in ("edited", "deleted", "untouched"):
        (work / name).write_bytes(OLD)
        (work / name).chmod(0o640)
    (work / "link").symlink_to("untouched")
    return work


def one_turn(checkpoints: Checkpoints, work: Path) -> None:
    checkpoints.begin("turn")
    write(checkpoints, work / "edited", b"in between")
    write(checkpoints, work / "edited", NEW)
    write(checkpoints, work / "new" / "deep" / "created", NEW)
    delete(checkpoints, work / "deleted")
    delete(checkpoints, work / "link")


def without_temporaries(work: Path) -> dict[str, object]:
    """A killed process can leave its temporary files, which the next change in that folder sweeps up."""
    return {name: state for name, state in everything(work).items() if not name.endswith(".tmp")}


def undone(folder: Path) -> str:
    try:
        Checkpoints(folder / "kept", is_inside=anywhere).undo()
    except NothingToUndo:
        return "nothing"
    except UndoRefused as error:
        return str(error)
    return "undone"


def killed_while_changing(folder: Path, number: int) -> bool:
    def work_and_die() -> None:
        checkpoints = Checkpoints(folder / "kept", is_inside=anywhere)
        kill_at(number, torn=True)
        one_turn(checkpoints, folder / "work")

    return in_child(work_and_die)


def killed_while_undoing(folder: Path, number: int) -> bool:
    one_turn(Checkpoints(folder / "kept", is_inside=anywhere), folder / "work")

    def undo_and_die() -> None:
        checkpoints = Checkpoints(folder / "kept", is_inside=anywhere)
        kill_at(number, torn=True)
        checkpoints.undo()

    return in_child(undo_and_die)


KILLED: dict[str, Callable[[Path, int], bool]] = {"changing": killed_while_changing, "undoing": killed_while_undoing}


def main(arguments: list[str]) -> None:
    name, place, step = arguments
    # A kill loses nothing that was written, so there is no disk to wait for.
    os.fsync = lambda _: None
    folder = Path(place)
    outcomes: list[dict[str, Any]] = []
    has_ended = False
    while not has_ended:
        work = fresh(folder)
        start = without_temporaries(work)
        has_ended = KILLED[name](folder, 1 + len(outcomes) * int(step))
        was_changed = without_temporaries(work) != start
        said = undone(folder)
        end = without_temporaries(work)
        extra = sorted(set(end) - set(start))
        outcomes.append({"changed": was_changed, "said": said, "back": start.items() <= end.items(), "extra": extra})
    json.dump(outcomes, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1:])
