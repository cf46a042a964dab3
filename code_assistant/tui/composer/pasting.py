"""What a paste is: text as it was copied, big text that is folded, or the paths of dropped images."""

from __future__ import annotations

import re
import shlex
from contextlib import suppress
from urllib.parse import unquote, urlsplit

from code_assistant.messages import IMAGE_ENDINGS
from code_assistant.tui.composer.held import can_hold

BIG_CHARACTERS = 1000
BIG_LINES = 10
LONGEST_PATHS = 4096

_BRACKETS = re.compile("\x1b\\[20[01]~")
_LINE_ENDS = re.compile("\r\n?")


def cleaned(pasted: str) -> str:
    """The pasted text without the marks of the paste itself. Terminals send the ends of lines as carriage returns."""
    return _LINE_ENDS.sub("\n", _BRACKETS.sub("", pasted))


def is_folded(text: str) -> bool:
    """Whether a paste is too big to be shown, or has characters that only a folded paste can keep."""
    return len(text) > BIG_CHARACTERS or text.count("\n") >= BIG_LINES or not can_hold(text)


def image_paths(text: str) -> list[tuple[str, ...]]:
    """What the text may mean as paths of images, likeliest first; empty when it cannot.

    Terminals paste a dropped file as it is, quoted, with escaped blanks, or as a URL, several with blanks between.
    """
    text = text.strip()
    if len(text) > LONGEST_PATHS or "\n" in text or not text.strip("'\"").lower().endswith(IMAGE_ENDINGS):
        return []
    readings: list[tuple[str, ...]] = [(text,)]
    with suppress(ValueError):
        readings.append(tuple(shlex.split(text)))
    paths = [tuple(_path_of(word) for word in words) for words in readings]
    return [words for words in dict.fromkeys(paths) if all(map(_may_be_image, words))]


def _path_of(word: str) -> str:
    if not word.startswith("file://"):
        return word
    try:
        return unquote(urlsplit(word).path)
    except ValueError:
        return word


def _may_be_image(path: str) -> bool:
    # A relative name may well be a word of a sentence.
    return path.startswith(("/", "~/")) and path.lower().endswith(IMAGE_ENDINGS) and "\0" not in path
