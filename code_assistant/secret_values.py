"""Whether a value can be a secret: not a stand-in for one, not a hash or an id, and random enough."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Literal, TypeAlias

MINIMUM_RANDOM_CHARACTERS = 16
# A longer value is judged by its beginning.
JUDGED_CHARACTERS = 512
MINIMUM_DISTINCT_CHARACTERS = 8
# Words and numbers change between letters and digits seldom, random characters at every second place.
CHANGES_PER_CHARACTER = 0.25

_PLACEHOLDER = re.compile(
    r"\.\.\.|…|\*{3}|[xX]{5}|0{10}|your|example|placeholder|change_?me|dummy|insert|redacted|removed|sample",
    re.IGNORECASE,
)
_HEX = re.compile(r"[0-9a-fA-F]+")
_ID = re.compile(
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|sha\d{1,3}[-:].*|md5[-:].*"
    r"|(?:toolu|prompt|agent|msg|call|req|resp|chatcmpl)[_-].*"
)
_URL_PLACEHOLDERS = frozenset(
    ("pass", "password", "passwd", "pwd", "pw", "secret", "token", "user", "key", "xxx", "port", "x-oauth-basic")
)
_Kind: TypeAlias = Literal["lower", "upper", "digit"]


def is_placeholder(value: str) -> bool:
    """What documentation writes where a secret would stand."""
    return _PLACEHOLDER.search(value) is not None


def has_variety(value: str) -> bool:
    """Enough for what begins as only secrets of its kind do."""
    return not is_placeholder(value) and (any(each.isdigit() for each in value) or value.lower() != value)


def is_random(value: str) -> bool:
    """No words, no hash, no id; for values that only their surroundings make a secret. Hex may be: see `is_hex`."""
    if len(value) < MINIMUM_RANDOM_CHARACTERS or is_placeholder(value) or _ID.fullmatch(value):
        return False
    if "/" in value and "." in value:
        # The path of a file.
        return False
    value = value[:JUDGED_CHARACTERS]
    kinds = [_kind(each) for each in value if each.isalnum()]
    if "digit" not in kinds or len(set(value)) < MINIMUM_DISTINCT_CHARACTERS:
        return False
    # From a capital letter to a small one is how words begin.
    changes = sum(before != after for before, after in pairwise(kinds) if (before, after) != ("upper", "lower"))
    return changes >= len(value) * CHANGES_PER_CHARACTER


def is_hex(value: str) -> bool:
    return _HEX.fullmatch(value) is not None


def is_url_password(value: str) -> bool:
    """A password may be any word but those that only stand for one, or that a shell or a template would fill in."""
    return (
        value.lower() not in _URL_PLACEHOLDERS
        and not value.startswith(("$", "{", "%s", "%(", "*"))
        and not is_placeholder(value)
    )


def _kind(character: str) -> _Kind:
    if character.isdigit():
        return "digit"
    return "upper" if character.isupper() else "lower"
