"""Lines of a session's file: an event each, as JSON, without what the file as a whole says already."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, cast

from code_assistant.event_json import EventFormatError, event_from, event_object
from code_assistant.events import Event, Origin, OutputAdded, TextDelta, ThinkingDelta, ToolProgress
from code_assistant.json_forms import TextFilter

# Pieces of what BlockAdded, ResponseCut and ToolFinished have whole: kept for what was never finished.
PIECES = (TextDelta, ThinkingDelta, OutputAdded)
# What only somebody who watches has a use for.
UNKEPT = (ToolProgress,)
# The name of the event comes first in every line, so that most need not be parsed to be passed over.
_KIND = re.compile(rb'\{"type":"(\w+)"')


@dataclass(frozen=True, slots=True)
class Entry:
    """An event, and when it was written, in seconds since 1970."""

    at: float
    event: Event


def event_line(event: Event, at: float, own: Origin, text_filter: TextFilter) -> bytes:
    fields = event_object(event, text_filter)
    if event.origin == own:
        del fields["origin"]
    line = {"type": fields.pop("type"), "at": round(at, 3), **fields}
    return json.dumps(line, separators=(",", ":")).encode("ascii") + b"\n"


def kind_of(line: bytes) -> str:
    """The name of a line's event; empty for what is no event."""
    found = _KIND.match(line)
    return found[1].decode("ascii") if found is not None else ""


def entry_from(line: bytes, own: dict[str, Any]) -> Entry:
    """`own` is the origin of the file, as an object. Raises EventFormatError for what is no event of ours."""
    try:
        source = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise EventFormatError(f"An event cannot be read: its line is no JSON ({error}).") from error
    if not isinstance(source, dict):
        raise EventFormatError("An event cannot be read: its line is no object.")
    fields: dict[str, Any] = {"origin": own, **cast("dict[str, Any]", source)}
    at = fields.get("at")
    if not isinstance(at, int | float) or isinstance(at, bool):
        raise EventFormatError("An event cannot be read: it does not say when it was written.")
    return Entry(float(at), event_from(fields))
