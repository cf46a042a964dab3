"""The line above the transcript: where one is, with which model, what may happen unasked, what it has cost."""

from __future__ import annotations

from dataclasses import dataclass

from code_assistant.permissions.modes import PermissionMode
from code_assistant.sandbox_kind import SandboxKind
from code_assistant.tui.frame import numbers
from code_assistant.tui.frame.drawn import DrawnRows
from code_assistant.tui.frame.fitting import Cut, Part, Shorten, fitted
from code_assistant.tui.frame.spans import Role, Span, plain
from code_assistant.tui.state import ScreenState

UNTRUSTED = "untrusted"
NEARLY_FULL = 80
FULL = 95
# The mode is never shortened, nor is trust, and what stands around commands goes last of all: what may happen unasked
# must be readable at any width.
_STEPS = (
    Cut("branch", 20),
    Cut("folder", 20),
    Cut("model", 24),
    Cut("branch", 10),
    Cut("folder", 10),
    Cut("branch"),
    Cut("model", 14),
    Cut("folder"),
    Cut("model", 8),
    Cut("cost"),
    Cut("context"),
    Cut("model", 4),
    Cut("model"),
    Shorten("sandbox"),
    Cut("sandbox"),
)
_MODES: dict[PermissionMode, tuple[str, Role]] = {
    "ask": ("ask", "text"),
    "accept-edits": ("accept-edits", "warning"),
    "plan": ("plan", "primary"),
    "yolo": (" YOLO ", "loud"),
}
_SANDBOXES: dict[SandboxKind, Part] = {
    "bubblewrap": Part("sandbox", Span("bwrap", "muted"), short=(Span("bw", "muted"),)),
    "landlock": Part("sandbox", Span("landlock", "muted"), short=(Span("ll", "muted"),)),
    "none": Part("sandbox", Span("no sandbox", "warning"), short=(Span("no box", "warning"),)),
}


@dataclass(frozen=True, slots=True)
class Status:
    """What the line shows of the screen's state; equal ones look equal."""

    folder: str
    branch: str
    changed_files: int
    model: str
    mode: PermissionMode
    sandbox: SandboxKind | None
    context_percent: int | None
    spent: str
    is_untrusted: bool = False

    @classmethod
    def of(cls, state: ScreenState) -> Status:
        return cls(
            plain(state.folder),
            plain(state.branch or ""),
            state.changed_files or 0,
            plain(state.model),
            state.mode,
            state.sandbox,
            state.context_percent,
            _spent(state),
            state.is_untrusted,
        )


class StatusLine(DrawnRows):
    """One row; clicks on `model` and `mode` are reported as PartPressed."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._status: Status | None = None

    def show(self, state: ScreenState) -> None:
        status = Status.of(state)
        if status != self._status:
            self._status = status
            self.refresh()

    def spans_at(self, row: int, width: int) -> list[Span]:
        return status_spans(self._status, width) if self._status is not None else []


def status_spans(status: Status, width: int) -> list[Span]:
    word, role = _MODES[status.mode]
    parts: list[Part] = []
    if status.folder:
        parts.append(Part("folder", Span(status.folder, "strong")))
    if status.branch:
        changed = (Span(f" ±{status.changed_files}", "accent"),) if status.changed_files > 0 else ()
        parts.append(Part("branch", Span(status.branch, "muted"), changed))
    if status.is_untrusted:
        parts.append(Part("trust", Span(UNTRUSTED, "warning")))
    if status.model:
        parts.append(Part("model", Span(status.model, "text", "model")))
    parts.append(Part("mode", Span(word, role, "mode")))
    if status.sandbox is not None:
        parts.append(_SANDBOXES[status.sandbox])
    if status.context_percent is not None:
        parts.append(
            Part("context", Span(f"ctx {status.context_percent}%", _fullness(status.context_percent)), is_right=True)
        )
    if status.spent:
        parts.append(Part("cost", Span(status.spent, "muted"), is_right=True))
    return fitted(parts, _STEPS, width)


def _fullness(percent: int) -> Role:
    if percent >= FULL:
        return "error"
    return "warning" if percent >= NEARLY_FULL else "muted"


def _spent(state: ScreenState) -> str:
    """Money where the price is known, else tokens; nothing before anything was used."""
    if state.cost is not None and numbers.is_known(state.cost):
        return numbers.money(state.cost) if state.cost or state.usage.total else ""
    return numbers.tokens(state.usage.total) if state.usage.total else ""
