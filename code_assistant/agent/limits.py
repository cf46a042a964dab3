"""What bounds the work on one prompt, and the lines that tell the model about it."""

from __future__ import annotations

from dataclasses import dataclass

MAX_CONTINUATIONS = 3
MAX_PAUSES = 20
# Of one prompt, because the service found the conversation too long.
MAX_COMPACTIONS = 2

CONTINUE_LINE = "Your answer was cut off by the output limit. Go on exactly where it ended; repeat nothing."
ANSWER_NOW_LINE = "This is the last turn: no tool can be called any more. Answer now with what you have."
INTERRUPTED_LINE = "[The person interrupted here.]"
SHELL_LINE = "[The person ran a command of their own]"


@dataclass(frozen=True, slots=True)
class Limits:
    """`max_turns` counts requests of one prompt, `max_request_tokens` what one answer may have; None is no limit.

    The last allowed request may call no tool. An answer that had to be given there, after tools were used, ends as
    turn_limit_reached, because the model may have wanted to go on.
    """

    max_turns: int | None = None
    max_request_tokens: int | None = None

    def is_last(self, turn: int) -> bool:
        return self.max_turns is not None and turn >= self.max_turns
