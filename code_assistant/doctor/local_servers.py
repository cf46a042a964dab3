"""The model servers that run on this machine."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from code_assistant.doctor.finding import Finding, ok
from code_assistant.llm.local_servers import find_local_models
from code_assistant.llm.model import Model, Provider

TITLE = "local servers"


async def check_local_servers(providers: Mapping[str, Provider]) -> tuple[Finding, ...]:
    by_provider: defaultdict[str, list[Model]] = defaultdict(list)
    for model in await find_local_models(providers.values()):
        by_provider[model.provider].append(model)
    if not by_provider:
        return (ok(TITLE, "none found"),)
    return tuple(ok(TITLE, _words(providers[name], models)) for name, models in by_provider.items())


def _words(provider: Provider, models: list[Model]) -> str:
    first = models[0].name
    return f"{provider.title} with {first if len(models) == 1 else f'{len(models)} models, such as {first}'}"
