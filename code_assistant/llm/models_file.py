"""The form of a models file that somebody wrote: what it may say, and words for what it may not."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from code_assistant.errors import UsageError
from code_assistant.llm.model import LimitField, ThinkingKind, ToolsEffort

Name = Annotated[str, Field(pattern=r"^[\w][\w .:/@+()-]{0,199}$")]
Tokens = Annotated[int, Field(gt=0, le=100_000_000)]
Dollars = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _PriceEntry(_Entry):
    input: Dollars
    output: Dollars
    cache_write: Dollars | None = None
    cache_read: Dollars | None = None
    prompt_limit: Tokens | None = None


class _ModelEntry(_Entry):
    provider: str | None = None
    id: Annotated[str, Field(min_length=1, max_length=300)] | None = None
    context_window: Tokens | None = None
    max_output_tokens: Tokens | None = None
    prices: list[_PriceEntry] | None = None
    thinking: ThinkingKind | None = None
    thinking_off: Literal["disabled", "between_tools"] | None = None
    effort: bool | None = None
    tools_effort: ToolsEffort | None = None
    images: bool | None = None
    strict_tools: bool | None = None
    writes: bool | None = None
    aliases: list[Name] | None = None


class _ProviderEntry(_Entry):
    kind: Literal["anthropic", "openai"] | None = None
    title: Annotated[str, Field(min_length=1, max_length=80)] | None = None
    base_url: Annotated[str, Field(pattern=r"^https?://[^\s@?#]+$")] | None = None
    key_variable: Annotated[str, Field(pattern=r"^([A-Za-z_][A-Za-z0-9_]*)?$")] | None = None
    limit_field: LimitField | None = None


class _File(_Entry):
    providers: dict[Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")], _ProviderEntry] = {}
    models: dict[Name, _ModelEntry] = {}


def checked_models(document: Mapping[str, Any], file: str) -> dict[str, Any]:
    """What the file says, in its own form. Raises UsageError, naming file and key, for what makes no sense."""
    try:
        return _File.model_validate(document).model_dump(exclude_none=True)
    except ValidationError as error:
        raise UsageError(f"{file}: {_words(error)}") from error


def _words(error: ValidationError) -> str:
    detail = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in detail["loc"] if part != "[key]")
    if detail["type"] == "extra_forbidden":
        allowed = {1: _File, 3: _ModelEntry if where.startswith("models.") else _ProviderEntry}
        fields = list(allowed.get(len(detail["loc"]), _PriceEntry).model_fields)
        near = get_close_matches(str(detail["loc"][-1]), fields, 1)
        hint = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(fields)}."
        return f"there is no key {where}. {hint}"
    return f"{where}: {_SHAPES.get(str(detail['loc'][-1]), detail['msg'])}."


_SHAPES = {
    "base_url": "it must be an http:// or https:// address without user name, query or fragment",
    "key_variable": "it must be the name of an environment variable",
    "kind": 'it must be "openai" or "anthropic"',
    "prices": "it must be a list of tables, such as [{ input = 1, output = 2 }]",
}
