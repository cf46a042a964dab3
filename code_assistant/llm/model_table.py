"""All models and providers by name, as checked models files describe them; later files are laid over earlier ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from code_assistant.errors import UsageError
from code_assistant.llm.model import Model, Price, Provider

CAUTIOUS_WINDOW = 200_000
CAUTIOUS_OUTPUT = 32_000
# What servers on this machine often load a model with when nobody says how much it shall hold, or a little more.
CAUTIOUS_LOCAL_WINDOW = 32_768
# There prompt and answer share the window; some refuse a request whose answer could not fit beside its prompt.
OUTPUT_SHARE = 4
# Anthropic prices a five-minute cache write at 1.25 times and a cache read at a tenth of the input price.
CACHE_WRITE, CACHE_READ = 1.25, 0.1


class ModelTable:
    def __init__(self) -> None:
        self.models: dict[str, Model] = {}
        self.providers: dict[str, Provider] = {}

    def copy(self) -> ModelTable:
        copied = ModelTable()
        copied.models, copied.providers = dict(self.models), dict(self.providers)
        return copied

    def lay(self, document: Mapping[str, Any], file: str) -> None:
        """Add what a file says whose form is known to be right. Raises UsageError for what does not fit together."""
        for name, entry in document.get("providers", {}).items():
            self.providers[name] = self._provider(name, entry, file)
        for name, entry in document.get("models", {}).items():
            self.models[name] = self._model(name, entry, file)

    def _provider(self, name: str, entry: Mapping[str, Any], file: str) -> Provider:
        known = self.providers.get(name)
        if known is not None:
            return replace(known, **entry)
        if "kind" not in entry:
            raise UsageError(f'{file}: providers.{name} needs a kind: "openai" or "anthropic".')
        if entry["kind"] == "openai" and not entry.get("base_url"):
            raise UsageError(f"{file}: providers.{name} needs a base_url, such as http://127.0.0.1:8000/v1.")
        return replace(Provider(name=name, kind=entry["kind"], title=name), **entry)

    def _model(self, name: str, entry: Mapping[str, Any], file: str) -> Model:
        known = self.models.get(name)
        if known is None and "provider" not in entry:
            raise UsageError(f"{file}: models.{name} needs a provider: {', '.join(sorted(self.providers))}.")
        provider = entry.get("provider") or (known.provider if known is not None else "")
        if provider not in self.providers:
            raise UsageError(
                f"{file}: models.{name}: there is no provider {provider!r}. "
                f"There are: {', '.join(sorted(self.providers))}."
            )
        base = known or undescribed_model(name, self.providers[provider])
        said = {**entry}
        if "prices" in entry:
            said["prices"] = tuple(_price(price) for price in entry["prices"])
        if "aliases" in entry:
            said["aliases"] = tuple(entry["aliases"])
        return replace(base, **said)


def undescribed_model(name: str, provider: Provider, model_id: str | None = None) -> Model:
    """A cautious entry for a model that nothing is known about."""
    window = CAUTIOUS_LOCAL_WINDOW if provider.is_local else CAUTIOUS_WINDOW
    return Model(
        name=name,
        id=model_id or name,
        provider=provider.name,
        context_window=window,
        max_output_tokens=min(CAUTIOUS_OUTPUT, window // OUTPUT_SHARE),
    )


def _price(entry: Mapping[str, Any]) -> Price:
    write = entry.get("cache_write", entry["input"] * CACHE_WRITE)
    read = entry.get("cache_read", entry["input"] * CACHE_READ)
    return Price(entry["input"], entry["output"], write, read, entry.get("prompt_limit"))
