"""The commands of one agent, those in the background included."""

from __future__ import annotations


class Commands:
    """One per agent, and owned by it: closing it ends everything it started."""

    async def close(self) -> None:
        """End all commands that still run, and wait until none of their processes is left."""
