"""No text is ever read as markup: brackets in what others wrote are brackets on the screen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.content import Content

import code_assistant
from tests.rows import each_row
from tests.tui.hostile import HOSTILE
from tests.tui.markup_lint import markup_problems

PACKAGE = Path(code_assistant.__file__).parent
HEAD = "from textual.widgets import Static, Label as Words, Button, OptionList, TextArea\n"
DRAWS = re.compile(r"^\s*(?:from|import) (?:textual|rich)\b", re.MULTILINE)
BAD = (
    "Static('x')",
    "Static(f'{name}')",
    "Static(name)",
    "Words(name)",
    "Button(label=name)",
    "OptionList(*names)",
    "Static(Content.from_markup(name))",
    "from rich.text import Text\nText.from_markup(name)",
    "from rich.markup import render",
    "import rich.markup",
    "from rich import markup",
    "from rich.console import Console",
    "self.border_title = name",
    "self.tooltip = 'x'",
    "self.placeholder: str = name",
    "app.notify(name)",
    "self.notify(name, markup=True)",
    "from textual.visual import visualize",
    "class A(Static):\n    def __init__(self):\n        super().__init__(name)",
    "class A:\n    def render(self) -> str:\n        return name",
    "class A:\n    def render(self):\n        return name",
)
GOOD = (
    "Static()",
    "Static(Content(name))",
    "Button(Content.styled(name, style), compact=True)",
    "TextArea(name)",
    "self.border_title = Content(name)",
    "self.tooltip = None",
    "app.notify(name, markup=False)",
    "session.notify('warning', name)",
    "class A(Static):\n    def __init__(self):\n        super().__init__(Content(name), id='x')",
    "class A:\n    def render(self) -> Content:\n        return Content(name)",
)


def test_safe_x2_no_module_gives_text_to_what_reads_markup() -> None:
    sources = {str(path.relative_to(PACKAGE)): path.read_text() for path in PACKAGE.rglob("*.py")}
    drawing = {name: source for name, source in sources.items() if name.startswith("tui/") or DRAWS.search(source)}
    assert {name: found for name, source in drawing.items() if (found := markup_problems(source))} == {}
    assert len(drawing) > 100


@each_row("source", BAD)
def test_safe_x2_the_lint_sees_what_reads_markup(source: str) -> None:
    assert markup_problems(HEAD + source), source


@each_row("source", GOOD)
def test_safe_x2_the_lint_leaves_built_content_alone(source: str) -> None:
    assert markup_problems(HEAD + source) == []


@each_row("hostile", HOSTILE)
def test_safe_x2_content_built_from_text_is_that_text(hostile: str) -> None:
    """The ground that the lint stands on: this is how the package makes what it shows."""
    made = Content(hostile)
    assert made.spans == []
    assert made.plain.count("[") == hostile.count("[")


def test_a_text_would_have_been_read_as_markup() -> None:
    assert Content.from_markup("[red]markup[/red]").plain == "markup"
    with pytest.raises(Exception, match="closing tag"):
        Content.from_markup("[/oops]")
