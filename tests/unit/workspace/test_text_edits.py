"""Edits of random texts: what is not replaced stays byte for byte, and what is found is what was meant."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from code_assistant.errors import ToolError
from code_assistant.workspace.file_text import FileText, file_text
from code_assistant.workspace.line_ends import line_ends, split_lines
from code_assistant.workspace.rewriting import rewritten
from code_assistant.workspace.text_edits import TextEdit, applied, replacements_for
from tests.rows import each_row

NEEDLE = "needle"
CODECS = ["utf-8", "utf-8-sig", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]
ENDS = ["\n", "\r\n"]

words = st.text(st.sampled_from("ab \té\u0301€\U0001f600\u2028\x85\x0c"), max_size=5)
ends = st.sampled_from(ENDS)
lines = st.lists(st.tuples(words, ends), max_size=8)
codecs = st.sampled_from(CODECS)


def encoded(text: str, codec: str) -> bytes:
    """A file of this encoding, with its mark where it needs one."""
    needs_mark = codec.startswith(("utf-16", "utf-32"))
    return (f"\ufeff{text}" if needs_mark else text).encode(codec)


def joined(pairs: list[tuple[str, str]]) -> str:
    return "".join(word + end for word, end in pairs)


def edited(data: bytes, *edits: TextEdit) -> bytes:
    text = file_text(data, "a.txt")
    return text.data(applied(text.body, replacements_for(text, edits, "a.txt")))


@settings(deadline=None)
@given(codecs, lines, words, words, lines, words)
def test_safe_e1_what_is_before_and_after_an_edit_stays(
    codec: str, before: list[tuple[str, str]], left: str, right: str, after: list[tuple[str, str]], new: str
) -> None:
    """Line ends of both kinds, in every encoding, final newline or not."""
    head, tail = joined(before) + left, right + joined(after)
    data = encoded(f"{head}{NEEDLE}{tail}", codec)
    assert edited(data, TextEdit(NEEDLE, f"{new}!")) == encoded(f"{head}{new}!{tail}", codec)


@settings(deadline=None)
@given(codecs, ends, st.lists(words, max_size=8), st.lists(words, min_size=1, max_size=4), words)
def test_safe_e1_new_lines_of_a_text_with_one_kind_of_end_get_that_end(
    codec: str, end: str, around: list[str], new: list[str], last: str
) -> None:
    head = "".join(f"{line}{end}" for line in around)
    data = encoded(f"{head}x{end}{NEEDLE}{end}{last}", codec)
    replaced = edited(data, TextEdit(f"x\n{NEEDLE}\n", "".join(f"{line}\n" for line in new)))
    assert replaced == encoded(f"{head}{''.join(f'{line}{end}' for line in new)}{last}", codec)


@settings(deadline=None)
@given(lines, st.integers(0, 7), words)
def test_safe_e1_in_a_mixed_text_other_lines_keep_their_ends(pairs: list[tuple[str, str]], at: int, new: str) -> None:
    at = min(at, len(pairs))
    marked = [*pairs[:at], (NEEDLE, "\r\n"), *pairs[at:]]
    expected = [*pairs[:at], (f"{new}!", "\r\n"), *pairs[at:]]
    assert edited(joined(marked).encode(), TextEdit(f"{NEEDLE}\n", f"{new}!\n")) == joined(expected).encode()


@settings(deadline=None)
@given(
    st.binary(max_size=60), st.binary(max_size=60), st.sampled_from([b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"])
)
def test_safe_e1_whatever_bytes_are_around_they_stay(head: bytes, tail: bytes, mark: bytes) -> None:
    codec = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}.get(mark, "utf-8")
    head = head[: len(head) // 2 * 2]
    needle, pin = NEEDLE.encode(codec), "pin".encode(codec)
    data = mark + head + needle + tail
    assume(not data.startswith(b"\xff\xfe\0\0"))
    assume(codec != "utf-8" or b"\0" not in data)
    assert edited(data, TextEdit(NEEDLE, "pin")) == mark + head + pin + tail


@settings(deadline=None)
@given(st.binary(max_size=80))
def test_safe_e1_a_file_comes_back_as_it_was(data: bytes) -> None:
    assume(b"\0" not in data or data.startswith((b"\xff\xfe", b"\xfe\xff")))
    assume(not data.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")))
    text = file_text(data, "a.txt")
    assert text.data(text.body) == data


@settings(deadline=None)
@given(st.text(st.sampled_from("ab\n"), max_size=12), st.text(st.sampled_from("ab\n"), min_size=1, max_size=3))
def test_safe_e3_only_what_is_there_exactly_once_is_replaced(body: str, old: str) -> None:
    occurrences = sum(body.startswith(old, position) for position in range(len(body)))
    if occurrences == 1:
        assert edited(body.encode(), TextEdit(old, "X")) == body.replace(old, "X").encode()
    else:
        with pytest.raises(ToolError, match="occurs" if occurrences else "not found"):
            edited(body.encode(), TextEdit(old, "X"))


@settings(deadline=None)
@given(st.permutations(["one", "two", "three", "four"]))
def test_the_order_of_edits_does_not_matter(names: list[str]) -> None:
    edits = [TextEdit(name, name.upper()) for name in names]
    assert edited(b"one two\nthree\nfour", *edits) == b"ONE TWO\nTHREE\nFOUR"


@settings(deadline=None)
@given(codecs, lines, words)
def test_safe_e1_writing_what_was_read_changes_nothing(codec: str, pairs: list[tuple[str, str]], last: str) -> None:
    data = encoded(joined(pairs) + last, codec)
    text = file_text(data, "a.txt")
    shown = text.shown(text.body).replace("\r\n", "\n")
    assert text.data(rewritten(text, shown)) == data


@settings(deadline=None)
@given(st.lists(st.tuples(st.binary(max_size=3), st.sampled_from([b"\n", b"\r\n"])), min_size=1, max_size=8), words)
def test_safe_e1_in_a_damaged_text_lines_that_stay_keep_their_bytes(pairs: list[tuple[bytes, bytes]], new: str) -> None:
    body = b"\xc3\xbc\xff\n" + b"".join(line.replace(b"\0", b"").replace(b"\r", b"") + end for line, end in pairs)
    text = file_text(body, "a.txt")
    shown = text.shown(text.body).replace("\r\n", "\n")
    written = rewritten(text, f"{shown}{new}!\n")
    assert written.startswith(body)
    assert split_lines(written[len(body) :])[-1].rstrip() == f"{new}!".encode()


@each_row(
    ("body", "usual", "is_mixed"),
    [
        (b"", b"\n", False),
        (b"a", b"\n", False),
        (b"a\n", b"\n", False),
        (b"a\r\n", b"\r\n", False),
        (b"a\r", b"\r", False),
        (b"a\rb\n", b"\n", False),
        (b"a\r\nb\n", b"\n", True),
        (b"a\r\nb\r\nc\n", b"\r\n", True),
    ],
)
def test_how_the_lines_of_a_text_end(body: bytes, usual: bytes, is_mixed: bool) -> None:
    found = line_ends(body)
    assert (found.usual, found.is_mixed) == (usual, is_mixed)


def test_a_text_knows_how_its_parts_are_shown() -> None:
    text: FileText = file_text(b"\xff\xfe\x3d\xd8a\0", "a.txt")
    assert text.shown(text.body) == "\ufffda"
    assert file_text(b"gr\xfcn", "a.txt").shown(b"gr\xfcn") == "grün"
