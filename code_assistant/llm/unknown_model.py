"""What is said of a model that the service does not know: the nearest known name, and what else there is."""

from __future__ import annotations

from code_assistant.errors import UnknownModel
from code_assistant.llm.catalogue import Catalogue
from code_assistant.llm.model import Model


def unknown_model(model: Model, catalogue: Catalogue, error: UnknownModel, said: str = "") -> UnknownModel:
    """The error in words that help; `said` is what the service itself says about it."""
    nearest = catalogue.nearest(model.name)
    hint = f" Did you mean {nearest}?" if nearest and nearest != model.name else ""
    aliases = [alias for each in catalogue.models if each.provider == model.provider for alias in each.aliases]
    others = ", ".join([*aliases, "or a full name"]) if aliases else "its full name"
    words = (
        f"The service does not know the model {model.name!r}{f' ({said})' if said else ''}.{hint} "
        f"Choose another with -m: {others}."
    )
    return UnknownModel(words, status=error.status)
