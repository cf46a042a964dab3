"""Commands that hide what they start in every way, in the sandbox and outside of it, for a program that is ended."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from tests.fakes.script import Block, call
from tests.processes import is_enclosed, new_marker, wait_until_gone, wait_until_there
from tests.unit.workspace.commands.sandbox.world import HAS_BUBBLEWRAP

PROCESSES = 5


@dataclass(frozen=True)
class CommandTree:
    """A command with a child, one in a session of its own, and one forked twice; it says when all are there."""

    started: Path
    marker: str = field(default_factory=new_marker)

    def __post_init__(self) -> None:
        os.mkfifo(self.started)

    @property
    def command(self) -> str:
        marker = self.marker
        return (
            f"(setsid sleep {marker} &) ; sleep {marker}1 & setsid sh -c 'sleep {marker}2; true' & "
            f"trap '' TERM; echo up > {self.started}; sleep {marker}3; true"
        )

    def wait(self) -> None:
        assert self.started.read_text() == "up\n"
        wait_until_there(self.marker, PROCESSES)


class CommandTrees:
    """One that is waited for runs in the sandbox, where there is one, and one in the background outside of it."""

    def __init__(self, folder: Path) -> None:
        self._inside = CommandTree(folder / "inside")
        self._outside = CommandTree(folder / "outside")

    def calls(self, before: str = "") -> tuple[Block, Block]:
        """In a mode that asks nothing. What comes before is run first."""
        outside = {"command": self._outside.command, "background": True, "outside_sandbox": True}
        inside = {"command": f"{before}{self._inside.command}"}
        return call("execute_command", outside), call("execute_command", inside)

    def wait(self, *, has_sandbox: bool = HAS_BUBBLEWRAP) -> None:
        """Until both are there, each where it belongs."""
        self._outside.wait()
        self._inside.wait()
        assert not is_enclosed(self._outside.marker)
        assert is_enclosed(self._inside.marker) == has_sandbox

    def wait_until_gone(self) -> None:
        wait_until_gone(self._inside.marker)
        wait_until_gone(self._outside.marker)
