"""What the screens about sub-agents ask of the app behind them."""

from __future__ import annotations

from typing import Protocol

from code_assistant.tui.agents.record import AgentRecord


class AgentHost(Protocol):
    def open(self, record: AgentRecord | None) -> None:
        """Show one agent on the whole screen; None is the main one."""
        ...

    def cancel(self, record: AgentRecord) -> bool:
        """End one; False when it is ending already, or has ended."""
        ...

    def cancel_all(self) -> int:
        """End them all; how many there were."""
        ...

    def steer(self, record: AgentRecord, text: str) -> bool:
        """Say something to one; False when it does not get that any more."""
        ...

    def copy_answer(self, record: AgentRecord) -> None: ...

    def go_to_prompt(self) -> None:
        """Back to the main screen, and to what waits there."""
        ...
