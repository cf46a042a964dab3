"""Turning what a file, a variable or a flag holds into a checked value, or into a sentence about it."""

from __future__ import annotations

import math
import re
from typing import Any

from code_assistant.config.declare import SettingValue
from code_assistant.config.keys import Key
from code_assistant.errors import UsageError

_WORDS_FOR_TRUE = ("true", "1", "yes", "on")
_WORDS_FOR_FALSE = ("false", "0", "no", "off")
_SHOWN_CHARACTERS = 80
_SHOWN_NUMBERS = 10**20


def checked(key: Key, found: object, origin: str) -> SettingValue:
    """The value, if the key accepts it; else a UsageError that names where it stands and what is allowed."""
    value = _as_float(found) if key.kind is float and type(found) is int else found
    if type(value) is not key.kind or not _accepts(key, value):
        raise UsageError(f"{origin}: {key.name} is {shown(found)}, but it must be {allowed(key)}.")
    return value


def checked_text(key: Key, text: str, origin: str) -> SettingValue:
    """The same for a value that comes as text, from a variable or a flag."""
    return checked(key, _parsed(key, text), origin)


def allowed(key: Key) -> str:
    """What a key accepts, in words."""
    if key.choices:
        named = [shown(choice) for choice in key.choices]
        return f"{', '.join(named[:-1])} or {named[-1]}"
    if key.declaration.form is not None:
        return key.declaration.form.words
    if key.kind is bool:
        return "true or false"
    if key.kind is str:
        return "text"
    return f"a {'whole ' if key.kind is int else ''}number{_range(key)}"


def shown(value: object) -> str:
    """A value as it may appear in a message: quoted, bounded, without the password of an address."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        text = re.sub(r"//[^/@]*@", "//…@", value)
        return f'"{_bounded(ascii(text)[1:-1] if not text.isprintable() else text)}"'
    if isinstance(value, float):
        return str(value)
    if isinstance(value, int):
        # Python refuses to write out numbers of some thousand digits.
        return str(value) if abs(value) < _SHOWN_NUMBERS else "a huge number"
    if isinstance(value, dict):
        return "a table"
    return "a list" if isinstance(value, list) else "a date or time"


def _range(key: Key) -> str:
    rule = key.declaration
    zero = " (0 means no limit)" if rule.zero_is_unlimited else ""
    if rule.above is not None:
        return f" above {rule.above:g}"
    if rule.minimum is not None and rule.maximum is not None:
        return f" from {rule.minimum} to {rule.maximum}{zero}"
    return f", {rule.minimum} or more{zero}" if rule.minimum is not None else zero


def _accepts(key: Key, value: Any) -> bool:
    rule = key.declaration
    if key.choices:
        return value in key.choices
    if isinstance(value, str):
        return rule.form is None or rule.form.accepts(value)
    return (
        -math.inf < value < math.inf
        and (rule.minimum is None or value >= rule.minimum)
        and (rule.maximum is None or value <= rule.maximum)
        and (rule.above is None or value > rule.above)
    )


def _as_float(number: int) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def _parsed(key: Key, text: str) -> object:
    if key.kind is str:
        return text
    if key.kind is bool:
        word = text.lower()
        return word in _WORDS_FOR_TRUE if word in _WORDS_FOR_TRUE + _WORDS_FOR_FALSE else text
    try:
        return key.kind(text)
    except ValueError:
        return text


def _bounded(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"
