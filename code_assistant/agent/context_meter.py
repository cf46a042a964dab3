"""How much of the window a conversation fills: counted by the service as far as it goes, estimated from there on."""

from __future__ import annotations

from collections.abc import Sequence

from code_assistant.agent.tokens import message_tokens, text_tokens, tools_tokens
from code_assistant.llm.provider import ToolSpecification
from code_assistant.messages import Message


class ContextMeter:
    """`opening` is what stands before the conversation in every request: the system prompt and the tools.

    What has been estimated once is not looked at again, however long the conversation gets.
    """

    def __init__(self) -> None:
        self.opening = 0
        self._system: str = ""
        self._tools: tuple[ToolSpecification, ...] = ()
        self._estimates: list[tuple[Message, int]] = []
        self._counted = 0
        self._estimate_then = 0

    def open_with(self, system: str, tools: tuple[ToolSpecification, ...]) -> None:
        if system != self._system or tools != self._tools:
            self._system, self._tools = system, tools
            self.opening = text_tokens(system) + tools_tokens(tools)

    def learn(self, counted: int, messages: Sequence[Message]) -> None:
        """All of these messages have so many tokens, the opening included. Services that count nothing say 0."""
        if counted > 0:
            self._counted, self._estimate_then = counted, self._estimate(messages)

    def used(self, messages: Sequence[Message]) -> int:
        """The tokens of a history that has grown since something was learned about it."""
        return max(self._counted + self._estimate(messages) - self._estimate_then, 0)

    def scale(self, messages: Sequence[Message]) -> float:
        """How many of the service's tokens there are to one of our estimate."""
        return max(self.used(messages), 1) / max(self._estimate(messages), 1)

    def _estimate(self, messages: Sequence[Message]) -> int:
        known = self._estimates
        for index, message in enumerate(messages):
            if index >= len(known) or known[index][0] is not message:
                known[index:] = [(message, message_tokens(message))]
        del known[len(messages) :]
        return self.opening + sum(tokens for _, tokens in known)
