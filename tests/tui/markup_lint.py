"""Finds text that Textual or Rich would read as markup: a lint over syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import textual.widgets

# A text area shows its text as it is.
PLAIN_WIDGETS = {"TextArea"}
MARKUP_WIDGETS = {name for name in vars(textual.widgets)["__all__"] if name not in PLAIN_WIDGETS} | {
    "Option",
    "Selection",
}
MARKUP_ATTRIBUTES = {"border_title", "border_subtitle", "tooltip", "placeholder", "label"}
MARKUP_KEYWORDS = {"label", "content", "renderable", "title", "prompt", "placeholder", "tooltip", "border_title"}
MARKUP_FUNCTIONS = {"from_markup", "visualize", "to_content", "render_markup"}
MARKUP_MODULES = {"rich.markup", "rich.console", "rich.panel", "rich.table", "rich.prompt", "textual.markup"}
# What is no text any more: built from plain text, without a look at brackets.
BUILDERS = {"Content", "Text", "Segment", "Strip"}
SHOWN_BY_RENDER = BUILDERS | {"Blank"}


def markup_problems(source: str) -> list[str]:
    """Each with its line."""
    tree = ast.parse(source)
    widgets = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and _holds_widgets(node.module or "")
        for alias in node.names
        if alias.name in MARKUP_WIDGETS
    }
    return [f"{getattr(node, 'lineno', 0)}: {words}" for node in ast.walk(tree) for words in _problems(node, widgets)]


def _holds_widgets(module: str) -> bool:
    return module.startswith("textual.widgets") and not module.endswith("text_area")


def _problems(node: ast.AST, widgets: set[str]) -> Iterator[str]:
    match node:
        case ast.ImportFrom(module=str(module), names=names):
            whole = {module, *(f"{module}.{each.name}" for each in names)}
            yield from (f"{each} reads markup" for each in whole & MARKUP_MODULES)
            yield from (f"{each.name} reads markup" for each in names if each.name in MARKUP_FUNCTIONS)
        case ast.Import(names=names):
            yield from (f"{each.name} reads markup" for each in names if each.name in MARKUP_MODULES)
        case ast.Attribute(attr=name) if name in MARKUP_FUNCTIONS:
            yield f"{name} reads markup"
        case ast.Call(func=ast.Name(id=name)) if name in widgets:
            yield from _arguments(node, name)
        case ast.Call(func=ast.Attribute(attr="notify")) if not _says(node, "markup", False):
            # A session has a method of that name, too, whose first argument is a level.
            if not (node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value in LEVELS):
                yield "notify reads markup unless it is told not to"
        case ast.ClassDef(name=name, bases=bases, body=body) if widgets & {ast.unparse(base) for base in bases}:
            yield from _constructor_calls(body, name)
        case ast.Assign(targets=targets, value=value):
            yield from _assigned(targets, value)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield from _assigned([target], value)
        case ast.FunctionDef(name="render", returns=returns):
            shown = ast.unparse(returns) if returns is not None else "nothing that is said"
            if shown not in SHOWN_BY_RENDER:
                yield f"render gives {shown}, which may be a text"
        case _:
            pass


LEVELS = ("info", "warning", "error")


def _arguments(call: ast.Call, name: str) -> Iterator[str]:
    given = [*call.args, *(each.value for each in call.keywords if each.arg in MARKUP_KEYWORDS)]
    yield from (f"{name} is given {ast.unparse(each)}" for each in given if not _is_built(each))


def _constructor_calls(body: list[ast.stmt], name: str) -> Iterator[str]:
    for statement in body:
        for node in ast.walk(statement):
            is_super = isinstance(node, ast.Call) and ast.unparse(node.func) == "super().__init__"
            if is_super and isinstance(node, ast.Call):
                yield from _arguments(node, name)


def _assigned(targets: list[ast.expr], value: ast.expr) -> Iterator[str]:
    for target in targets:
        is_shown = isinstance(target, ast.Attribute) and target.attr in MARKUP_ATTRIBUTES
        if is_shown and ast.unparse(getattr(target, "value", target)) == "self" and not _is_built(value):
            yield f"{ast.unparse(target)} is {ast.unparse(value)}"


def _is_built(value: ast.expr) -> bool:
    if isinstance(value, ast.Constant) and value.value is None:
        return True
    if not isinstance(value, ast.Call):
        return False
    return ast.unparse(value.func).partition(".")[0] in BUILDERS and "markup" not in ast.unparse(value.func)


def _says(call: ast.Call, name: str, value: object) -> bool:
    return any(
        each.arg == name and isinstance(each.value, ast.Constant) and each.value.value is value
        for each in call.keywords
    )
