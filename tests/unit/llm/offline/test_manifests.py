"""What manifests tell, each fact with its line; broken ones tell nothing."""

from __future__ import annotations

from code_assistant.llm.offline.manifests import MANIFEST_NAMES, facts_of
from tests.rows import each_row
from tests.unit.llm.offline.test_self_descriptions import file_of

PYPROJECT = """[project]
name = "shop"
description = "Sells"
requires-python = ">=3.11"
dependencies = ["flask>=3", "rich"]

[project.scripts]
shop = "shop.main:main"
"""
PACKAGE = """{
  "name": "web",
  "main": "index.js",
  "scripts": {
    "build": "vite build"
  },
  "dependencies": {"@a/b": "1"}
}"""


def told(path: str, text: str) -> list[tuple[str, str, int]]:
    return [(fact.kind, fact.text, fact.line) for fact in facts_of(file_of(path, text))]


@each_row(
    ("path", "text", "expected"),
    [
        (
            "pyproject.toml",
            PYPROJECT,
            [
                ("name", "shop", 2),
                ("description", "Sells", 3),
                ("needs", "Python >=3.11", 4),
                ("entry", "shop", 8),
                ("dependencies", "flask, rich", 5),
            ],
        ),
        (
            "package.json",
            PACKAGE,
            [
                ("name", "web", 2),
                ("entry", "index.js", 3),
                ("command", "npm run build", 5),
                ("dependencies", "@a/b", 7),
            ],
        ),
        (
            "Cargo.toml",
            '[package]\nname = "x"\n[dependencies]\nserde = "1"',
            [("name", "x", 2), ("command", "cargo run", 1), ("command", "cargo test", 1), ("dependencies", "serde", 3)],
        ),
        (
            "go.mod",
            "module x.org/shop\n\ngo 1.22\n\nrequire (\n\tgithub.com/a/b v1.2.3\n\tx.org/c v1.0.0 // indirect\n)",
            [("name", "x.org/shop", 1), ("needs", "Go 1.22", 3), ("dependencies", "github.com/a/b", 6)],
        ),
        (
            "Makefile",
            "X := 1\n.PHONY: run\nrun: a.o\n\tx\ntest lint: run\nbuild/x: y\n",
            [("command", "make run", 3), ("command", "make test", 5)],
        ),
        ("requirements.txt", "# x\nflask==3\n-r more.txt\nrich", [("dependencies", "flask, rich", 2)]),
        ("CMakeLists.txt", "project(Shop CXX)", [("name", "Shop", 1)]),
    ],
)
def test_facts(path: str, text: str, expected: list[tuple[str, str, int]]) -> None:
    assert told(path, text) == expected


@each_row("path", MANIFEST_NAMES)
@each_row("text", ["", "{", "[project", '{"name": 3, "scripts": []}', "[project]\nname = 3\nscripts = 4", "\0"])
def test_what_is_broken_tells_nothing_and_fails_nowhere(path: str, text: str) -> None:
    assert all(fact.text for fact in facts_of(file_of(path, text)))
