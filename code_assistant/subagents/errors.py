"""Why a sub-agent could not be spawned: an object that the model can act on."""

from __future__ import annotations

import json
from typing import Literal, TypeAlias

from code_assistant.errors import ToolError

Code: TypeAlias = Literal[
    "INVALID_INPUT",
    "AGENT_NOT_FOUND",
    "NAME_IN_USE",
    "DEPTH_LIMIT_REACHED",
    "SPAWN_FAILED",
    "BUDGET_EXHAUSTED",
]


class SpawnError(ToolError):
    """The parent's loop goes on: this is the result of its tool call."""

    kind = "spawn"

    def __init__(self, code: Code, message: str, *, suggestion: str | None = None, retryable: bool = False) -> None:
        told: dict[str, object] = {"code": code, "message": message}
        if suggestion is not None:
            told["suggestion"] = suggestion
        told["retryable"] = retryable
        super().__init__(
            message if suggestion is None else f"{message} {suggestion}", model=json.dumps(told, ensure_ascii=False)
        )
        self.code = code
        self.retryable = retryable
