"""The sandbox of a session: which walls there are, what they enclose, and one enclosure for each command."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from code_assistant.errors import WorkspaceError
from code_assistant.sandbox_kind import SandboxKind
from code_assistant.workspace.commands.sandbox.bubblewrap import GUARD, NOTHING, bubblewrap_words, planned_walls
from code_assistant.workspace.commands.sandbox.detection import (
    find_bubblewrap,
    gains_rights,
    landlock_works,
    start_of_bubblewrap,
)
from code_assistant.workspace.commands.sandbox.hidden import hidden_places
from code_assistant.workspace.commands.sandbox.mount_plan import MountPlan
from code_assistant.workspace.commands.sandbox.path_sockets import path_sockets
from code_assistant.workspace.commands.sandbox.policy import Confinement
from code_assistant.workspace.commands.sandbox.protection import Protecting
from code_assistant.workspace.commands.sandbox.shared_walls import SharedWalls, Undone
from code_assistant.workspace.commands.supervision.wire import KeptWall, Walls
from code_assistant.workspace.spill import SpillFolder

logger = logging.getLogger(__name__)

# Bubblewrap walls off files; sockets that have no file, of programs outside, only the kernel's walls can.
SCOPES_ONLY = Walls((), has_network=True, keeps_files=False)
CANNOT_BE_SET_UP = "The sandbox could not be set up, so the command was not run: {0}."


@dataclass(frozen=True, slots=True)
class Grounds:
    """What the walls are built around; all paths are resolved, once, when the session begins.

    `own_folders` are the program's, `others` what the person lets be written beside the opened `folders`, `private`
    what is kept from commands besides what lies in its usual place.
    """

    folders: tuple[Path, ...]
    home: Path
    own_folders: tuple[Path, ...] = ()
    others: tuple[Path, ...] = ()
    private: tuple[Path, ...] = ()
    has_network: bool = True


class Enclosure:
    """What one command runs with: words before those of its shell, or walls of the kernel's; `leave` at its end."""

    def __init__(
        self,
        words: tuple[str, ...] = (),
        walls: Walls | None = None,
        shared: SharedWalls | None = None,
        kept: tuple[KeptWall, ...] = (),
    ) -> None:
        self.words = words
        self.walls = walls
        self.kept = kept
        self.records = b"" if shared is None else os.fsencode(shared.records)
        self.environment: dict[str, str] = {}
        self.undone = Undone()
        self._shared = shared

    async def leave(self, *, never_ran: bool = False) -> None:
        """None of the command's processes is left. Where it `never_ran`, what has changed is the work of the person, or
        of another command, after which it is undone.
        """
        if self._shared is None:
            return
        if not never_ran:
            self.undone = await asyncio.to_thread(self._shared.undo)
        try:
            await asyncio.to_thread(self._shared.leave)
        except OSError as error:
            logger.warning("what was made for the sandbox is removed later: %s", error)


