"""The model catalogue: which models are known, by name or alias, and who serves them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from code_assistant.llm.model import Model, Provider
from code_assistant.llm.model_table import ModelTable, undescribed_model
from code_assistant.own_texts import own_text

DEFAULT_PROVIDER = "anthropic"
BUILT_IN = "models.toml"
# What stands between a provider's name and one of its models that nobody has described.
SEPARATOR = "/"


@cache
def _built_in() -> ModelTable:
    table = ModelTable()
    table.lay(tomllib.loads(own_text("llm", BUILT_IN)), BUILT_IN)
    return table


class Catalogue:
    """Finds models by name or alias. `layers` are models files, each with its name, to lay over our own."""

    def __init__(self, layers: Iterable[tuple[str, Mapping[str, Any]]] = ()) -> None:
        table = _built_in().copy()
        for name, document in layers:
            # Who has no file of their own need not wait for what checks it.
            from code_assistant.llm.models_file import checked_models

            table.lay(checked_models(document, name), name)
        self.providers = table.providers
        self._models = table.models
        self._aliases = {alias: model for model in table.models.values() for alias in model.aliases}

    @property
    def models(self) -> tuple[Model, ...]:
        return tuple(self._models.values())

    def add(self, model: Model) -> None:
        """One that was found while the program runs; what a file says of that name counts more."""
        self._models.setdefault(model.name, model)
        # One of a recording may be of a provider that is not known here.
        self.providers.setdefault(model.provider, Provider(model.provider, "openai", model.provider))

    def find(self, name: str) -> Model:
        """The known model, or a cautious entry for a name we do not know: services have models of their own.

        `provider/id` is any model of that provider.
        """
        for spelling in (name, name.lower()):
            known = self._models.get(spelling) or self._aliases.get(spelling)
            if known is not None:
                return known
        if self._has_provider(name):
            provider, _, model_id = name.partition(SEPARATOR)
            return undescribed_model(name, self.providers[provider], model_id)
        return undescribed_model(name, self.providers[DEFAULT_PROVIDER])

    def is_guess(self, name: str) -> bool:
        """Whether nothing is known of a name, not even who serves it."""
        return self.find(name).name not in self._models and not self._has_provider(name)

    def _has_provider(self, name: str) -> bool:
        provider, separator, model_id = name.partition(SEPARATOR)
        return bool(separator and model_id) and provider in self.providers

    def provider_of(self, model: Model) -> Provider:
        return self.providers[model.provider]

    def nearest(self, name: str) -> str | None:
        """The known name closest to a misspelt one."""
        from difflib import get_close_matches

        return next(iter(get_close_matches(name, [*self._models, *self._aliases], n=1)), None)
