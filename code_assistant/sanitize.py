"""The one sanitiser: text of models, tools and files becomes safe to show. What is invisible becomes visible."""

from __future__ import annotations

import re

# C0 without tab and newline, DEL, C1; bidi and zero-width characters, tags, other invisible formatting.
_CONTROL = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_EMOJI_STYLE = "\ufe0f"
_UNSAFE = re.compile(f"[{_CONTROL}{_INVISIBLE}{_EMOJI_STYLE}\ud800-\udfff]")
_CONTROL_PICTURES = 0x2400
# Seen as a blank, or as nothing that anybody could name, but not the character that one would take them for.
_LOOKS_BLANK = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\ue000-\uf8ff\U000f0000-\U0010ffff]")
_JOINER = "\u200d"
_PICTURE = "\u203c-\u21ff\u2300-\u23ff\u2460-\u27bf\u2900-\u297f\u2b00-\u2bff\U0001f000-\U0001faff"
_IS_PICTURE = re.compile(f"[{_PICTURE}{_EMOJI_STYLE}]")
# A carriage return before a newline; pictures, whose joiners and styles depend on their neighbours.
_UNDECIDED = re.compile(f"(?:\r|[{_PICTURE}{_EMOJI_STYLE}{_JOINER}]{{1,64}})\\Z")


def sanitize(text: str) -> str:
    """The text with every character that could act on a terminal or hide in it replaced by a stand-in."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE.sub(_stand_in, text)


def is_plain(text: str) -> bool:
    """Whether the text is shown as it is, character by character."""
    return _UNSAFE.search(text) is None


def is_unmistakable(text: str) -> bool:
    """Whether whoever sees the text knows what it says: it is plain, and no blank in it is another than it seems."""
    return is_plain(text) and _LOOKS_BLANK.search(text) is None


class StreamSanitizer:
    """The same for text that comes in pieces: what the next piece may change waits for it."""

    def __init__(self) -> None:
        self._rest = ""

    def feed(self, piece: str) -> str:
        text = self._rest + piece
        held = _UNDECIDED.search(text)
        cut = held.start() if held else len(text)
        self._rest = text[cut:]
        return sanitize(text[:cut])

    def flush(self) -> str:
        rest, self._rest = self._rest, ""
        return sanitize(rest)


def sanitize_line(text: str) -> str:
    """The same for text that must stay on one line, such as titles and file names."""
    return sanitize(text).replace("\n", "␊").replace("\t", " ")


def _stand_in(match: re.Match[str]) -> str:
    character = match.group()
    if character == "\r" and match.string.startswith("\n", match.end()):
        return ""
    if character in (_JOINER, _EMOJI_STYLE) and _belongs_to_picture(match):
        return character
    return _picture_of(character)


def _picture_of(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(_CONTROL_PICTURES + code)
    if code == 0x7F:
        return "␡"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"⟨U+{code:04X}⟩"


def _belongs_to_picture(match: re.Match[str]) -> bool:
    # A family or a profession is several pictures joined; taking that away would change what was written.
    text, start, end = match.string, match.start(), match.end()
    before = start > 0 and _IS_PICTURE.match(text, start - 1) is not None
    if match.group() == _EMOJI_STYLE:
        return before
    return before and _IS_PICTURE.match(text, end) is not None
