"""Brings the files of a session to today's format when it is opened."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from code_assistant.session.folder import SessionFolder
from code_assistant.session.header import FORMAT, Header
from code_assistant.session.lines import kind_of
from code_assistant.session.reader import SessionFileReader
from code_assistant.session.repair import upgrade_lines


def migrate(folder: SessionFolder) -> None:
    """To be called by whoever holds the session's lock. What the files were stays beside them."""
    # The session's own file last: as long as it is of an earlier format, this is not done.
    for path in (*folder.agent_files(), folder.main_file):
        _migrate_file(path)


def _migrate_file(path: Path) -> None:
    if not path.stat().st_size:
        # It was made, and never begun.
        return
    reader = SessionFileReader(path)
    if reader.header.version < FORMAT:
        upgrade_lines(path, replace(reader.header, version=FORMAT), _upgraded_lines(reader))


def _upgraded_lines(reader: SessionFileReader) -> Iterator[bytes]:
    for _, line in reader.lines():
        if not kind_of(line):
            continue
        try:
            source = json.loads(line)
        except (ValueError, RecursionError):
            continue
        yield json.dumps(_from_format_1(source, reader.header), separators=(",", ":")).encode("ascii") + b"\n"


def _from_format_1(source: dict[str, Any], header: Header) -> dict[str, Any]:
    """Every line had its origin, and none said when it was written: the file's own time is the nearest to that."""
    origin = cast("dict[str, Any]", source.pop("origin", {}))
    kind = source.pop("type")
    is_own = origin.get("agent_id") == header.origin.agent_id
    return {"type": kind, "at": header.created, **({} if is_own else {"origin": origin}), **source}
