"""Markdown of others inside of ours: what is changed in it, and that nothing else is."""

from __future__ import annotations

import pytest

from code_assistant.exporting.embedding import embedded, fenced, plain, quoted


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("Plain *words*,\nas they are.", None),
        ("- a\n- b\n\n1. c", None),
        ("```html\n<b>\n```", None),
        ("    <b>\n", "    <b>"),
        ("`<b>` and ``a ` <i>``", None),
        ("a < b", "a &lt; b"),
        ("<b>x</b>", "&lt;b>x&lt;/b>"),
        ("\\<b>", None),
        ("\\`<b>`", "\\`&lt;b>`"),
        ("| `<a>` | <b> |\n|---|---|\n| x | `<c>` |", "| `<a>` | &lt;b> |\n|---|---|\n| x | `<c>` |"),
        ("| ` <b> | ` |\n|---|---|", "| ` &lt;b> | ` |\n|---|---|"),
        ("# One\n\n### Three\n\n###### Six", "### One\n\n##### Three\n\n###### Six"),
        ("One\ntwo\n===\n\nThree\n---\n", "### One two\n\n#### Three"),
        ("> # quoted", None),
        ("# ", "### "),
        ("```\nopen", "```\nopen\n```"),
        ("~~~~\nopen\n~~~", "~~~~\nopen\n~~~\n~~~~"),
        ("- ```\n  open", None),
        ("", None),
    ],
)
def test_embedded(written: str, told: str | None) -> None:
    assert embedded(written) == (written if told is None else told)


@pytest.mark.parametrize(
    ("text", "fence"), [("x", "```"), ("```\nx\n```", "````"), ("  ``````", "```````"), ("a ``` b", "```"), ("", "```")]
)
def test_a_fence_is_longer_than_any_inside(text: str, fence: str) -> None:
    assert fenced(text, "json") == f"{fence}json\n{text}\n{fence}"


def test_a_line_means_nothing() -> None:
    assert plain("*a* [b](c) <d> `e` #f") == "\\*a\\* \\[b\\](c) \\<d\\> \\`e\\` \\#f"


def test_quotations_end_with_themselves() -> None:
    assert quoted("a\n\n```\nb") == "> a\n>\n> ```\n> b\n> ```"
