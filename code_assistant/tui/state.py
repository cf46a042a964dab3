"""What the frame around the transcript shows, as data: kept up to date by the bridge, drawn by the widgets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from code_assistant.messages import Usage
from code_assistant.permissions.modes import PermissionMode

if TYPE_CHECKING:
    from code_assistant.events import TodoItem
    from code_assistant.sandbox_kind import SandboxKind
    from code_assistant.tui.delay import Delay


@dataclass(slots=True)
class ScreenState:
    """`working_since` is None while nothing is worked on. `cost` is None where a price is unknown.

    `queue` waits for its turn, `early` for a session. `waiting_questions` are some of `waiting_prompts`.
    `open_characters` were received in the response that is being written, whose tokens nobody has counted yet.
    `is_undecided` is whether nothing of the folder may be touched yet: whether it is trusted is still being asked.
    """

    folder: str
    model: str
    mode: PermissionMode
    branch: str | None = None
    changed_files: int | None = None
    is_untrusted: bool = False
    is_undecided: bool = False
    sandbox: SandboxKind | None = None
    context_window: int = 0
    context_tokens: int = 0
    usage: Usage = field(default_factory=Usage)
    cost: float | None = 0.0
    working_since: float | None = None
    activity: str = ""
    delay: Delay | None = None
    turn_tokens: int = 0
    open_characters: int = 0
    queue: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    early: tuple[str, ...] = ()
    todo: tuple[TodoItem, ...] = ()
    waiting_prompts: int = 0
    waiting_questions: int = 0
    running_agents: int = 0
    queued_agents: int = 0

    @property
    def context_percent(self) -> int | None:
        return round(100 * self.context_tokens / self.context_window) if self.context_window else None
