"""Settings in layers: defaults, the person's file, the project's file, variables, flags. Later ones win."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from code_assistant.config.declare import SettingValue
from code_assistant.config.keys import KEYS, VARIABLE_PREFIX, Key, with_values
from code_assistant.config.project_files import PROJECT_FOLDER, ProjectFiles
from code_assistant.config.settings import Settings
from code_assistant.config.text_files import read_user_file
from code_assistant.config.toml_files import parse_settings
from code_assistant.config.unknown import nearest, unknown_key_warnings, unknown_variable
from code_assistant.config.values import checked, checked_text, shown
from code_assistant.errors import UsageError
from code_assistant.sanitize import sanitize_line

SETTINGS_FILE = "config.toml"


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """The settings in force, what was wrong but harmless, and where each key's value comes from."""

    settings: Settings
    warnings: tuple[str, ...]
    sources: dict[str, str]


class _Layers:
    """The values so far. Each layer is laid over the ones before it."""

    def __init__(self) -> None:
        self.values: dict[str, SettingValue] = {key.name: key.default for key in KEYS.values()}
        self.sources: dict[str, str] = dict.fromkeys(KEYS, "default")
        self.warnings: list[str] = []

    def set(self, key: Key, value: SettingValue, source: str) -> None:
        self.values[key.name] = value
        self.sources[key.name] = source


def load_settings(
    *,
    environ: Mapping[str, str],
    project: ProjectFiles,
    config_folder: Path,
    flags: Mapping[str, object],
) -> LoadedSettings:
    """Read all layers. Raises UsageError or WorkspaceError for what cannot be used; warns of what is ignored.

    `flags` are dotted keys; None means that the flag was not given, text is read like a variable's.
    """
    layers = _Layers()
    _add_user_file(layers, config_folder / SETTINGS_FILE)
    _add_project_file(layers, project)
    _add_variables(layers, environ)
    _add_flags(layers, flags)
    settings = with_values(layers.values)
    _check_together(settings, layers.sources)
    return LoadedSettings(settings, tuple(layers.warnings), layers.sources)


def _add_user_file(layers: _Layers, file: Path) -> None:
    text = read_user_file(file)
    if text is None:
        return
    keys, source = parse_settings(text, file), sanitize_line(str(file))
    layers.warnings += unknown_key_warnings(source, keys.unknown)
    for name, found in keys.known.items():
        layers.set(KEYS[name], checked(KEYS[name], found, source), source)


def _add_project_file(layers: _Layers, project: ProjectFiles) -> None:
    file = project.root / PROJECT_FOLDER / SETTINGS_FILE
    text = project.read(file)
    if text is None:
        return
    keys, source = parse_settings(text, file), sanitize_line(str(file))
    layers.warnings += unknown_key_warnings(source, keys.unknown)
    for name, found in keys.known.items():
        key = KEYS[name]
        if key.declaration.project == "never":
            layers.warnings.append(f"{source}: {name} is ignored: a project may not set it; set it in your own file.")
            continue
        value = checked(key, found, source)
        if key.declaration.project == "tighten" and key.loosens(value, layers.values[name]):
            layers.warnings.append(
                f"{source}: {name} = {shown(value)} is ignored: a project may only lower it, "
                f"and it is {shown(layers.values[name])} now."
            )
            continue
        layers.set(key, value, source)


def _add_variables(layers: _Layers, environ: Mapping[str, str]) -> None:
    known: set[str] = set()
    for key in KEYS.values():
        for variable in key.variables:
            known.add(variable)
            text = environ.get(variable, "")
            if text.strip():
                layers.set(key, checked_text(key, text.strip(), variable), variable)
    strangers = sorted(name for name in environ if name.startswith(VARIABLE_PREFIX) and name not in known)
    layers.warnings += [unknown_variable(name) for name in strangers]


def _add_flags(layers: _Layers, flags: Mapping[str, object]) -> None:
    for name, found in flags.items():
        if found is None:
            continue
        key = KEYS.get(name)
        if key is None:
            raise UsageError(f"There is no setting {name}{nearest(name, list(KEYS))}")
        check = checked_text(key, found, "flags") if isinstance(found, str) else checked(key, found, "flags")
        layers.set(key, check, "flags")


def _check_together(settings: Settings, sources: Mapping[str, str]) -> None:
    platform = settings.anthropic.platform
    if platform != "api" and settings.anthropic.transport != "sdk":
        raise UsageError(
            f'anthropic.platform is "{platform}" (from {sources["anthropic.platform"]}), which needs '
            f'anthropic.transport = "sdk", but that is "{settings.anthropic.transport}" '
            f"(from {sources['anthropic.transport']}). Set anthropic.transport to sdk."
        )
