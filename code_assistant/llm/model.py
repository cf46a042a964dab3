"""One model and the provider it is reached through: what is known about them, and what tokens cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from code_assistant.messages import Usage

# How a model's thinking is asked for. "adaptive" decides for itself how long to think; "budget" wants a number.
ThinkingKind: TypeAlias = Literal["adaptive", "budget", "none"]
# What a request says to keep such a model from thinking first; None where it cannot be turned off.
ThinkingOff: TypeAlias = Literal["disabled", "between_tools"] | None

# Which protocol a provider speaks; "offline" is the explorer inside the program.
ProviderKind: TypeAlias = Literal["anthropic", "openai", "offline"]
# What is said about effort where tools are listed: as wanted, that there is to be none, or nothing at all. OpenAI's own
# service lets its newer models call tools only without reasoning, in the protocol that we speak.
ToolsEffort: TypeAlias = Literal["as wanted", "none", "left out"]
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
LimitField: TypeAlias = Literal["max_tokens", "max_completion_tokens"]


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens, for prompts up to `prompt_limit` tokens (None: of any size)."""

    input: float
    output: float
    cache_write: float
    cache_read: float
    prompt_limit: int | None = None


def is_on_this_machine(address: str) -> bool:
    try:
        return (urlsplit(address).hostname or "") in LOOPBACK
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class Provider:
    """A service that models are reached through. `key_variable` is the variable with its key, empty for none.

    `limit_field` is what the service calls the limit on an answer's tokens, for those that speak OpenAI's protocol.
    """

    name: str
    kind: ProviderKind
    title: str
    base_url: str = ""
    key_variable: str = ""
    limit_field: LimitField = "max_tokens"

    @property
    def is_local(self) -> bool:
        """Whether it is a server on this machine."""
        return is_on_this_machine(self.base_url)


@dataclass(frozen=True, slots=True)
class Model:
    """One model. An empty price list means unknown: tokens are shown, never $0.00.

    `strict_tools` is whether it wants tool schemas in their strict form: every field required, null for left out.
    `writes` is whether it writes what it is asked for, as every language model does.
    """

    name: str
    id: str
    provider: str
    context_window: int
    max_output_tokens: int
    prices: tuple[Price, ...] = ()
    thinking: ThinkingKind = "none"
    thinking_off: ThinkingOff = None
    effort: bool = False
    tools_effort: ToolsEffort = "as wanted"
    images: bool = False
    strict_tools: bool = False
    writes: bool = True
    aliases: tuple[str, ...] = ()

    def cost(self, usage: Usage) -> float | None:
        """What a response cost in dollars, or None where the prices are unknown."""
        price = next(
            (each for each in self.prices if each.prompt_limit is None or usage.prompt <= each.prompt_limit),
            None,
        )
        if price is None:
            return None
        dollars = (
            usage.input * price.input
            + usage.output * price.output
            + usage.cache_write * price.cache_write
            + usage.cache_read * price.cache_read
        )
        return dollars / 1_000_000
