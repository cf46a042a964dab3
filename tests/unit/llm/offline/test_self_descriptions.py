"""What files say about themselves at their beginning."""

from __future__ import annotations

from code_assistant.llm.offline.self_descriptions import heading_and_paragraph, self_description
from code_assistant.llm.offline.tool_texts import FileText, Line
from tests.rows import each_row


def file_of(path: str, text: str) -> FileText:
    return FileText(path, tuple(Line(number, line) for number, line in enumerate(text.split("\n"), 1)))


@each_row(
    ("path", "text", "expected"),
    [
        ("a.py", '"""Carts."""\nimport x', ("Carts.", 1, 1)),
        (
            "a.py",
            '#!/usr/bin/env python\n# coding: utf-8\n\n"""Carts\nand goods.\n\nMore."""',
            ("Carts and goods.", 4, 5),
        ),
        ("a.py", "# Copyright 2020\n\n# Carts.\nimport x", ("Carts.", 3, 3)),
        ("a.py", "import x\n# Carts.", None),
        ("a.js", "/* Copyright */\n\n/** Carts\n * and goods.\n */\nlet x", ("Carts and goods.", 3, 4)),
        ("a.go", "// Package cart has carts.\npackage cart", ("Package cart has carts.", 1, 1)),
        ("a.rs", "//! Carts.\nuse x;", ("Carts.", 1, 1)),
        ("a.sh", "#!/bin/sh\n# Sells.\nx", ("Sells.", 2, 2)),
        ("a.sql", "-- Tables.\nx", ("Tables.", 1, 1)),
        ("a.md", "<!-- x -->\n# The *shop*\n\nWords.", ("The *shop*", 2, 2)),
        ("a.html", "<html><title> Shop </title>", ("Shop", 1, 1)),
        ("package.json", '{\n  "description": "A \\"shop\\""\n}', ('A "shop"', 2, 2)),
        ("a.toml", "# Colours.\nx = 1", ("Colours.", 1, 1)),
        ("a.py", '""""""', None),
        ("a.py", "x = 1", None),
    ],
)
def test_descriptions(path: str, text: str, expected: tuple[str, int, int] | None) -> None:
    found = self_description(file_of(path, text))
    assert (None if found is None else (found.text, found.first, found.last)) == expected


def test_only_the_beginning_of_a_file_speaks_for_it() -> None:
    assert self_description(FileText("a.py", (Line(5, '"""Carts."""'),))) is None


def test_the_first_words_of_a_page_are_no_badges() -> None:
    page = file_of("README.md", "# Shop\n\n[![b](x)](y)\n\n```\nmake run\n```\n\nSells\nthings.\n\nMore.")
    heading, paragraph = heading_and_paragraph(page.lines)
    assert heading == Line(1, "Shop")
    assert [line.number for line in paragraph] == [9, 10]
