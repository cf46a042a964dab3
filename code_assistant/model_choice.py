"""Which models there are and which one a session starts with: files, keys, and what the person chose before."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from code_assistant.config.credentials import Credentials
from code_assistant.config.key_variables import MODELS_FILE
from code_assistant.config.load import LoadedSettings
from code_assistant.config.paths import config_folder
from code_assistant.config.project_files import PROJECT_FOLDER, ProjectFiles
from code_assistant.config.text_files import read_user_file
from code_assistant.config.toml_files import parse_toml
from code_assistant.errors import AssistantError, WorkspaceError
from code_assistant.llm.catalogue import DEFAULT_PROVIDER, Catalogue
from code_assistant.llm.model import Model, Provider
from code_assistant.private_files import make_private_folder, private_descriptor
from code_assistant.sanitize import sanitize_line

OPENAI_ADDRESS_VARIABLE = "OPENAI_BASE_URL"
OFFLINE = "offline"
# The models to begin with for a key that is there, when nobody has said which one they want.
MODEL_OF_KEY = (
    ("ANTHROPIC_API_KEY", "sonnet"),
    ("OPENAI_API_KEY", "gpt"),
    ("OPENROUTER_API_KEY", "openrouter/openrouter/auto"),
)
REMEMBERED_FILE = "model"
UNTRUSTED = "{0} is ignored: a project's models count only where you trust the folder."
KNOWN = "{0}: {1} is ignored: a project may add models, and change none that there is."
ADDRESSES = "{0}: providers are ignored: addresses and keys never come from a project."


@dataclass(frozen=True, slots=True)
class StartModel:
    """`is_makeshift` is whether it was taken only because nothing else is set up."""

    name: str
    is_makeshift: bool = False


def load_catalogue(environ: Mapping[str, str], project: ProjectFiles) -> tuple[Catalogue, tuple[str, ...]]:
    """Our own models, those of the person's file, those of a project that is trusted; and what is to be said of it."""
    layers: list[tuple[str, Mapping[str, Any]]] = []
    warnings: list[str] = []
    own = config_folder(environ) / MODELS_FILE
    text = read_user_file(own)
    if text is not None:
        layers.append((str(own), parse_toml(text, own)))
    address = environ.get(OPENAI_ADDRESS_VARIABLE, "").strip()
    if address:
        layers.append((OPENAI_ADDRESS_VARIABLE, {"providers": {"openai": {"base_url": address}}}))
    theirs = project.root / PROJECT_FOLDER / MODELS_FILE
    source = sanitize_line(str(theirs))
    catalogue = Catalogue(layers)
    if not os.path.lexists(theirs):
        return catalogue, ()
    text = project.read(theirs)
    if text is None:
        return catalogue, (UNTRUSTED.format(source),)
    document = parse_toml(text, theirs)
    if document.pop("providers", None) is not None:
        warnings.append(ADDRESSES.format(source))
    layers.append((source, _only_new(document, source, catalogue, warnings)))
    return Catalogue(layers), tuple(warnings)


def _only_new(document: dict[str, Any], file: str, known: Catalogue, warnings: list[str]) -> dict[str, Any]:
    """Without what would give another meaning to a name that has one: whoever says it means what they know."""
    models = document.get("models")
    if not isinstance(models, dict):
        return document
    kept: dict[str, Any] = {}
    for name, entry in cast("dict[str, Any]", models).items():
        if not known.is_guess(name):
            warnings.append(KNOWN.format(file, f"models.{name}"))
            continue
        kept[name] = entry
        aliases = cast("dict[str, Any]", entry).get("aliases") if isinstance(entry, dict) else None
        if isinstance(aliases, list):
            taken = [each for each in cast("list[Any]", aliases) if not known.is_guess(str(each))]
            warnings += [KNOWN.format(file, f"the alias {each} of models.{name}") for each in taken]
            kept[name] = {**entry, "aliases": [each for each in cast("list[Any]", aliases) if each not in taken]}
    return {**document, "models": kept}


def start_model(
    loaded: LoadedSettings,
    catalogue: Catalogue,
    credentials: Credentials,
    state_folder: Path,
    *,
    is_person_there: bool,
) -> StartModel:
    """The model that was asked for, else the one chosen last, one that there is a key for, the explorer without one.

    Without a person the last is no choice: a script must not take its answers for those of a model.
    """
    wanted = loaded.settings.model
    if loaded.sources["model"] != "default":
        return StartModel(wanted)
    remembered = remembered_model(state_folder) if is_person_there else None
    if remembered is not None and _is_usable(catalogue.find(remembered), catalogue, credentials):
        return StartModel(remembered)
    if credentials.chosen is not None or loaded.settings.anthropic.platform != "api":
        return StartModel(wanted)
    for variable, name in MODEL_OF_KEY:
        if credentials.get(variable) is not None:
            return StartModel(name)
    if not is_person_there:
        return StartModel(wanted)
    # The explorer is what one takes where there is nothing else, so that it is no makeshift only by choice.
    return StartModel(OFFLINE, is_makeshift=remembered is None or catalogue.find(remembered).writes)


def _is_usable(model: Model, catalogue: Catalogue, credentials: Credentials) -> bool:
    """Whether a model that was chosen once can be had now, and is one."""
    provider = catalogue.provider_of(model)
    return model.writes and (not provider.key_variable or key_of(credentials, provider) is not None)


def key_of(credentials: Credentials, provider: Provider) -> str | None:
    """The key that a provider is reached with; Anthropic takes a token as well."""
    return credentials.chosen if provider.name == DEFAULT_PROVIDER else credentials.get(provider.key_variable)


def remembered_model(state_folder: Path) -> str | None:
    """What the person chose when the program was set up; None where it cannot be told."""
    with suppress(AssistantError):
        text = (read_user_file(state_folder / REMEMBERED_FILE) or "").strip()
        return text if text and text.isprintable() and len(text) <= 300 else None
    return None


def remember_model(state_folder: Path, name: str) -> None:
    make_private_folder(state_folder)
    file = state_folder / REMEMBERED_FILE
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        raise WorkspaceError(f"{file} cannot be written: {error.strerror or error}.") from error
    with os.fdopen(private_descriptor(file), "w", encoding="utf-8") as opened:
        opened.write(f"{name}\n")
