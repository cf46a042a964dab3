"""What a request is about, in a few words: for the list of rules and what each of them last decided."""

from __future__ import annotations

from code_assistant.permissions.access import CommandAccess, EditAccess, FetchAccess, ReadAccess, SpawnAccess
from code_assistant.permissions.approver import PermissionRequest

MAXIMUM_CHARACTERS = 200


def subject_of(request: PermissionRequest) -> str:
    """Untrusted text, shortened."""
    match request.access:
        case CommandAccess(command):
            words = command
        case ReadAccess(place):
            words = str(place.named)
        case EditAccess(places):
            words = ", ".join(str(place.named) for place in places[:3])
        case FetchAccess(host):
            words = host
        case SpawnAccess(definition):
            words = definition
        case _:
            words = request.tool_name
    return words if len(words) <= MAXIMUM_CHARACTERS else f"{words[:MAXIMUM_CHARACTERS]}…"
