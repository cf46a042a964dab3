"""What a project says about itself in its manifests: name, description, commands, dependencies, each with its line."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

from code_assistant.llm.offline.languages import name_of
from code_assistant.llm.offline.tool_texts import FileText

FactKind: TypeAlias = Literal["name", "description", "needs", "command", "entry", "dependencies"]

# In the order in which they are worth reading.
MANIFEST_NAMES = (
    "pyproject.toml",
    "package.json",
    "Cargo.toml",
    "go.mod",
    "setup.cfg",
    "setup.py",
    "requirements.txt",
    "composer.json",
    "Gemfile",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "CMakeLists.txt",
    "Makefile",
    "GNUmakefile",
    "justfile",
    "Dockerfile",
    "docker-compose.yml",
    "compose.yaml",
    "tox.ini",
)
MOST_COMMANDS = 8
MOST_DEPENDENCIES = 12
_TARGET = re.compile(r"([A-Za-z][\w./-]*)(?:\s+[A-Za-z][\w./-]*)*\s*:(?:[^=]|\Z)")
_REQUIREMENT = re.compile(r"[A-Za-z0-9][\w.-]*")
_GO_REQUIRE = re.compile(r"\s*(?:require\s+)?([\w.-]+\.[\w./~-]+)\s+v[\w.+-]+(?:\s*//\s*(indirect))?")


@dataclass(frozen=True, slots=True)
class Fact:
    """`text` in the manifest's words; of a command also what it runs, in `detail`."""

    kind: FactKind
    text: str
    path: str
    line: int
    detail: str = ""


def is_readme(path: str) -> bool:
    return name_of(path).lower().split(".")[0] == "readme"


def facts_of(file: FileText) -> tuple[Fact, ...]:
    """What one manifest tells; nothing where it was not read whole or is not what its name says."""
    reader = _READERS.get(name_of(file.path))
    if reader is None or not file.lines:
        return ()
    try:
        return tuple(reader(file))
    except (ValueError, TypeError, AttributeError, RecursionError):
        # Somebody else's file may be anything: then it tells nothing.
        return ()


def _text(file: FileText) -> str:
    return "\n".join(line.text for line in file.lines)


def _line(file: FileText, *patterns: str) -> int:
    """Where the last pattern matches, each being looked for behind the one before it."""
    lines = iter(file.lines)
    number = file.lines[0].number
    for pattern in patterns:
        number = next((line.number for line in lines if re.search(pattern, line.text)), number)
    return number


def _fact(file: FileText, kind: FactKind, value: object, *patterns: str, detail: object = "") -> Iterator[Fact]:
    if isinstance(value, str) and value.strip():
        yield Fact(kind, value, file.path, _line(file, *patterns), str(detail))


