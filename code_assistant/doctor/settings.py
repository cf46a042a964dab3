"""The settings and the models, as their files and the environment give them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from code_assistant.config.key_variables import MODELS_FILE
from code_assistant.config.load import SETTINGS_FILE, LoadedSettings, load_settings
from code_assistant.config.project_files import ProjectFiles
from code_assistant.doctor.finding import Finding, note, ok, problem
from code_assistant.errors import AssistantError
from code_assistant.llm.catalogue import Catalogue
from code_assistant.model_choice import load_catalogue


def check_settings(
    environ: Mapping[str, str], config_folder: Path, project: ProjectFiles
) -> tuple[tuple[Finding, ...], LoadedSettings | None]:
    """Also gives the settings, None where they cannot be had."""
    try:
        loaded = load_settings(environ=environ, project=project, config_folder=config_folder, flags={})
    except AssistantError as error:
        return (problem("settings", error.person),), None
    notes = tuple(note("settings", warning) for warning in loaded.warnings)
    return notes or (ok("settings", _where(config_folder / SETTINGS_FILE)),), loaded


def check_models(
    environ: Mapping[str, str], config_folder: Path, project: ProjectFiles
) -> tuple[tuple[Finding, ...], Catalogue]:
    """Also gives the models, our own only where the file is no good."""
    try:
        catalogue, warnings = load_catalogue(environ, project)
    except AssistantError as error:
        return (problem("models", error.person),), Catalogue()
    known = (
        f"{len(catalogue.models)} models, {len(catalogue.providers)} services; {_where(config_folder / MODELS_FILE)}"
    )
    return (ok("models", known), *(note("models", warning) for warning in warnings)), catalogue


def _where(file: Path) -> str:
    return f"read from {file}" if file.exists() else f"the defaults, for there is no {file}"
