"""What a definition looks like in each language. The patterns hold for Python's engine and for ripgrep's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from code_assistant.llm.offline.calls import literal
from code_assistant.llm.offline.languages import language_of
from code_assistant.llm.offline.tool_texts import FileText

# In each pattern @ stands for the name, and \x40 for an @.
_PYTHON = (
    ("class", r"^\s*class\s+@\b"),
    ("function", r"^\s*(?:async\s+)?def\s+@\b"),
    ("type", r"^\s*type\s+@\b"),
    ("variable", r"^@\s*(?::[^=]+)?=(?:[^=]|$)"),
)
_SCRIPT = (
    ("class", r"^\s*(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\s+@\b"),
    ("function", r"^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*@\b"),
    ("type", r"^\s*(?:export\s+)?(?:declare\s+)?(?:const\s+)?(?:interface|type|enum|namespace)\s+@\b"),
    ("variable", r"^(?:export\s+)?(?:const|let|var)\s+@\b"),
    ("method", r"^\s+(?:(?:public|private|protected|static|async|get|set|readonly)\s+)+@\s*\("),
)
_GO = (
    ("function", r"^func\s+(?:\([^)]*\)\s*)?@\b"),
    ("type", r"^type\s+@\b"),
    ("variable", r"^(?:var|const)\s+@\b"),
)
_RUST = (
    ("function", r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:(?:const|async|unsafe)\s+)*fn\s+@\b"),
    ("type", r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:struct|enum|trait|union|type)\s+@\b"),
    ("module", r"^\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+@\b"),
    ("variable", r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:const|static)\s+@\b"),
    ("macro", r"^\s*macro_rules!\s+@\b"),
)
_OBJECTS = (
    ("class", r"^\s*(?:[\w\x40]+\s+)*(?:class|interface|enum|record|object|struct|trait|protocol|extension)\s+@\b"),
    ("function", r"^\s*(?:\w+\s+)*(?:fun|func|def)\s+(?:<[^>]*>\s*)?(?:\w+\.)?@\b"),
    (
        "method",
        r"^\s*(?:(?:public|private|protected|internal|static|final|override|abstract|virtual|async)\s+)+[\w<>\[\],.?\s]*\b@\s*\(",
    ),
)
_C = (
    ("macro", r"^\s*#\s*define\s+@\b"),
    ("type", r"^\s*(?:typedef\s+)?(?:template\s*<[^>]*>\s*)?(?:struct|class|enum(?:\s+class)?|union|namespace)\s+@\b"),
    ("type", r"^\s*typedef\b.*\b@\s*;"),
    ("type", r"^\s*using\s+@\s*="),
    ("function", r"^[A-Za-z_][\w\s*&:<>,~]*[\s*&:~]@\s*\([^;]*$"),
)
_RUBY = (
    ("class", r"^\s*(?:class|module)\s+(?:\w+::)*@\b"),
    ("function", r"^\s*def\s+(?:self\.)?@"),
    ("variable", r"^\s*@\s*=(?:[^=~>]|$)"),
)
_PHP = (
    ("class", r"^\s*(?:(?:abstract|final|readonly)\s+)*(?:class|interface|trait|enum)\s+@\b"),
    ("function", r"^\s*(?:(?:public|private|protected|static|abstract|final)\s+)*function\s+&?\s*@\b"),
    ("variable", r"^\s*(?:(?:public|private|protected)\s+)?const\s+@\b"),
)
_SHELL = (
    ("function", r"^\s*(?:function\s+)?@\s*\(\)"),
    ("function", r"^\s*function\s+@\b"),
    ("variable", r"^\s*(?:export\s+|readonly\s+|declare\s+)?@="),
)
_ELIXIR = (("module", r"^\s*defmodule\s+(?:\w+\.)*@\b"), ("function", r"^\s*(?:defp?|defmacrop?)\s+@\b"))
_LUA = (("function", r"^\s*(?:local\s+)?function\s+(?:[\w.]+[.:])?@\b"), ("variable", r"^local\s+@\b"))
_SQL = (("table", r"^\s*(?i:create)\s+(?:\w+\s+)*(?i:table|view|function|procedure|index)\s+(?:\w+\.)?@\b"),)
_MAKE = (("target", r"^@\s*:(?:[^=]|$)"), ("variable", r"^@\s*[:?+]?="))
_TABLE = {
    "Python": _PYTHON,
    "JavaScript": _SCRIPT,
    "TypeScript": _SCRIPT,
    "Vue": _SCRIPT,
    "Svelte": _SCRIPT,
    "Go": _GO,
    "Rust": _RUST,
    "Java": _OBJECTS,
    "Kotlin": _OBJECTS,
    "C#": _OBJECTS,
    "Swift": _OBJECTS,
    "Scala": _OBJECTS,
    "Dart": _OBJECTS,
    "C": _C,
    "C++": _C,
    "Ruby": _RUBY,
    "PHP": _PHP,
    "Shell": _SHELL,
    "Elixir": _ELIXIR,
    "Lua": _LUA,
    "SQL": _SQL,
    "Make": _MAKE,
    "Protobuf": (("type", r"^\s*(?:message|service|enum|rpc)\s+@\b"),),
}
_ANY_NAME = r"(?P<name>[A-Za-z_$][\w$]*)"
# Enough of a line to see what it defines, and little enough for any pattern.
_SEEN_CHARACTERS = 300
# What most languages have in front of a name they define, for finding it among very many uses.
_BROAD = (
    r"\b(?:class|def|function|func|fn|fun|interface|type|struct|enum|union|trait|protocol|record|object|mod|module"
    r"|namespace|const|let|var|val|static|define|defmodule|defp|macro_rules!|message|service)\s+(?:\([^)]*\)\s*)?@\b"
    r"|^\s*@\s*(?::[^=]+)?=(?:[^=]|$)|^\s*@\s*\(\)"
)


@dataclass(frozen=True, slots=True)
class Definition:
    name: str
    kind: str
    path: str
    line: int
    text: str

    @property
    def is_outermost(self) -> bool:
        return not self.text[:1].isspace()

    @property
    def is_for_others(self) -> bool:
        """Whether it is more than a variable, and not marked as private by its name."""
        return self.kind != "variable" and not self.name.startswith("_")


@cache
def _outline_patterns(language: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return _patterns(language, _ANY_NAME)


def _patterns(language: str, name: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((kind, re.compile(pattern.replace("@", name))) for kind, pattern in _TABLE.get(language, ()))


def definitions_in(file: FileText, name: str | None = None) -> Iterator[Definition]:
    """What the lines of a file define, or where they define one name."""
    language = language_of(file.path)
    if language is None:
        return
    patterns = _outline_patterns(language) if name is None else _patterns(language, literal(name))
    for line in file.lines:
        text = line.text[:_SEEN_CHARACTERS]
        for kind, pattern in patterns:
            if found := pattern.search(text):
                yield Definition(name or found["name"], kind, file.path, line.number, line.text)
                break


def broad_pattern(name: str) -> str:
    """A pattern for search_files that finds definitions of a name in most languages, and some lines more."""
    return _BROAD.replace("@", literal(name))