class Sandbox:
    """One for a session. Nothing is tried before somebody wants to know; what was found then stays."""

    def __init__(
        self,
        grounds: Grounds,
        temporary: SpillFolder,
        records: Path,
        *,
        is_wanted: bool = True,
        tell: Callable[[SandboxKind], None] = lambda kind: None,
    ) -> None:
        self._grounds = grounds
        self._temporary = temporary
        self._shared = SharedWalls(records)
        self._is_wanted = is_wanted
        self._tell = tell
        self._start: tuple[str, ...] = ()
        self._scopes: Walls | None = None
        self._search: asyncio.Task[SandboxKind] | None = None
        self.kind: SandboxKind | None = None

    async def find_out(self) -> SandboxKind:
        """Which walls there are; tried once, and told once."""
        if self.kind is not None:
            return self.kind
        if self._search is None:
            self._search = asyncio.create_task(self._find(), name="looking for a sandbox")
        return await asyncio.shield(self._search)

    async def enclosure(self, folder: Path, *, is_read_only: bool) -> Enclosure:
        """For a command that runs in this folder. Raises WorkspaceError: a command never runs with less."""
        kind = await self.find_out()
        making = asyncio.create_task(asyncio.to_thread(self._enclosure, kind, folder, is_read_only))
        try:
            return await asyncio.shield(making)
        except asyncio.CancelledError:
            # What the thread makes must be taken back, too.
            await asyncio.wait({making})
            if making.exception() is None:
                await making.result().leave()
            raise

    async def close(self) -> None:
        if self._search is not None:
            await asyncio.wait({self._search})
        await asyncio.to_thread(self._temporary.remove)

    async def _find(self) -> SandboxKind:
        self.kind = await asyncio.to_thread(self._tried)
        self._tell(self.kind)
        return self.kind

    def _tried(self) -> SandboxKind:
        if not self._is_wanted:
            return "none"
        program = find_bubblewrap()
        try:
            if program is not None:
                # Without what may vanish or be wrong: that must fail a command, and not lower the walls.
                confinement = replace(self._confinement(is_read_only=True), folders=(), others=(), hidden=())
                self._start = start_of_bubblewrap(program, confinement, self._empty()) or ()
                if self._start:
                    self._scopes = None if gains_rights(program) else SCOPES_ONLY
                    return "bubblewrap"
        except (OSError, WorkspaceError) as error:
            logger.warning("bubblewrap could not be tried: %s", error)
        return "landlock" if landlock_works() else "none"

    def _enclosure(self, kind: SandboxKind, folder: Path, is_read_only: bool) -> Enclosure:
        if kind == "none":
            return Enclosure()
        try:
            confinement = self._confinement(is_read_only=is_read_only)
            return self._landlock(confinement) if kind == "landlock" else self._bubblewrap(confinement, folder)
        except OSError as error:
            place = f", {error.filename}" if error.filename else ""
            raise WorkspaceError(CANNOT_BE_SET_UP.format(f"{error.strerror or error}{place}")) from error
        except WorkspaceError as error:
            raise WorkspaceError(CANNOT_BE_SET_UP.format(error.person.removesuffix("."))) from error

    def _bubblewrap(self, confinement: Confinement, folder: Path) -> Enclosure:
        if confinement.is_read_only:
            return self._walled(confinement, Protecting(confinement).plan(), folder)
        plan = self._shared.enter(confinement)
        try:
            return self._walled(confinement, plan, folder, self._shared)
        except BaseException:
            self._shared.leave()
            raise

    def _walled(
        self, confinement: Confinement, protection: MountPlan, folder: Path, shared: SharedWalls | None = None
    ) -> Enclosure:
        plan = protection.covering(confinement.hidden)
        walls = tuple(planned_walls(plan, self._empty()))
        words = bubblewrap_words(self._start, confinement, plan, walls, folder)
        return Enclosure((*words, *GUARD), self._scopes, shared, walls)

    def _landlock(self, confinement: Confinement) -> Enclosure:
        roots = () if confinement.is_read_only else (*confinement.folders, *confinement.others)
        roots = (*roots, confinement.temporary)
        # What the home folder lies in stays closed: its start-up files could not be kept from being written.
        allowed = [each for each in roots if not confinement.home.is_relative_to(each)]
        # One inside of another needs no rule of its own, and a command could put a link in its place.
        outer = (each for each in allowed if not any(root in each.parents for root in allowed))
        writable = tuple(map(os.fsencode, outer))
        enclosure = Enclosure(walls=Walls(writable, confinement.has_network))
        enclosure.environment["TMPDIR"] = str(confinement.temporary)
        return enclosure

    def _confinement(self, *, is_read_only: bool) -> Confinement:
        grounds = self._grounds
        self._temporary.make()
        temporary = self._temporary.path / "tmp"
        temporary.mkdir(mode=0o700, exist_ok=True)
        folders = (*grounds.folders, *grounds.others)
        hidden = hidden_places(grounds.home, grounds.own_folders, folders, grounds.private)
        return Confinement(
            folders=grounds.folders,
            temporary=temporary,
            home=grounds.home,
            is_read_only=is_read_only,
            others=grounds.others,
            own=grounds.own_folders,
            hidden=(*hidden, *path_sockets(() if is_read_only else folders)),
            has_network=grounds.has_network and not is_read_only,
        )

    def _empty(self) -> Path:
        empty = self._temporary.path / "empty"
        empty.mkdir(mode=0o500, exist_ok=True)
        empty.with_name(NOTHING).touch(mode=0o400)
        return empty
