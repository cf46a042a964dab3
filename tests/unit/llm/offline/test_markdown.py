"""Text of files in answers: shown as it is, never Markdown, never a reference that nobody checked."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from code_assistant.file_references import find_references
from code_assistant.llm.offline.markdown import code, fenced, one_line, plain, quoted, reference
from tests.rows import each_row

TEXTS = st.text(max_size=200) | st.text(alphabet="`*_[]()<>#~|&!\\ abc.:/L123-\n", max_size=80)


@each_row(
    "text",
    [
        "a `b` *c* _d_ **e**",
        "[x](y) ![z](w) <b> &amp;",
        "# no heading",
        "- no item",
        "> no quote",
        "snake_case_name",
        "~~x~~",
    ],
)
def test_text_of_files_is_shown_as_it_is(text: str) -> None:
    (paragraph,) = [each for each in MarkdownIt().enable("strikethrough").parse(quoted(text)) if each.type == "inline"]
    assert [child.type for child in paragraph.children or ()] == ["text"]
    assert paragraph.children and paragraph.children[0].content == f"“{text}”"


@settings(deadline=None)
@given(TEXTS)
def test_no_text_of_a_file_counts_as_a_reference(text: str) -> None:
    for shown in (plain(text), quoted(text), code(text)):
        assert not find_references(shown, lambda _: True)
        assert "\n" not in shown


@settings(deadline=None)
@given(TEXTS)
def test_a_code_span_is_one_span_with_the_text(text: str) -> None:
    shown = code(text)
    (inline,) = [each for each in MarkdownIt().parse(f"x {shown} y") if each.type == "inline"]
    spans = [child.content for child in inline.children or () if child.type == "code_inline"]
    assert len(spans) == (1 if one_line(text) else 0)


@each_row("path", ["a.py", "src/a b.py", "Makefile", "@scope/x.js", "app/[id]/page.tsx", "ä/ö.md"])
def test_references_are_found_again(path: str) -> None:
    for last in (None, 12):
        (found,) = find_references(reference(path, 3, last), lambda each: each == path)
        assert (found.path, found.first, found.last) == (path, 3, last or 3)


@pytest.mark.parametrize("path", ["a`b.py", "c:1.py", "x\ny.py"])
def test_a_name_that_cannot_be_referred_to_is_only_named(path: str) -> None:
    assert not find_references(reference(path, 3), lambda _: True)
    assert reference(path, 3).endswith(" line 3")


def test_code_is_fenced_unless_it_holds_a_reference() -> None:
    assert fenced(["x = '```'"], "python") == "````python\nx = '```'\n````"
    assert fenced(["# see a.py:3"]) is None
