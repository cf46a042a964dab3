"""The first line of each file of a session: which format it has, and what the whole file is about."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TypeAlias, cast

from code_assistant.errors import WorkspaceError
from code_assistant.event_parts import MAIN, Origin
from code_assistant.json_forms import FormError, value_from, value_object

# Earlier ones are brought to this by `migration`.
FORMAT = 2


class SessionFormatError(WorkspaceError):
    """A file of a session cannot be read by this version of the program."""

    kind = "session_format"


@dataclass(frozen=True, slots=True)
class ForkPoint:
    """Where a session was copied from: which one, and before which of its prompts; None for all of it."""

    session_id: str
    prompt_id: str | None = None


@dataclass(frozen=True, slots=True)
class SessionHeader:
    """`created` is in seconds since 1970. `program` is the version that wrote the file."""

    version: int
    id: str
    created: float
    folder: str
    program: str
    branch: str | None = None
    forked_from: ForkPoint | None = None

    @property
    def origin(self) -> Origin:
        return MAIN


@dataclass(frozen=True, slots=True)
class AgentHeader:
    """Of the file of one sub-agent, which its origin links to the tool call that spawned it."""

    version: int
    session_id: str
    created: float
    origin: Origin


Header: TypeAlias = SessionHeader | AgentHeader


class LaterFormatError(SessionFormatError):
    """A later version of the program wrote it: nothing of it may be touched."""


def header_line(header: Header) -> bytes:
    return json.dumps(value_object(Header, header), separators=(",", ":")).encode("ascii") + b"\n"


def header_from(line: bytes) -> Header:
    """Raises SessionFormatError for what is no header, or one of a later version."""
    try:
        source = json.loads(line)
        header = cast("Header", value_from(Header, source, "header"))
    except (ValueError, RecursionError, FormError) as error:
        raise SessionFormatError(f"This is no file of a session: {error}") from error
    if header.version < 1:
        raise SessionFormatError(f"This is no file of a session: there is no format {header.version}.")
    if header.version > FORMAT:
        raise LaterFormatError(
            f"This session was written by a later version of the program (format {header.version}, known is {FORMAT}). "
            "Update code-assistant to open it."
        )
    return header
