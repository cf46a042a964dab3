"""What every request of a session has in common, whoever the provider is."""

from __future__ import annotations

from dataclasses import dataclass

from code_assistant.llm.model import Model
from code_assistant.llm.provider import ModelRequest


@dataclass(frozen=True, slots=True)
class RequestOptions:
    max_output_tokens: int
    thinking: bool
    effort: str

    def output_limit(self, request: ModelRequest, model: Model) -> int:
        """The most tokens an answer may have: the lowest of all limits that are set."""
        limits = (self.max_output_tokens, model.max_output_tokens, request.max_output_tokens)
        return min(limit for limit in limits if limit is not None)