def _table(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def _names(file: FileText, names: Iterable[object], *patterns: str) -> Iterator[Fact]:
    found = [match[0] for name in names if isinstance(name, str) and (match := re.match(r"@?[\w./-]+", name))]
    if found:
        more = f" and {len(found) - MOST_DEPENDENCIES} more" if len(found) > MOST_DEPENDENCIES else ""
        listed = ", ".join(found[:MOST_DEPENDENCIES])
        yield Fact("dependencies", f"{listed}{more}", file.path, _line(file, *patterns))


def _commands(file: FileText, commands: Mapping[str, Any], kind: FactKind, prefix: str, section: str) -> Iterator[Fact]:
    for name, runs in list(commands.items())[:MOST_COMMANDS]:
        yield from _fact(file, kind, f"{prefix}{name}", section, rf'^\s*"?{re.escape(name)}"?\s*[=:]', detail=runs)


def _pyproject(file: FileText) -> Iterator[Fact]:
    data = tomllib.loads(_text(file))
    poetry = _table(_table(data.get("tool")).get("poetry"))
    project = _table(data.get("project")) or poetry
    header = r"^\[project\]" if "project" in data else r"^\[tool\.poetry\]"
    yield from _fact(file, "name", project.get("name"), header, r"^name\s*=")
    yield from _fact(file, "description", project.get("description"), header, r"^description\s*=")
    python = project.get("requires-python")
    if isinstance(python, str):
        yield from _fact(file, "needs", f"Python {python}", header, r"^requires-python\s*=")
    scripts = _table(project.get("scripts"))
    yield from _commands(file, scripts, "entry", "", r"^\[(?:project|tool\.poetry)\.scripts\]")
    dependencies = project.get("dependencies")
    names = cast("list[object]", dependencies) if isinstance(dependencies, list) else list(_table(dependencies))
    yield from _names(file, names, r"^dependencies\s*=|^\[tool\.poetry\.dependencies\]")


def _package_json(file: FileText) -> Iterator[Fact]:
    data = _table(json.loads(_text(file)))
    yield from _fact(file, "name", data.get("name"), r'^\s*"name"\s*:')
    yield from _fact(file, "description", data.get("description"), r'^\s*"description"\s*:')
    node = _table(data.get("engines")).get("node")
    if isinstance(node, str):
        yield from _fact(file, "needs", f"Node {node}", r'"engines"', r'"node"')
    yield from _fact(file, "entry", data.get("main"), r'^\s*"main"\s*:')
    yield from _commands(file, _table(data.get("bin")), "entry", "", r'^\s*"bin"\s*:')
    yield from _commands(file, _table(data.get("scripts")), "command", "npm run ", r'^\s*"scripts"\s*:')
    yield from _names(file, _table(data.get("dependencies")), r'^\s*"dependencies"\s*:')


def _cargo(file: FileText) -> Iterator[Fact]:
    data = tomllib.loads(_text(file))
    package = _table(data.get("package"))
    yield from _fact(file, "name", package.get("name"), r"^\[package\]", r"^name\s*=")
    yield from _fact(file, "description", package.get("description"), r"^\[package\]", r"^description\s*=")
    if package:
        yield Fact("command", "cargo run", file.path, _line(file, r"^\[package\]"))
        yield Fact("command", "cargo test", file.path, _line(file, r"^\[package\]"))
    members = _table(data.get("workspace")).get("members")
    if isinstance(members, list):
        listed = ", ".join(str(each) for each in cast("list[object]", members)[:MOST_DEPENDENCIES])
        yield from _fact(file, "entry", f"workspace of {listed}", r"^\[workspace\]")
    yield from _names(file, _table(data.get("dependencies")), r"^\[dependencies\]")


def _go_mod(file: FileText) -> Iterator[Fact]:
    for line in file.lines:
        if line.text.startswith("module "):
            yield Fact("name", line.text.removeprefix("module ").strip(), file.path, line.number)
        elif re.fullmatch(r"go [0-9.]+", line.text.strip()):
            yield Fact("needs", f"Go {line.text.strip()[3:]}", file.path, line.number)
    required = [
        (found[1], line.number) for line in file.lines if (found := _GO_REQUIRE.match(line.text)) and not found[2]
    ]
    if required:
        yield from _names(file, [name for name, _ in required], rf"{re.escape(required[0][0])}\s")


def _makefile(file: FileText) -> Iterator[Fact]:
    runner = "just" if name_of(file.path) == "justfile" else "make"
    seen: set[str] = set()
    for line in file.lines:
        found = _TARGET.match(line.text)
        if found is None or "/" in found[1] or "." in found[1] or found[1] in seen or len(seen) == MOST_COMMANDS:
            continue
        seen.add(found[1])
        help_text = line.text.partition("##")[2].strip()
        yield Fact("command", f"{runner} {found[1]}", file.path, line.number, help_text)


def _requirements(file: FileText) -> Iterator[Fact]:
    names = [found[0] for line in file.lines if (found := _REQUIREMENT.match(line.text))]
    yield from _names(file, names, r"^[A-Za-z0-9]")


def _composer(file: FileText) -> Iterator[Fact]:
    data = _table(json.loads(_text(file)))
    yield from _fact(file, "name", data.get("name"), r'^\s*"name"\s*:')
    yield from _fact(file, "description", data.get("description"), r'^\s*"description"\s*:')
    yield from _commands(file, _table(data.get("scripts")), "command", "composer ", r'^\s*"scripts"\s*:')
    yield from _names(file, _table(data.get("require")), r'^\s*"require"\s*:')


def _by_lines(kind: FactKind, pattern: str) -> Callable[[FileText], Iterator[Fact]]:
    compiled = re.compile(pattern)

    def read(file: FileText) -> Iterator[Fact]:
        for line in file.lines:
            if found := compiled.search(line.text):
                yield Fact(kind, found[1], file.path, line.number)
                return

    return read


_READERS: Mapping[str, Callable[[FileText], Iterator[Fact]]] = {
    "pyproject.toml": _pyproject,
    "package.json": _package_json,
    "Cargo.toml": _cargo,
    "go.mod": _go_mod,
    "composer.json": _composer,
    "requirements.txt": _requirements,
    "Makefile": _makefile,
    "GNUmakefile": _makefile,
    "justfile": _makefile,
    "setup.cfg": _by_lines("name", r"^name\s*=\s*(\S+)"),
    "setup.py": _by_lines("name", r"""\bname\s*=\s*["']([^"']+)["']"""),
    "pom.xml": _by_lines("name", r"<artifactId>([^<]+)</artifactId>"),
    "CMakeLists.txt": _by_lines("name", r"(?i:project)\s*\(\s*([\w.-]+)"),
    "Dockerfile": _by_lines("needs", r"^FROM\s+(\S+)"),
}
