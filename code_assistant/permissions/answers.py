"""What a person can answer to a prompt."""

from __future__ import annotations

from typing import Literal, TypeAlias

PermissionAnswer: TypeAlias = Literal["once", "agent", "session", "deny"]
# The modes that a plan can be approved into.
WorkingMode: TypeAlias = Literal["ask", "accept-edits"]
