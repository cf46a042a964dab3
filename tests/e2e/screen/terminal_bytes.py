"""What may be written to a terminal: a strict reader of the sequences that Textual and we write, and nothing else."""

from __future__ import annotations

import base64
import re
import unicodedata
from dataclasses import dataclass

# Private modes that Textual turns on and off.
MODES = "7|25|1000|1003|1004|1006|1015|1049|2004|2026"
TITLES = ("", "code-assistant", "● code-assistant", "? code-assistant waits for you")
# Each whole, in the very form in which it is written.
KNOWN = re.compile(
    r"\x1b\[(?P<style>[0-9;]*)m"
    r"|\x1b\[(?P<place>[0-9]+;[0-9]+)H"
    rf"|\x1b\[\?(?P<mode>{MODES})(?P<switch>[hl])"
    r"|\x1b\[\?(?P<query>2026|2048)\$p"
    r"|\x1b\[(?P<keyboard>>[0-9]+|<)u"
    r"|\x1b\]2;(?P<title>[^\x07\x1b]*)\x1b\\"
    r"|\x1b\]22;(?P<pointer>[a-z-]+)\x07"
    r"|\x1b\]52;c;(?P<copy>[A-Za-z0-9+/]*=*)\x07"
    r"|(?P<bell>\x07)"
)
STYLE = re.compile(r"(?:[0-9]{1,3};)*[0-9]{1,3}|")
# A terminal turns a newline into CR LF by itself; a CR alone would overwrite what stands before it.
PLAIN_CONTROL = re.compile("\r?\n|\t")
HIDDEN = re.compile(
    "[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U000e0000-\U000e0fff]"
)


@dataclass(frozen=True)
class Modes:
    """The state that a terminal is left in. `keyboard` counts what was pushed and not popped."""

    on: frozenset[str]
    off: frozenset[str]
    keyboard: int
    title: str | None

    @property
    def is_restored(self) -> bool:
        """As it was before: lines wrap, the cursor is shown, all else is off, the title is the terminal's own."""
        return self.on == {"7", "25"} and self.keyboard == 0 and not self.title


def modes_after(text: str) -> Modes:
    on: set[str] = set()
    off: set[str] = set()
    keyboard = 0
    title: str | None = None
    for match in KNOWN.finditer(text):
        if mode := match["mode"]:
            to, other = (on, off) if match["switch"] == "h" else (off, on)
            to.add(mode)
            other.discard(mode)
        elif match["keyboard"]:
            keyboard += -1 if match["keyboard"] == "<" else 1
        elif match["title"] is not None:
            title = match["title"]
    return Modes(frozenset(on), frozenset(off), keyboard, title)


def copies_in(written: bytes) -> list[str]:
    """What was put on the clipboard."""
    return [base64.b64decode(match["copy"]).decode() for match in KNOWN.finditer(written.decode()) if match["copy"]]


def unsafe(written: bytes) -> list[str]:
    """Whatever is neither plain text nor one of the known sequences, with what stands around it."""
    text = written.decode()
    found: list[str] = []
    at = 0
    while at < len(text):
        known = KNOWN.match(text, at)
        if known is not None:
            if not _is_right(known):
                found.append(f"{known.group()!r}")
            at = known.end()
            continue
        if plain := PLAIN_CONTROL.match(text, at):
            at = plain.end()
            continue
        character = text[at]
        if _is_unsafe(character):
            found.append(f"{character!r} in {text[max(at - 40, 0) : at + 40]!r}")
        at += 1
    return found


def _is_right(known: re.Match[str]) -> bool:
    if known["style"] is not None:
        return STYLE.fullmatch(known["style"]) is not None
    if known["title"] is not None:
        return known["title"] in TITLES
    return known["copy"] is None or _is_base64(known["copy"])


def _is_base64(text: str) -> bool:
    try:
        return base64.b64encode(base64.b64decode(text, validate=True)).decode() == text
    except ValueError:
        return False


def _is_unsafe(character: str) -> bool:
    if character.isascii():
        return character < " " or character == "\x7f"
    return unicodedata.category(character) in ("Cc", "Cs") or HIDDEN.match(character) is not None
