"""The gate in front of the approver: what the current mode settles by itself is not asked."""

from __future__ import annotations

from code_assistant.permissions.approver import Approver, Decision, PermissionRequest
from code_assistant.permissions.modes import PermissionMode


class Gate:
    """An approver that knows the mode. The mode may change at any time; it counts from the next request on."""

    def __init__(self, approver: Approver, mode: PermissionMode = "ask") -> None:
        self._approver = approver
        self.mode: PermissionMode = mode

    async def decide(self, request: PermissionRequest) -> Decision:
        if self.mode == "yolo":
            return Decision(True)
        return await self._approver.decide(request)
