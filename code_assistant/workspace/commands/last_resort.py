"""Ending a command when everybody who looked after it was killed: what is left can be known by its session only."""

from __future__ import annotations

import asyncio
import signal

ATTEMPTS = 50
SECONDS_BETWEEN = 0.02


async def end_session(session: int) -> None:
    from code_assistant.workspace.commands.supervision.descendants import session_members, signal_all

    for _ in range(ATTEMPTS):
        members = session_members(session)
        if not members:
            return
        signal_all(members, signal.SIGKILL)
        await asyncio.sleep(SECONDS_BETWEEN)
