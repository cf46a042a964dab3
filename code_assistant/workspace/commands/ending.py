"""How a command ended, and in which words that is said."""

from __future__ import annotations

import signal
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ending:
    """`status` is the shell's own, negative for a signal, None where it was never learned.

    `left_running`: the shell ended before processes it had started, and these had to be ended. `watch_was_killed`:
    whoever looked after the command was killed, and the command was ended because of that. `may_live_on`: some
    process could not be ended. `made_repository`: it made a folder into a repository, which was undone;
    `changed_link`: it changed a link to a protected place, which was put back. `lost_wall`: a place that could no
    longer be kept from it, because of which it was ended. `not_undone`: protected places that may not be what they
    were.
    """

    status: int | None
    duration: float
    left_running: bool = False
    watch_was_killed: bool = False
    may_live_on: bool = False
    made_repository: bool = False
    changed_link: bool = False
    lost_wall: str | None = None
    not_undone: tuple[str, ...] = ()

    @property
    def is_good(self) -> bool:
        return self.status == 0 and not self.watch_was_killed and self.lost_wall is None and not self.may_live_on

    @property
    def words(self) -> str:
        """`exit code 0`, or what happened instead."""
        if self.watch_was_killed:
            return "ended abnormally"
        if self.status is None:
            return "ended"
        return f"ended by {_signal_name(-self.status)}" if self.status < 0 else f"exit code {self.status}"

    @property
    def remarks(self) -> tuple[str, ...]:
        remarks: list[str] = []
        if self.left_running:
            remarks.append(
                "Processes that the command left running when its shell ended were ended, too. "
                "Use background=true for what must go on, without & in the command."
            )
        if self.watch_was_killed:
            ended = "" if self.may_live_on else ", so everything it had started was ended"
            remarks.append(f"The process that looks after the command was killed{ended}.")
        if self.may_live_on:
            remarks.append("Some of its processes could not be ended and may still run.")
        if self.lost_wall is not None:
            remarks.append(
                f"It was ended because {self.lost_wall}, which is protected, was replaced or removed when it began or "
                "while it ran, and could no longer be kept from it. Start it again."
            )
        if self.made_repository:
            remarks.append(
                "It made the folder itself into a git repository (HEAD, objects, refs), whose configuration could "
                "start programs. That was undone: HEAD has another name now. "
                "Use outside_sandbox=true for git init."
            )
        if self.changed_link:
            remarks.append(
                "A link that leads to a protected place was changed while it ran. The link was put back; what was in "
                "its place has a name that ends in made-by-a-command."
            )
        if self.not_undone:
            remarks.append(
                f"What was done to {', '.join(self.not_undone)} could not be undone. Somebody must look at it before "
                "git, or another program that acts upon it, is used there."
            )
        return tuple(remarks)


def plain_duration(seconds: float) -> str:
    """`0.2 s`, `3 min 5 s`."""
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
