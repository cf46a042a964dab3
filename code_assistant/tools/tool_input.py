"""What every input of a tool is made from. Apart from the tools, because what checks inputs takes long to load."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class ToolInput(BaseModel):
    """Base of all tool inputs: unknown keys are refused, so that a typo never passes unnoticed."""

    model_config = ConfigDict(extra="forbid", frozen=True)
