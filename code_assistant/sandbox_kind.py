"""What can stand around the commands of agents."""

from __future__ import annotations

from typing import Literal, TypeAlias

SandboxKind: TypeAlias = Literal["bubblewrap", "landlock", "none"]
