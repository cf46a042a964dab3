"""Events as JSON objects and back, in the forms of `json_forms`."""

from __future__ import annotations

from typing import Any

from code_assistant.errors import AssistantError
from code_assistant.events import Event
from code_assistant.json_forms import FormError, TextFilter, value_from, value_object


class EventFormatError(AssistantError):
    """What was read is not an event that this version knows."""

    kind = "event_format"


def event_object(event: Event, text_filter: TextFilter = str) -> dict[str, Any]:
    """An event as `json.dumps` takes it. Every text passes the filter; fixed words, such as a status, do not."""
    return value_object(Event, event, text_filter)


def event_from(source: object) -> Event:
    """The event that such an object stands for; unknown keys are ignored, EventFormatError for anything else."""
    try:
        return value_from(Event, source, "event")
    except FormError as error:
        raise EventFormatError(f"An event cannot be read: {error}") from error
