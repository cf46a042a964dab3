"""The table of all keys, derived from the settings dataclasses."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass, replace
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from code_assistant.config.declare import Declaration, SettingValue
from code_assistant.config.settings import Settings

VARIABLE_PREFIX = "CODE_ASSISTANT_"


class Key(NamedTuple):
    """One dotted key with its default and its declaration. Choices are empty where any value is a candidate."""

    name: str
    default: SettingValue
    choices: tuple[SettingValue, ...]
    declaration: Declaration

    @property
    def kind(self) -> type[SettingValue]:
        """The type of its values, which is that of its default."""
        return type(self.default)

    @property
    def variable(self) -> str:
        """The environment variable of ours that sets it."""
        return VARIABLE_PREFIX + self.name.upper().replace(".", "__")

    @property
    def variables(self) -> tuple[str, ...]:
        """All variables that set it, the strongest last."""
        shared = self.declaration.variable
        return (self.variable,) if shared is None else (shared, self.variable)

    def loosens(self, new: SettingValue, old: SettingValue) -> bool:
        """Whether `new` allows more than `old`, for a key that a project may only lower."""
        return self._limit(new) > self._limit(old)

    def _limit(self, value: SettingValue) -> float:
        if isinstance(value, str):
            raise TypeError(f"{self.name} is declared as one that a project may lower, but it is text.")
        return math.inf if value == 0 and self.declaration.zero_is_unlimited else value


def with_values(values: Mapping[str, SettingValue]) -> Settings:
    """The default settings with some dotted keys replaced by already checked values."""
    return _replaced(Settings(), "", values)


def _replaced(section: Any, prefix: str, values: Mapping[str, SettingValue]) -> Any:
    changes: dict[str, Any] = {}
    for field, default in _defaults(section):
        name = prefix + field
        if is_dataclass(default):
            changes[field] = _replaced(default, f"{name}.", values)
        elif name in values:
            changes[field] = values[name]
    return replace(section, **changes)


def _walk(section: Any, prefix: str) -> Iterator[Key]:
    hints = get_type_hints(section.__class__, include_extras=True)
    for field, default in _defaults(section):
        name = prefix + field
        if is_dataclass(default):
            yield from _walk(default, f"{name}.")
        else:
            kind, declaration = get_args(hints[field])
            yield Key(name, default, get_args(kind) if get_origin(kind) is Literal else (), declaration)


def _defaults(section: Any) -> Iterator[tuple[str, Any]]:
    return ((name, getattr(section, name)) for name in section.__dataclass_fields__)


KEYS: Mapping[str, Key] = MappingProxyType({key.name: key for key in _walk(Settings(), "")})
SECTIONS: frozenset[str] = frozenset(name.rpartition(".")[0] for name in KEYS if "." in name)
