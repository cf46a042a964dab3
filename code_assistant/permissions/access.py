"""What a tool call wants to do, as rules look at it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from code_assistant.permissions.shell.analysis import Analysis, Member

MANY_PLACES = 100
MANY_CHARACTERS = 1_000


def beginning_of(path: Path) -> str:
    """A path as all that lies below it begins."""
    return f"{str(path).rstrip('/')}/"


@dataclass(frozen=True, slots=True)
class Place:
    """A path under its names: as the kernel resolves it, and as it was asked for, absolute but unresolved.

    `folder` is the opened folder it lies in by its resolved name, None for a place outside. `others` are the names
    that links on the way give it, `beginnings` all of them as texts: what lies there begins so.
    """

    path: Path
    named: Path
    folder: Path | None
    others: tuple[Path, ...] = ()
    beginnings: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Made once: each is compared with every rule.
        object.__setattr__(self, "beginnings", tuple(map(beginning_of, self.names)))

    @property
    def names(self) -> tuple[Path, ...]:
        """All of them, each once, the resolved one first."""
        return tuple(dict.fromkeys((self.path, self.named, *self.others)))

    @property
    def shown(self) -> str:
        """As it was asked for, from the opened folder on where that is a part of it."""
        if self.folder is None or not self.named.is_relative_to(self.folder):
            return str(self.named)
        return str(self.named.relative_to(self.folder))


@dataclass(frozen=True, slots=True)
class ReadAccess:
    place: Place


@dataclass(frozen=True, slots=True)
class EditAccess:
    """Changing files; `deletes` when they will be gone, `other_names` when one has names elsewhere, too."""

    places: tuple[Place, ...]
    deletes: bool = False
    other_names: bool = False


@dataclass(frozen=True, slots=True)
class CommandAccess:
    """Running exactly this command; `is_in_root` when that is in the folder the person works in.

    `analysis` is what it is made of, `reads` and `writes` the places that its words and redirections name, `inputs`
    those of them that the shell opens for programs which are not told their names, `changes`
    those of the words that programs are known to change, `uproots` those of which all that lies below is changed, too,
    `reworks` those of which something below is. `could_change` are those given to programs of which nothing is known,
    `copies` are new names outside of the opened folders, which rules for a name at any depth are not about.
    `may_name_anything` when there were more than could be looked at, `may_change_anything` when these are changed.
    `is_too_deep` when more lies below what it uproots, or is named in the text of a program, than could be looked at.
    `looks_through` when it may come upon files that a rule keeps from being read, `comes_upon` those it would read.
    It is `is_read_only` when it was proved to change nothing and to read only what may be read; else `reason` says
    why not. `harmless` are members of which that was proved alone, but for where their output goes. `leaves_sandbox`
    when it wants to run without the walls that others run within.
    """

    command: str
    is_in_root: bool = True
    analysis: Analysis | None = None
    reads: tuple[Place, ...] = ()
    writes: tuple[Place, ...] = ()
    inputs: tuple[Place, ...] = ()
    is_read_only: bool = False
    reason: str = ""
    leaves_sandbox: bool = False
    changes: tuple[Place, ...] = ()
    harmless: frozenset[Member] = frozenset()
    uproots: tuple[Place, ...] = ()
    reworks: tuple[Place, ...] = ()
    could_change: tuple[Place, ...] = ()
    copies: tuple[Place, ...] = ()
    may_name_anything: bool = False
    may_change_anything: bool = False
    is_too_deep: bool = False
    looks_through: bool = False
    comes_upon: tuple[Place, ...] = ()

    @property
    def is_long(self) -> bool:
        """Whether to compare it with every rule takes longer than the event loop can wait for."""
        changed = (self.writes, self.changes, self.uproots, self.reworks, self.could_change, self.copies)
        places = sum(map(len, (self.reads, self.inputs, self.comes_upon, *changed)))
        return places > MANY_PLACES or len(self.command) > MANY_CHARACTERS


@dataclass(frozen=True, slots=True)
class FetchAccess:
    """Asking a host for a page: its name in lower case, without a dot at its end."""

    host: str


@dataclass(frozen=True, slots=True)
class SpawnAccess:
    """Handing a task to a sub-agent made from this definition."""

    definition: str


@dataclass(frozen=True, slots=True)
class ToolAccess:
    """Whatever else a tool does: only rules about the whole tool can speak of it."""


Access: TypeAlias = ReadAccess | EditAccess | CommandAccess | FetchAccess | SpawnAccess | ToolAccess


def leaves_sandbox(access: Access) -> bool:
    """Whether it is a command that wants out of the walls; no rule can allow that."""
    return isinstance(access, CommandAccess) and access.leaves_sandbox
