"""Anything that a type hint allows, for what is written as JSON and read again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st


def joined(text: str) -> str:
    """Two halves of a character that stand side by side are that character: JSON cannot tell them apart."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


TEXTS = st.text(st.characters(), max_size=8).map(joined)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
JSON_OBJECTS = st.dictionaries(TEXTS, JSON_VALUES, max_size=3)
PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    str: TEXTS,
    int: st.integers(),
    float: NUMBERS,
    bool: st.booleans(),
    NoneType: st.none(),
}


def values(hint: Any) -> st.SearchStrategy[Any]:
    """Anything that the type hint allows."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in PLAIN:
        return PLAIN[hint]
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is tuple:
        return st.lists(values(arguments[0]), max_size=4).map(tuple)
    if origin in (Union, UnionType):
        return st.one_of(*(values(argument) for argument in arguments))
    if origin is Mapping:
        return JSON_OBJECTS
    assert is_dataclass(hint), hint
    hints = get_type_hints(hint)
    return st.builds(hint, **{field.name: values(hints[field.name]) for field in fields(hint)})  # pyright: ignore[reportArgumentType, reportCallIssue]
