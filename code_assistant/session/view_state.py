"""What the person did to the look of a session: what they unfolded, what they named it. Events of the screen's own."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias, cast

from code_assistant.errors import AssistantError, WorkspaceError
from code_assistant.json_forms import FormError, TextFilter, value_from, value_object
from code_assistant.messages import Exact
from code_assistant.private_files import private_descriptor
from code_assistant.session.regular_files import open_regular


@dataclass(frozen=True, slots=True)
class BlockFolded:
    """A block was unfolded or folded by hand; `target` is something inside of it, empty for the block itself."""

    block_id: Exact[str]
    is_expanded: bool
    target: Exact[str] = ""


@dataclass(frozen=True, slots=True)
class SessionRenamed:
    title: str


ViewEvent: TypeAlias = BlockFolded | SessionRenamed


@dataclass(slots=True)
class ViewState:
    """What all view events come to: the last one about a thing counts."""

    title: str = ""
    folds: dict[tuple[str, str], bool] = field(default_factory=dict[tuple[str, str], bool])

    def take(self, event: ViewEvent) -> None:
        match event:
            case BlockFolded(block_id, is_expanded, target):
                self.folds[block_id, target] = is_expanded
            case SessionRenamed(title):
                self.title = title


class ViewFile:
    """Appended to by whoever shows the session; told of a problem as the other files are.

    Until there is a session, which `is_there` tells, what is done to its look waits in memory.
    """

    def __init__(
        self,
        path: Path,
        is_there: Callable[[], bool],
        prepare: Callable[[], None],
        on_problem: Callable[[str], None],
        text_filter: TextFilter = str,
    ) -> None:
        self._path = path
        self._filter = text_filter
        self._is_there = is_there
        self._prepare = prepare
        self._on_problem = on_problem
        self._descriptor: int | None = None
        self._waiting: list[ViewEvent] = []
        self._is_over = False

    def write(self, event: ViewEvent) -> None:
        if self._is_over:
            return
        self._waiting.append(event)
        if self._is_there():
            self._write_waiting()

    def _write_waiting(self) -> None:
        objects = [value_object(ViewEvent, event, self._filter) for event in self._waiting]
        lines = [json.dumps(each, separators=(",", ":")) + "\n" for each in objects]
        self._waiting.clear()
        try:
            if self._descriptor is None:
                self._prepare()
                self._descriptor = private_descriptor(self._path)
            rest = memoryview("".join(lines).encode("ascii"))
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except (OSError, AssistantError) as error:
            self._is_over = True
            told = error.strerror if isinstance(error, OSError) else None
            self._on_problem((told or str(error)).removesuffix("."))

    def close(self) -> None:
        if self._waiting and not self._is_over and self._is_there():
            self._write_waiting()
        self._is_over = True
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)


def read_view(path: Path) -> ViewState:
    """All that can be read of such a file; how something looks is never worth an error."""
    state = ViewState()
    for event in _events(_lines(path)):
        state.take(event)
    return state


def _lines(path: Path) -> list[bytes]:
    try:
        with open_regular(path) as file:
            return file.read().splitlines()
    except (OSError, WorkspaceError):
        return []


def _events(lines: Iterable[bytes]) -> Iterable[ViewEvent]:
    for line in lines:
        try:
            yield cast("ViewEvent", value_from(ViewEvent, json.loads(line), "view event"))
        except (ValueError, RecursionError, FormError):
            # A torn or foreign line: what it said about the look is lost, no more.
            continue
