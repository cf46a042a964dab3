"""What a headless run adds up from the events: tokens, cost, denials, how it ended."""

from __future__ import annotations

from code_assistant.events import (
    MAIN,
    Event,
    Outcome,
    PermissionRefused,
    PromptFinished,
    ResponseAdded,
    UsageAdded,
)
from code_assistant.exit_codes import ExitCode
from code_assistant.messages import Usage

ERROR_CODES = {"credential": ExitCode.CREDENTIAL, "usage": ExitCode.USAGE}


class Tally:
    def __init__(self) -> None:
        self.usage = Usage()
        self.tree_usage = Usage()
        self.cost: float | None = 0.0
        self.denials: list[PermissionRefused] = []
        self.finished: PromptFinished | None = None
        self._denied_last = False

    def take(self, event: Event) -> None:
        match event:
            case UsageAdded(origin, _, usage, cost):
                self.tree_usage += usage
                if origin == MAIN:
                    self.usage += usage
                self.cost = None if self.cost is None or cost is None else self.cost + cost
            case PermissionRefused(origin):
                self.denials.append(event)
                # A sub-agent that was denied something goes on, and so does who spawned it.
                self._denied_last |= origin == MAIN
            case ResponseAdded(origin, response) if origin == MAIN and response.message.tool_calls:
                # A new round of tools begins: what was denied before did not end the run.
                self._denied_last = False
            case PromptFinished(origin) if origin == MAIN:
                self.finished = event
            case _:
                pass

    @property
    def outcome(self) -> Outcome:
        """A prompt that never began was interrupted first."""
        return self.finished.outcome if self.finished is not None else "interrupted"

    @property
    def answer(self) -> str:
        return self.finished.answer if self.finished is not None else ""

    @property
    def error(self) -> str | None:
        """Why it did not end well, in words for the person."""
        if self.finished is None or self.finished.outcome == "interrupted":
            return "Interrupted."
        return self.finished.error

    @property
    def exit_code(self) -> ExitCode:
        """Denied means that the model stopped right after something was denied."""
        if self.finished is None or self.finished.outcome == "interrupted":
            return ExitCode.INTERRUPTED
        if self.finished.error_kind in ERROR_CODES:
            return ERROR_CODES[self.finished.error_kind]
        if self.finished.outcome != "completed":
            return ExitCode.FAILED
        return ExitCode.DENIED if self._denied_last else ExitCode.DONE
