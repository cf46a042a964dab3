"""What a file of git's configuration says of places that git reads or runs more from; read as git reads it."""

from __future__ import annotations

import re
from collections.abc import Iterator

HOOKS, INCLUDED, WORK_TREE = b"core.hookspath", b"include.path", b"core.worktree"
NAMES = frozenset({HOOKS, INCLUDED, WORK_TREE})
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
CONDITIONAL = b"includeif."
OPTIONAL = b":(optional)"
TAB = re.compile(rb"[\t\r]")
SUBSECTION_ESCAPED = re.compile(rb"(?s)\\(.)")

ESCAPED = rb'\\(?:[tbn\\"]|\r?\n|\Z)'
QUOTED = rb'"(?:[^"\\\n]++|' + ESCAPED + rb')*+"?'
VALUE = rb'(?:[^"\\\n#;]++|' + ESCAPED + rb"|" + QUOTED + rb")*+"
# One after the other these take every byte, and a byte twice at most: what is no section's beginning is passed over
# to the end of its line, as is whatever else git calls a bad line. The time grows with the length and nothing else.
PIECE = re.compile(
    rb"[ \t\r\n]++|[#;][^\n]*+"
    rb'|\[(?P<section>[a-zA-Z0-9.-]*+)(?:[ \t\r]++"(?P<subsection>(?:[^"\\\n]++|\\[^\n])*+)")?\]'
    rb"|(?P<key>[a-zA-Z][a-zA-Z0-9-]*+)[ \t]*+(?:=(?P<value>" + VALUE + rb"))?[^\n]*+"
    rb"|[^\n]++"
)
VALUE_PIECE = re.compile(rb'(?P<blanks>[ \t\r]+)|"|' + ESCAPED + rb'|[^ \t\r"\\]+')
MEANINGS = {
    b'"': b"",
    rb"\\": b"\\",
    rb"\"": b'"',
    rb"\t": b"\t",
    rb"\b": b"\b",
    rb"\n": b"\n",
    b"\\\n": b"",
    b"\\\r\n": b"",
    b"\\": b"",
}


def naming_values(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Each value of the `NAMES` in their order, those of what is included on a condition among them."""
    beginning = b""
    for piece in PIECE.finditer(content.removeprefix(BYTE_ORDER_MARK)):
        section, subsection, key, value = piece.groups()
        if section is not None:
            beginning = _beginning_of_names(section, subsection)
        elif value is not None and (name := until_zero(beginning + key.lower())) in NAMES:
            yield from ((name, meaning) for meaning in _meanings(value))


def _beginning_of_names(section: bytes, subsection: bytes | None) -> bytes:
    """No more of it than tells it from others: it may be long, and have many keys."""
    name = section.lower() + b"."
    if subsection is not None:
        name += SUBSECTION_ESCAPED.sub(rb"\1", subsection) + b"."
    if name.startswith(CONDITIONAL):
        return INCLUDED + b"\0" if b"\0" in name else b"include."
    return name[: len(HOOKS) + 1]


def _meanings(value: bytes) -> Iterator[bytes]:
    """For whatever git: before 2.45 each blank between words is a space, and since 2.52 a value can be optional."""
    for meaning in (_meaning(value), _meaning(value, blank=b" ")) if TAB.search(value) else (_meaning(value),):
        yield meaning
        if meaning.startswith(OPTIONAL):
            yield meaning.removeprefix(OPTIONAL)


def _meaning(value: bytes, *, blank: bytes | None = None) -> bytes:
    """Without its quotes, and without blanks around; `blank` is what stands for each of those between."""
    text, blanks, is_quoted = bytearray(), b"", False
    for piece in VALUE_PIECE.finditer(value):
        if piece["blanks"] and not is_quoted:
            blanks = piece[0] if blank is None else blank * len(piece[0])
            continue
        is_quoted ^= piece[0] == b'"'
        # At the beginning there is nothing that they could be between.
        text += (blanks if text else b"") + MEANINGS.get(piece[0], piece[0])
        blanks = b""
    return until_zero(bytes(text))


def until_zero(text: bytes) -> bytes:
    """Texts end there for git, names of keys as well as values."""
    return text.partition(b"\0")[0]
