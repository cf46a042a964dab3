"""Values that stand behind a name which says that they are secret: `api_key = "…"`, `"password": "…"`, `TOKEN=…`."""

from __future__ import annotations

import re

from code_assistant.secret_values import is_hex, is_placeholder, is_random

MASK = "[secret removed]"
MINIMUM_HEX_CHARACTERS = 32
LONGEST_NAME = 64
# How the names below end, for a quick look.
_ENDINGS = (
    *("key", "secret", "password", "passwd", "pwd", "passphrase", "token", "authorization"),
    *("credential", "credentials"),
)
_CERTAIN_NAME = (
    r"(?:api|secret|access|private|signing|encryption|auth|master|account|storage|subscription|service)[_.-]?key"
    r"|secret|password|passwd|pwd|passphrase|(?:auth|access|api|bearer|refresh|secret|session)[_.-]?token"
    r"|authorization|credentials?"
)
# Tokens of pages and forms are references, not secrets.
_NAME = re.compile(
    rf"(?:(?P<certain>{_CERTAIN_NAME})|(?<!page)(?<!page[_-])(?<!next)(?<!next[_-])(?<!ation[_-])(?<!ation)"
    r"(?<!csrf[_-])(?<!sync[_-])token)"
    r"""\\*["'`]?[ \t]{0,8}\Z""",
    re.IGNORECASE,
)
# Of a backslash the quote behind it is a part: without it, it is an escape that must stay whole.
_BEFORE_VALUE = r"""[=:]>?[ \t]{0,8}b?(?:\\*+["'`])?(?:(?:[Bb]earer|[Bb]asic|[Tt]oken)[ \t]{1,8})?"""
_VALUE = re.compile(
    _BEFORE_VALUE
    + r"(?P<value>(?<![A-Za-z0-9_./+~!@$%^*-])[A-Za-z0-9_./+~!@$%^*-]{16,512}+={0,2})(?![A-Za-z0-9_./+~!@$%^*(\[=-])"
)
_OPEN_VALUE = re.compile(_BEFORE_VALUE + r"\\*[A-Za-z0-9_./+~!@$%^*-]{0,513}+={0,2}\Z")


def mask_assignments(text: str) -> str:
    lowered = text.lower()
    if any(ending in lowered for ending in _ENDINGS):
        return _VALUE.sub(_masked, text)
    return text


def _masked(match: re.Match[str]) -> str:
    value, whole = match["value"], match[0]
    name = _name_before(match)
    if name is None or value[0] in "$@%*" or not _is_secret(value, is_certain=name["certain"] is not None):
        return whole
    start = match.start("value") - match.start()
    return f"{whole[:start]}{MASK}{whole[start + len(value) :]}"


def _name_before(match: re.Match[str]) -> re.Match[str] | None:
    before = match.string[max(0, match.start() - LONGEST_NAME) : match.start()]
    return _NAME.search(before) if before.rstrip("\"'`\\ \t").lower().endswith(_ENDINGS) else None


def _is_secret(value: str, *, is_certain: bool) -> bool:
    """Behind a name that leaves no doubt even what looks like a hash is one."""
    if is_hex(value):
        return is_certain and len(value) >= MINIMUM_HEX_CHARACTERS and not is_placeholder(value)
    return is_random(value)


def open_value(text: str, start: int) -> int | None:
    """Where, from `start` on, the word begins that names a value which goes on to the end of the text."""
    found = next((each.start() for each in _OPEN_VALUE.finditer(text, start) if _name_before(each)), None)
    if found is None:
        return None
    # The name may itself be the end of another value: `a_token=…b_key=…`.
    words = text[start:found].rsplit(None, 1) if found > start and not text[found - 1].isspace() else ()
    return found - len(words[-1]) if words else found
