"""The one sanitiser: text of models, tools and files becomes safe to show. What is invisible becomes visible."""

from __future__ import annotations

import re

# C0 without tab and newline, DEL, C1; bidi and zero-width characters, tags, other invisible formatting.
_CONTROL = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    "\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_UNSAFE = re.compile(f"[{_CONTROL}{_INVISIBLE}\ud800-\udfff]")
_CONTROL_PICTURES = 0x2400
_JOINER = "\u200d"
# A carriage return before a newline, an emoji before a joiner, a joiner before another emoji.
_UNDECIDED = re.compile(r"(?:\r|(?:[\u2190-\U0010ffff]\u200d?)+|\u200d)\Z")


def sanitize(text: str) -> str:
    """The text with every character that could act on a terminal or hide in it replaced by a stand-in."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE.sub(_stand_in, text)


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
    code = ord(character)
    if character == "\r" and match.string.startswith("\n", match.end()):
        return ""
    if code < 0x20:
        return chr(_CONTROL_PICTURES + code)
    if code == 0x7F:
        return "␡"
    if character == _JOINER and _joins_emoji(match):
        return character
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"⟨U+{code:04X}⟩"


def _joins_emoji(match: re.Match[str]) -> bool:
    # A family or a profession is several emoji joined; taking the joiner away would change what was written.
    before, after = match.string[: match.start()][-2:], match.string[match.end() : match.end() + 1]
    return any(ord(each) > 0x2190 for each in before[-1:]) and any(ord(each) > 0x2190 for each in after)
