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
# Emoji by Unicode's list, not all that looks like a picture: an arrow with a joiner behind it could be another name.
_LATER_EMOJI = (
    "\U0001f004\U0001f0cf\U0001f170-\U0001f19a\U0001f201-\U0001f251"
    "\U0001f300-\U0001f64f\U0001f680-\U0001f6ff\U0001f7e0-\U0001f7f0\U0001f90c-\U0001faff"
)
_EMOJI = (
    "\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u23cf\u23e9-\u23f3\u23f8-\u23fa\u24c2\u25aa"
    "\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u2604\u260e\u2611\u2614\u2615\u2618\u261d\u2620\u2622\u2623\u2626\u262a\u262e\u262f"
    "\u2638-\u263a\u2640\u2642\u2648-\u2653\u265f\u2660\u2663\u2665\u2666\u2668\u267b\u267e\u267f\u2692-\u2697\u2699\u269b\u269c"
    "\u26a0\u26a1\u26a7\u26aa\u26ab\u26b0\u26b1\u26bd\u26be\u26c4\u26c5\u26c8\u26ce\u26cf\u26d1\u26d3\u26d4\u26e9\u26ea\u26f0-\u26f5"
    "\u26f7-\u26fa\u26fd\u2702\u2705\u2708-\u270d\u270f\u2712\u2714\u2716\u271d\u2721\u2728\u2733\u2734\u2744\u2747\u274c\u274e"
    f"\u2753-\u2755\u2757\u2763\u2764\u2795-\u2797\u27a1\u27b0\u27bf\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55{_LATER_EMOJI}"
)
# Of the older ones few are parts of joined pictures: hearts, chains and players begin one; signs and hearts end one.
_JOINED = f"\u26d3\u26f9\u2764{_LATER_EMOJI}"
_JOINING = f"\u2194\u2195\u2620\u2640\u2642\u2695\u2696\u26a7\u2708\u2744\u2764\u27a1\u2b1b{_LATER_EMOJI}"
# A style right behind one emoji; a joiner between two. Taking these away would change what was written.
_PART_OF_EMOJI = re.compile(
    f"(?<=[{_EMOJI}]){_EMOJI_STYLE}|(?:(?<=[{_JOINED}])|(?<=[{_JOINED}]{_EMOJI_STYLE})){_JOINER}(?=[{_JOINING}])"
)
# A carriage return before a newline; emoji, whose joiners and styles depend on their neighbours.
_UNDECIDED = re.compile(f"(?:\r|[{_EMOJI}{_EMOJI_STYLE}{_JOINER}]{{1,64}})\\Z")


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
    if character in (_JOINER, _EMOJI_STYLE) and _PART_OF_EMOJI.match(match.string, match.start()):
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
