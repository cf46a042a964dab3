"""What the shell runs in the place of substitutions, found in the text itself: the parser overlooks some of them.

Only for rules that deny or ask: it finds rather too much.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from code_assistant.permissions.shell.ansi_quotes import unquoted, without_quotes
from code_assistant.permissions.shell.name_lists import names
from code_assistant.permissions.shell.parsing import is_literal_text, text_of, value_of, walk

if TYPE_CHECKING:
    from tree_sitter import Node

_LITERAL = names("raw_string ansi_c_string comment")
# Inside of these single quotes may be none: `"${x:-'$(rm a)'}"`.
_UNKEPT = names("expansion arithmetic_expansion heredoc_body")
_SUBSTITUTIONS = names("command_substitution process_substitution")
# In the newest bash `${ rm a; }` is one, too.
_MARK = re.compile(rb"\\.|[$<>]\(|\$\{[\s|]|[()}`]", re.DOTALL)
_ESCAPED_IN_BACKQUOTES = re.compile(rb"\\([$`\\])")
_ESCAPED_IN_BOTH_QUOTES = re.compile(rb"\\([$`\\\"])")
# After these a bracket or a quote may not be what it looks like.
_UNSURE = re.compile(rb"[\"'#]|<<|\bcase\b")
_ANYTHING = re.compile(b"")
_QUOTES = re.compile(r"[\"'\\]")
# Words and texts, and what in them would be substituted but for the quotes.
_KEPT = {
    **dict.fromkeys(("raw_string", "ansi_c_string", "heredoc_body"), re.compile(r"[$`<>\\]")),
    "string": re.compile(r"\\[$`<>\\]"),
    **dict.fromkeys(("word", "concatenation"), re.compile(r"\\[$`<>\\]|'.*[$`<>\\]", re.DOTALL)),
}
Marks = Sequence[re.Match[bytes]]


def substitutions_in(root: Node) -> Iterator[str]:
    """What would run in substitutions that the parser did not find, and what backquotes hide in others."""
    text = root.text or b""
    bare = bytearray(text)
    known: dict[int, int] = {}
    end_of_unkept = 0
    for node in walk(root):
        start, end = node.start_byte - root.start_byte, node.end_byte - root.start_byte
        if node.type in _SUBSTITUTIONS:
            known[start] = end
        elif start >= end_of_unkept and (node.type in _LITERAL or is_literal_text(node)):
            bare[start:end] = b"x" * (end - start)
        elif node.type in _UNKEPT:
            end_of_unkept = max(end_of_unkept, end)
    yield from _found(text, bytes(bare), known)


def quoted_substitutions_in(root: Node) -> Iterator[str]:
    """What would run if everything that quotes keep were evaluated once more."""
    for node in walk(root):
        kept = _KEPT.get("heredoc_body" if is_literal_text(node) else node.type)
        if kept is not None and kept.search(text := text_of(node)):
            yield from substitutions_despite_quotes(text)
            if (value := value_of(node)) is not None:
                yield from substitutions_despite_quotes(value)


def substitutions_despite_quotes(text: str) -> Iterator[str]:
    """What would run where a text is evaluated once more, so that no quotes in it keep anything."""
    for each in dict.fromkeys((text, unquoted(text), without_quotes(text), _QUOTES.sub("", text))):
        encoded = each.encode(errors="replace")
        yield from _found(encoded, encoded, {}, is_sure=False)


def _found(text: bytes, bare: bytes, known: Mapping[int, int], *, is_sure: bool = True) -> Iterator[str]:
    """`bare` is the text without what is literal in it, `known` where substitutions begin and end that were found."""
    marks = [mark for mark in _MARK.finditer(bare) if not mark[0].startswith(b"\\")]
    unsure = _UNSURE if is_sure else _ANYTHING
    for inside in chain(_between_brackets(text, marks, known, unsure), _between_backquotes(text, marks, known)):
        yield inside.decode(errors="replace")


def _between_brackets(
    text: bytes, marks: Marks, known: Mapping[int, int], unsure: re.Pattern[bytes]
) -> Iterator[bytes]:
    ends = _ends(marks)
    for mark in marks:
        if len(mark[0]) == 1:
            continue
        start, end = mark.end(), ends.get(mark.start(), len(text))
        if end < known.get(mark.start(), 0) or _is_arithmetic(mark, ends):
            continue
        inside = text[start:end]
        yield inside
        if unsure.search(inside):
            yield text[start : max(text.rfind(b")"), text.rfind(b"}"), end)]


def _ends(marks: Marks) -> dict[int, int]:
    """Where the brackets and braces end that begin somewhere."""
    ends: dict[int, int] = {}
    begun: dict[bytes, list[int]] = {b")": [], b"}": []}
    for mark in marks:
        if mark[0] in begun:
            if begun[mark[0]]:
                ends[begun[mark[0]].pop()] = mark.start()
        elif mark[0] != b"`":
            begun[b")" if mark[0].endswith(b"(") else b"}"].append(mark.start())
    return ends


def _is_arithmetic(mark: re.Match[bytes], ends: Mapping[int, int]) -> bool:
    inner, outer = ends.get(mark.end()), ends.get(mark.start())
    return mark[0] == b"$(" and inner is not None and inner + 1 == outer


def _between_backquotes(text: bytes, marks: Marks, known: Mapping[int, int]) -> Iterator[bytes]:
    places = [mark.start() for mark in marks if mark[0] == b"`"]
    closing = {end - 1 for end in known.values()}
    for start, end in pairwise((*places, len(text))):
        inside = text[start + 1 : end]
        if start in closing:
            continue
        if start not in known:
            yield inside
        if b"\\" in inside:
            yield _ESCAPED_IN_BACKQUOTES.sub(rb"\1", inside)
            yield _ESCAPED_IN_BOTH_QUOTES.sub(rb"\1", inside)
