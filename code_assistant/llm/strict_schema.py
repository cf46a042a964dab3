"""Schemas for models that demand every field: all required, what may be left out nullable, nothing further.

What comes back is brought into the tool's own form again: a null that only stands for "left out" is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, cast

Schema: TypeAlias = Mapping[str, Any]

NULL = {"type": "null"}
# What such services understand; every other keyword makes them refuse the whole request. Nothing is lost by
# leaving it out: the input is checked again before a tool runs.
KEPT_KEYWORDS = frozenset(
    {
        *("type", "description", "enum", "const", "pattern", "multipleOf"),
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems"),
    }
)
KEPT_FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"},
)
DEFINITIONS = ("$defs", "definitions")
ALTERNATIVES = ("anyOf", "oneOf", "allOf")


def strict_schema(schema: Schema) -> dict[str, Any] | None:
    """The strict form of a tool's schema, or None where it has none: an object whose keys are not known."""
    try:
        return _strict(schema)
    except _NoStrictForm:
        return None


class _NoStrictForm(Exception):
    """Something in the schema cannot be said strictly."""


def _strict(schema: Any) -> dict[str, Any]:
    if not isinstance(schema, Mapping):
        # `true` stands for anything at all.
        raise _NoStrictForm
    fields = cast("Schema", schema)
    strict = {key: value for key, value in fields.items() if key in KEPT_KEYWORDS}
    if fields.get("format") in KEPT_FORMATS:
        strict["format"] = fields["format"]
    for key in DEFINITIONS:
        if key in fields:
            strict[key] = {name: _strict(each) for name, each in fields[key].items()}
    if "items" in fields:
        strict["items"] = _strict(fields["items"])
    _add_alternatives(fields, strict)
    if fields.get("type") == "object" or "properties" in fields:
        _add_properties(fields, strict)
    elif fields.get("type") == "array" and "items" not in fields:
        raise _NoStrictForm
    return strict


def _add_alternatives(fields: Schema, strict: dict[str, Any]) -> None:
    alternatives = next((fields[key] for key in ALTERNATIVES if key in fields), None)
    if alternatives is not None:
        if "allOf" in fields and len(alternatives) > 1:
            raise _NoStrictForm
        strict["anyOf"] = [_strict(each) for each in alternatives]
    elif "$ref" in fields:
        # A reference may have nothing beside it.
        reference = {"$ref": fields["$ref"]}
        strict.update({"anyOf": [reference]} if strict else reference)


def _add_properties(fields: Schema, strict: dict[str, Any]) -> None:
    properties: Schema = fields.get("properties", {})
    if fields.get("additionalProperties") not in (None, False) or not (properties or "properties" in fields):
        raise _NoStrictForm
    required = set(fields.get("required", ()))
    strict["properties"] = {
        name: _strict(each) if name in required else _nullable(_strict(each)) for name, each in properties.items()
    }
    strict["required"] = list(properties)
    strict["additionalProperties"] = False


def _nullable(field: dict[str, Any]) -> dict[str, Any]:
    if not field or NULL in field.get("anyOf", ()):
        return field
    words = {"description": field.pop("description")} if "description" in field else {}
    return {"anyOf": [field, NULL], **words}


def without_stand_ins(value: Any, schema: Schema) -> Any:
    """An input that was given for the strict form, without the nulls of fields that were left out."""
    return _cleaned(value, schema, schema)


def _cleaned(value: Any, schema: Schema, root: Schema) -> Any:
    if isinstance(value, list):
        items = cast("list[Any]", value)
        item_schema = cast("Schema", _fitting(items, schema, root).get("items") or {})
        return [_cleaned(each, item_schema, root) for each in items]
    if not isinstance(value, dict):
        return value
    given = cast("dict[str, Any]", value)
    fitting = _fitting(given, schema, root)
    properties: Schema = fitting.get("properties", {})
    required = fitting.get("required", ())
    return {
        name: _cleaned(each, properties[name], root) if name in properties else each
        for name, each in given.items()
        if each is not None or name not in properties or name in required or _takes_null(properties[name], root)
    }


def _fitting(value: Any, schema: Schema, root: Schema) -> Schema:
    """The part of a schema that describes an object or a list: past references, the right one of alternatives."""
    kind = "properties" if isinstance(value, dict) else "items"
    for each in _alternatives(schema, root):
        if kind in each and (kind == "items" or set(cast("dict[str, Any]", value)) <= set(each[kind])):
            return each
    return {}


def _takes_null(schema: Schema, root: Schema) -> bool:
    return any(each.get("type") == "null" or None in each.get("enum", ()) for each in _alternatives(schema, root))


def _alternatives(schema: Schema, root: Schema) -> list[Schema]:
    """What a schema comes to: itself, or what it refers to, or each of its alternatives."""
    open_ones, seen, found = [schema], set[str](), list[Schema]()
    while open_ones:
        each = open_ones.pop(0)
        reference = each.get("$ref")
        if isinstance(reference, str):
            if reference not in seen:
                seen.add(reference)
                open_ones.append(_definition(reference, root))
            continue
        inner = next((each[key] for key in ALTERNATIVES if key in each), None)
        if inner is None:
            found.append(each)
        else:
            open_ones += inner
    return found


def _definition(reference: str, root: Schema) -> Schema:
    match reference.split("/"):
        case ["#", group, name]:
            return root.get(group, {}).get(name, {})
        case _:
            return {}
