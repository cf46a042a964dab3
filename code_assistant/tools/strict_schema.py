"""Schemas for providers that demand every field: all required, what may be left out nullable, nothing further."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def strict_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The strict form of an object's schema, nested objects included; the input is not changed."""
    strict = {key: _converted(value) for key, value in schema.items()}
    properties: dict[str, Any] = dict(strict.get("properties", {}))
    if strict.get("type") != "object" and not properties:
        return strict
    required = set(schema.get("required", ()))
    strict["properties"] = {name: field if name in required else _nullable(field) for name, field in properties.items()}
    strict["required"] = list(properties)
    strict["additionalProperties"] = False
    return strict


def _converted(value: Any) -> Any:
    if isinstance(value, Mapping):
        mapping: Mapping[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
        is_schema = mapping.get("type") == "object" or "properties" in mapping
        return strict_schema(mapping) if is_schema else {key: _converted(each) for key, each in mapping.items()}
    if isinstance(value, list):
        items: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
        return [_converted(each) for each in items]
    return value


def _nullable(field: Mapping[str, Any]) -> dict[str, Any]:
    """The same field, or null; a default says nothing where a value is demanded."""
    kept = {key: value for key, value in field.items() if key != "default"}
    words = {"description": kept.pop("description")} if "description" in kept else {}
    if not kept or {"type": "null"} in kept.get("anyOf", ()):
        return {**kept, **words}
    return {"anyOf": [kept, {"type": "null"}], **words}
