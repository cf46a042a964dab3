"""Permission rules that stand in files: the person's own, and those that a project brings along.

Only texts are read here, with where they come from; what they mean is none of the settings' business.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from code_assistant.config.kept_rules import KeptRules
from code_assistant.config.load import SETTINGS_FILE
from code_assistant.config.project_files import PROJECT_FOLDER, ProjectFiles
from code_assistant.config.text_files import read_user_file
from code_assistant.config.toml_files import RULES_SECTION, parse_toml
from code_assistant.errors import AssistantError, UsageError

LISTS = ("deny", "ask", "allow")
# Those of another program, whose further keys are none of ours.
FOREIGN_FILES = (".claude/settings.json", ".claude/settings.local.json")
PROJECT_FILE = f"{PROJECT_FOLDER}/{SETTINGS_FILE}"
MOST_RULES = 1_000


@dataclass(frozen=True, slots=True)
class RuleTexts:
    """The rules of one file, list by list. `is_of_project` counts them from the project's root."""

    source: str
    lists: Mapping[str, tuple[str, ...]]
    is_of_project: bool = False


@dataclass(slots=True)
class LoadedRules:
    layers: list[RuleTexts] = field(default_factory=list[RuleTexts])
    warnings: list[str] = field(default_factory=list[str])


def load_own_rules(config_folder: Path, folder: Path, *, kept_here: str, kept_everywhere: str) -> LoadedRules:
    """The person's own: config.toml, and what they keep by `/permissions` for all folders and for this one."""
    loaded = LoadedRules()
    with _Warned(loaded):
        text = read_user_file(config_folder / SETTINGS_FILE)
        _add_toml(loaded, text, config_folder / SETTINGS_FILE, SETTINGS_FILE)
    with _Warned(loaded):
        kept = KeptRules(config_folder)
        for source, lists in ((kept_everywhere, kept.everywhere()), (kept_here, kept.of_folder(folder))):
            _add(loaded, source, cast("dict[str, object]", lists), is_of_project=False)
    return loaded


def load_project_rules(project: ProjectFiles, *, is_trusted: bool) -> LoadedRules:
    """A project's own. What denies or asks always counts; what allows only where the person trusts it."""
    loaded = LoadedRules()
    with _Warned(loaded):
        path = project.root / PROJECT_FILE
        _add_toml(loaded, project.read_limits(path), path, PROJECT_FILE, is_of_project=True)
    for name in FOREIGN_FILES:
        with _Warned(loaded):
            text = project.read_limits(project.root / name)
            if text is not None:
                _add_section(loaded, name, _json_section(text, name), is_of_project=True, knows_all_keys=False)
    return loaded if is_trusted else _without_allowing(loaded)


def _without_allowing(loaded: LoadedRules) -> LoadedRules:
    layers = [
        RuleTexts(each.source, {name: texts for name, texts in each.lists.items() if name != "allow"}, True)
        for each in loaded.layers
    ]
    ignored = [each.source for each in loaded.layers if each.lists.get("allow")]
    words = "rules that allow are ignored: this project is not trusted."
    return LoadedRules(layers, [*loaded.warnings, *(f"{source}: {words}" for source in ignored)])


class _Warned:
    """A file that cannot be used is told of, and costs nothing but its own rules."""

    def __init__(self, loaded: LoadedRules) -> None:
        self._loaded = loaded

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: object) -> bool:
        if not isinstance(error, AssistantError):
            return False
        self._loaded.warnings.append(f"{error.person} NONE OF ITS PERMISSION RULES COUNT.")
        return True


def _add_toml(loaded: LoadedRules, text: str | None, file: Path, name: str, *, is_of_project: bool = False) -> None:
    section = parse_toml(text, file).get(RULES_SECTION) if text is not None else None
    if section is not None:
        _add_section(loaded, name, section, is_of_project=is_of_project, knows_all_keys=True)


def _json_section(text: str, name: str) -> object:
    try:
        document: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name} is not valid JSON.") from error
    if not isinstance(document, dict):
        raise UsageError(f"{name} is not an object.")
    return cast("dict[str, Any]", document).get(RULES_SECTION, {})


def _add_section(
    loaded: LoadedRules, source: str, section: object, *, is_of_project: bool, knows_all_keys: bool
) -> None:
    if not isinstance(section, dict):
        raise UsageError(f"{source}: {RULES_SECTION} is not a table of the lists {', '.join(LISTS)}.")
    lists = cast("dict[str, object]", section)
    if knows_all_keys:
        unknown = [str(key) for key in lists if key not in LISTS]
        shown = ", ".join(ascii(key[:40]) for key in unknown[:5])
        loaded.warnings += [f"{source}: {RULES_SECTION} has no {shown}; its lists are {', '.join(LISTS)}."] * bool(
            shown
        )
    _add(loaded, source, lists, is_of_project=is_of_project)


def _add(loaded: LoadedRules, source: str, lists: Mapping[str, object], *, is_of_project: bool) -> None:
    found = {name: tuple(_texts(loaded, source, name, lists[name])) for name in LISTS if name in lists}
    if any(found.values()):
        loaded.layers.append(RuleTexts(source, found, is_of_project))


def _texts(loaded: LoadedRules, source: str, name: str, value: object) -> Iterator[str]:
    if not isinstance(value, list):
        loaded.warnings.append(f"{source}: {name} is not a list of rules. NOTHING OF IT COUNTS.")
        return
    entries = cast("list[object]", value)
    if len(entries) > MOST_RULES:
        loaded.warnings.append(f"{source}: {name} has {len(entries):,} rules. ONLY THE FIRST {MOST_RULES:,} COUNT.")
    strangers = 0
    for entry in entries[:MOST_RULES]:
        if isinstance(entry, str):
            yield entry
        else:
            strangers += 1
    if strangers:
        loaded.warnings.append(f"{source}: {name} has {strangers} entries that are no text. THEY DO NOT COUNT.")
