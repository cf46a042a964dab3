"""What the files say that would become active, as lines for the person: commands, servers and rules exactly."""

from __future__ import annotations

import json
import shlex
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias, cast

from code_assistant.config.project_files import HOLDS_REPOSITORY, PROJECT_FOLDER, ProjectFiles, trusted
from code_assistant.config.trusted_parts import FOREIGN_FOLDER, FOREIGN_SETTINGS, SERVERS_FILE, Parts, PartsWalk
from code_assistant.errors import WorkspaceError

MAX_LINES = 400
MAX_CHARACTERS = 4_000
MAX_SECTIONS = 200
HOOKS = "Hooks: would run by themselves, without a question (not in this version)"
SERVERS = "MCP servers: programs that would be started (not in this version)"
ALLOWED = "Allow rules: no longer asked about"
KEPT = "Deny and ask rules: they count in any case, trusted or not"
NOT_UNDERSTOOD = "Rules that are not understood: they do nothing"
OTHER = "Other settings: they do nothing here, trusted or not"
OWN = "Settings: they count once trusted, and only lower limits"
UNUSED = "not used by this version"
OWN_SETTINGS = f"{PROJECT_FOLDER}/config.toml"
UNUSED_FOLDERS = tuple(
    f"{folder}/{name}/" for folder in (PROJECT_FOLDER, FOREIGN_FOLDER) for name in ("agents", "commands", "hooks")
)
IsRule: TypeAlias = Callable[[str], bool]


def contents_of(root: Path, parts: Parts, is_rule: IsRule) -> Parts:
    """Headings with their lines, of parts that are there; each line is one, whatever stands in it."""
    project = ProjectFiles(root, trusted)
    walk = PartsWalk(project)
    sections: list[tuple[str, tuple[str, ...]]] = []
    for _, names in parts:
        # Of git nothing is read that anybody could look through.
        for name in (each for each in names if each != HOLDS_REPOSITORY):
            sections += _sections(project, walk, Path(name), is_rule)
    left = len(sections) - MAX_SECTIONS
    return (*sections[:MAX_SECTIONS], *(((f"{left} more are not shown", ()),) if left > 0 else ()))


def _sections(project: ProjectFiles, walk: PartsWalk, path: Path, is_rule: IsRule) -> list[tuple[str, tuple[str, ...]]]:
    found: list[tuple[str, tuple[str, ...]]] = []
    try:
        for file in walk.files(path):
            text = project.read(file)
            if text is not None:
                found += [
                    (f"{file} · {heading}" if heading else str(file), _bounded(lines))
                    for heading, lines in _told(str(file), text, is_rule)
                ]
            if len(found) > MAX_SECTIONS:
                break
    except WorkspaceError as error:
        found.append((f"{path} · cannot be read", (str(error),)))
    return found


def _told(name: str, text: str, is_rule: IsRule) -> list[tuple[str, list[str]]]:
    if name == OWN_SETTINGS and (own := _own_document(text)) is not None:
        rules = _mapping(own.get("permissions"))
        found = _rules(rules, is_rule)
        left = {key: value for key, value in own.items() if value != {}}
        found.append((OWN, [f"{key} = {_json(value)}" for key, value in _flat(left)]))
        return [(heading, lines) for heading, lines in found if lines]
    document = _document(text) if name in (*FOREIGN_SETTINGS, SERVERS_FILE) else None
    if document is None:
        return [(UNUSED if name.startswith(UNUSED_FOLDERS) else "", text.splitlines())]
    if name == SERVERS_FILE:
        servers = _mapping(document.pop("mcpServers", {}))
        sections = [(SERVERS, [_server(each, entry) for each, entry in servers.items()])]
    else:
        rules = _mapping(document.get("permissions"))
        sections = [(HOOKS, [*_hooks(document.pop("hooks", {}))]), *_rules(rules, is_rule)]
        document = {key: value for key, value in document.items() if value != {}}
    sections.append((OTHER, [f"{key} = {_json(value)}" for key, value in document.items()]))
    return [(heading, lines) for heading, lines in sections if lines]


def _rules(section: dict[str, Any], is_rule: IsRule) -> list[tuple[str, list[str]]]:
    """Takes the lists out of the section, and gives them by what they do."""
    allowed: list[str] = []
    kept: list[str] = []
    strange: list[str] = []
    for name, told in (("allow", allowed), ("deny", kept), ("ask", kept)):
        found = section.pop(name, [])
        for entry in cast("list[object]", found) if isinstance(found, list) else [found]:
            is_known = isinstance(found, list) and isinstance(entry, str) and is_rule(entry)
            words = entry if isinstance(entry, str) else _json(entry)
            (told if is_known else strange).append(words if name == "allow" and is_known else f"{name}: {words}")
    return [(ALLOWED, allowed), (KEPT, kept), (NOT_UNDERSTOOD, strange)]


def _hooks(hooks: object) -> Iterator[str]:
    """As they are usually written; what is written otherwise is shown as it stands."""
    for event, groups in _mapping(hooks).items():
        for group in _listed(groups):
            entry = _mapping(group)
            matcher = f" ({entry['matcher']})" if entry.get("matcher") else ""
            for hook in _listed(entry.get("hooks", group)):
                command = _mapping(hook).get("command")
                yield f"{event}{matcher}: {command if isinstance(command, str) else _json(hook)}"
    if not isinstance(hooks, dict):
        yield _json(hooks)


def _server(name: str, entry: object) -> str:
    described = dict(_mapping(entry))
    command, arguments = described.pop("command", None), described.pop("args", [])
    words = [command, *_listed(arguments)]
    if not all(isinstance(word, str) for word in words):
        return f"{name}: {_json(entry)}"
    rest = f"  {_json(described)}" if described else ""
    return f"{name}: {shlex.join(cast('list[str]', words))}{rest}"


def _own_document(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return None


def _flat(document: dict[str, Any], before: str = "") -> Iterator[tuple[str, object]]:
    """Each setting by its whole name, as in `limits.max_turns`."""
    for key, value in document.items():
        if isinstance(value, dict):
            yield from _flat(cast("dict[str, Any]", value), f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def _document(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None


def _mapping(found: object) -> dict[str, Any]:
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _listed(found: object) -> list[Any]:
    return cast("list[Any]", found) if isinstance(found, list) else [found]


def _json(found: object) -> str:
    return json.dumps(found, ensure_ascii=False, default=str)


def _bounded(lines: list[str]) -> tuple[str, ...]:
    shown = [
        line
        if len(line) <= MAX_CHARACTERS
        else f"{line[:MAX_CHARACTERS]} … {len(line) - MAX_CHARACTERS} more characters"
        for line in lines[:MAX_LINES]
    ]
    left = len(lines) - MAX_LINES
    return (*shown, *((f"… {left} more lines",) if left > 0 else ()))
