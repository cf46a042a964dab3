"""Dataclasses as JSON objects and back. All is derived from their types: a new field needs no new lines here.

The forms: a dataclass is an object of its fields, with its name as "type" where it is one of several; a tuple is a
list. To keep lone surrogates, dump with `ensure_ascii`; two halves of one character, side by side, come back joined.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache, partial
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, cast, get_args, get_origin, get_type_hints

from code_assistant.errors import AssistantError
from code_assistant.messages import AS_IT_IS

TAG = "type"

TextFilter: TypeAlias = Callable[[str], str]
_FIELD_NAME = re.compile(r"[A-Za-z_]+")


@dataclass(frozen=True, slots=True)
class TwoFilters:
    """A text filter that has another one for fields which are declared `Exact`."""

    text: TextFilter
    exact: TextFilter

    def __call__(self, text: str) -> str:
        return self.text(text)


class FormError(AssistantError):
    """What was read does not have the form that it should."""

    kind = "form"


@dataclass(frozen=True, slots=True)
class _Form:
    """How values of one type are written and read. Reading is told where it is, for the words of an error."""

    write: Callable[[Any, TextFilter], Any]
    read: Callable[[Any, str], Any]


def value_object(kind: Any, value: object, text_filter: TextFilter = str) -> dict[str, Any]:
    """A value of that kind as `json.dumps` takes it.

    Every text passes the filter; fixed words do not.
    """
    return _form(kind).write(value, text_filter)


def value_from(kind: Any, source: object, what: str) -> Any:
    """The value that such an object stands for; unknown keys are ignored, FormError for anything else.

    `what` is what it is called in the words of an error.
    """
    return _form(kind).read(source, what)


@cache
def _form(hint: Any) -> _Form:
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated and arguments[1:] == (AS_IT_IS,):
        return _exact(_form(arguments[0]))
    if origin is Literal:
        return _literal(arguments)
    if origin is tuple and arguments[1:] == (...,):
        return _sequence(arguments[0])
    if origin in (Union, UnionType):
        present = tuple(argument for argument in arguments if argument is not NoneType)
        form = _form(present[0]) if len(present) == 1 else _one_of(present)
        return form if len(present) == len(arguments) else _optional(form)
    if origin is Mapping:
        return _Form(_write_json, _object)
    if is_dataclass(hint):
        return _record(cast("type[Any]", hint))
    raise TypeError(f"There is no JSON form for {hint}")


def _exact(form: _Form) -> _Form:
    def write(value: object, text_filter: TextFilter) -> Any:
        return form.write(value, text_filter.exact if isinstance(text_filter, TwoFilters) else text_filter)

    return _Form(write, form.read)


def _literal(values: tuple[Any, ...]) -> _Form:
    def read(value: object, where: str) -> object:
        if isinstance(value, str) and value in values:
            return value
        raise _mismatch(where, "one of " + ", ".join(map(repr, values)), value)

    return _Form(_write_plain, read)


def _sequence(item: Any) -> _Form:
    form = _form(item)

    def write(value: tuple[Any, ...], text_filter: TextFilter) -> list[Any]:
        return [form.write(each, text_filter) for each in value]

    def read(value: object, where: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise _mismatch(where, _WORDS[list], value)
        return tuple(form.read(each, f"{where}[{index}]") for index, each in enumerate(cast("list[object]", value)))

    return _Form(write, read)


def _optional(form: _Form) -> _Form:
    return _Form(
        lambda value, text_filter: None if value is None else form.write(value, text_filter),
        lambda value, where: None if value is None else form.read(value, where),
    )


def _record(kind: type[Any]) -> _Form:
    hints = get_type_hints(kind, include_extras=True)
    forms = tuple((field.name, _form(hints[field.name])) for field in fields(kind))
    writers = tuple((name, form.write) for name, form in forms)
    defaults = {
        field.name for field in fields(kind) if field.default is not MISSING or field.default_factory is not MISSING
    }

    def write(value: object, text_filter: TextFilter) -> dict[str, Any]:
        return {name: write_field(getattr(value, name), text_filter) for name, write_field in writers}

    def read(value: object, where: str) -> object:
        found = _object(value, where)
        given: dict[str, Any] = {}
        for name, form in forms:
            if name in found:
                given[name] = form.read(found[name], f"{where}.{name}")
            elif name not in defaults:
                raise FormError(f"{where}.{name} is missing.")
        return kind(**given)

    return _Form(write, read)


def _one_of(kinds: tuple[type[Any], ...]) -> _Form:
    """A union of dataclasses, told apart by their names."""
    forms = {kind.__name__: _record(kind) for kind in kinds}
    writers = {kind: (kind.__name__, forms[kind.__name__].write) for kind in kinds}

    def write(value: object, text_filter: TextFilter) -> dict[str, Any]:
        name, write_fields = writers[type(value)]
        return {TAG: name, **write_fields(value, text_filter)}

    def read(value: object, where: str) -> object:
        name = _object(value, where).get(TAG)
        if not isinstance(name, str):
            raise _mismatch(f"{where}.{TAG}", _WORDS[str], name)
        if name not in forms:
            raise FormError(f"{where} has the unknown type {name!r}.")
        return forms[name].read(value, where if "." in where else name)

    return _Form(write, read)


def _write_plain(value: object, _text_filter: TextFilter) -> object:
    return value


def _write_text(value: str, text_filter: TextFilter) -> str:
    return text_filter(value)


def _read_plain(kind: type, value: object, where: str) -> object:
    # Exact types: for Python, a bool is a number, too.
    if type(value) is kind or (kind is float and type(value) is int):
        return value
    raise _mismatch(where, _WORDS[kind], value)


def filtered_json(value: object, text_filter: TextFilter) -> Any:
    """A copy of dicts and lists, of which every text passes the filter.

    Names do only where they are no plain words: whoever reads it goes by them.
    """
    return _write_json(value, text_filter, lambda name: name if _FIELD_NAME.fullmatch(name) else text_filter(name))


def _write_json(value: object, text_filter: TextFilter, name_filter: TextFilter | None = None) -> Any:
    """A copy of dicts and lists only. Without recursion: a model may nest its input as deep as it likes."""
    name_filter = name_filter or text_filter
    result: list[Any] = [value]
    pending: list[tuple[Any, Any]] = [(result, 0)]
    while pending:
        place, key = pending.pop()
        found = place[key]
        if isinstance(found, str):
            place[key] = text_filter(found)
        elif isinstance(found, Mapping):
            members = cast("Mapping[str, Any]", found)
            place[key] = copied = {name_filter(name): member for name, member in members.items()}
            pending.extend((copied, name) for name in copied)
        elif isinstance(found, list | tuple):
            place[key] = items = list(cast("list[Any]", found))
            pending.extend((items, index) for index in range(len(items)))
    return result[0]


def _object(value: object, where: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return cast("dict[str, Any]", value)
    raise _mismatch(where, _WORDS[dict], value)


def _mismatch(where: str, expected: str, value: object) -> FormError:
    found = repr(value[:40]) if isinstance(value, str) else _WORDS.get(type(value), type(value).__name__)
    return FormError(f"{where} must be {expected}, not {found}.")


_WORDS: dict[type, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
    NoneType: "null",
}
_PLAIN: dict[Any, _Form] = {
    str: _Form(_write_text, partial(_read_plain, str)),
    int: _Form(_write_plain, partial(_read_plain, int)),
    float: _Form(_write_plain, partial(_read_plain, float)),
    bool: _Form(_write_plain, partial(_read_plain, bool)),
}
