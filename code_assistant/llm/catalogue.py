"""The model catalogue: what is known about each model, and what its tokens cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from code_assistant.messages import Usage

# How a model's thinking is asked for. "adaptive" decides for itself how long to think; "budget" wants a number.
ThinkingKind: TypeAlias = Literal["adaptive", "budget", "none"]
# What a request says to keep such a model from thinking first; None where it cannot be turned off.
ThinkingOff: TypeAlias = Literal["disabled", "between_tools"] | None


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens, for prompts up to `prompt_limit` tokens (None: of any size)."""

    input: float
    output: float
    cache_write: float
    cache_read: float
    prompt_limit: int | None = None


@dataclass(frozen=True, slots=True)
class Model:
    """One model. An empty price list means unknown: tokens are shown, never $0.00."""

    name: str
    id: str
    provider: str
    context_window: int
    max_output_tokens: int
    prices: tuple[Price, ...] = ()
    thinking: ThinkingKind = "none"
    thinking_off: ThinkingOff = None
    effort: bool = False
    images: bool = False
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


def _price(input_price: float, output_price: float, prompt_limit: int | None = None) -> Price:
    # Anthropic prices a five-minute cache write at 1.25 times and a cache read at a tenth of the input price.
    return Price(input_price, output_price, input_price * 1.25, input_price / 10, prompt_limit)


def _claude(
    name: str,
    *prices: Price,
    window: int = 1_000_000,
    output: int = 128_000,
    thinking: ThinkingKind = "adaptive",
    off: ThinkingOff = None,
    aliases: tuple[str, ...] = (),
) -> Model:
    return Model(
        name=name,
        id=name,
        provider="anthropic",
        context_window=window,
        max_output_tokens=output,
        prices=prices,
        thinking=thinking,
        thinking_off=off,
        effort=thinking == "adaptive",
        images=True,
        aliases=aliases,
    )


ANTHROPIC_MODELS: tuple[Model, ...] = (
    _claude("claude-fable-5-1", _price(10, 50), aliases=("fable",)),
    _claude("claude-opus-5-5", _price(4, 20), aliases=("opus",)),
    _claude("claude-sonnet-5-5", _price(2, 10), off="between_tools", aliases=("sonnet",)),
    _claude(
        "claude-haiku-5-5",
        _price(0.10, 0.50, 100_000),
        _price(0.50, 2.50),
        off="disabled",
        aliases=("haiku",),
    ),
    # Their prices and windows are not published where we could read them: tokens only, and a cautious window.
    _claude("claude-fable-5-2", window=200_000),
    _claude("claude-mythos-5-2", window=200_000),
    _claude("claude-mythos-5-1", window=200_000),
    _claude("claude-fable-5", _price(10, 50)),
    _claude("claude-mythos-5", _price(10, 50)),
    _claude("claude-opus-5", _price(5, 25), off="disabled"),
    _claude("claude-sonnet-5", _price(2, 10), off="disabled"),
    _claude("claude-opus-4-8", window=200_000),
    _claude("claude-opus-4-7", window=200_000),
    _claude("claude-opus-4-6", _price(5, 25), window=200_000, off="disabled"),
    _claude("claude-sonnet-4-6", _price(3, 15), window=200_000, output=64_000, off="disabled"),
    _claude("claude-opus-4-5", _price(5, 25), window=200_000, output=64_000, thinking="budget"),
    _claude("claude-sonnet-4-5", _price(3, 15), window=200_000, output=64_000, thinking="budget"),
    _claude("claude-haiku-4-5", _price(1, 5), window=200_000, output=64_000, thinking="budget"),
)


class Catalogue:
    """Finds models by name or alias."""

    def __init__(self, models: tuple[Model, ...] = ANTHROPIC_MODELS) -> None:
        self.models = models
        self._by_name = {name: model for model in models for name in (model.name, *model.aliases)}

    def find(self, name: str) -> Model:
        """The known model, or a cautious entry for a name we do not know: gateways have models of their own."""
        known = self._by_name.get(name) or self._by_name.get(name.lower())
        if known is not None:
            return known
        return Model(name=name, id=name, provider="anthropic", context_window=200_000, max_output_tokens=32_000)

    def nearest(self, name: str) -> str | None:
        """The known name closest to a misspelt one."""
        from difflib import get_close_matches

        return next(iter(get_close_matches(name, list(self._by_name), n=1)), None)
