"""The permission modes a person can choose."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

PermissionMode: TypeAlias = Literal["ask", "accept-edits", "plan", "yolo"]
PERMISSION_MODES: tuple[PermissionMode, ...] = get_args(PermissionMode)
YOLO_WARNING = "PERMISSION MODE YOLO: nothing is asked, all runs that no rule denies."
