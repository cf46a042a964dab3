"""What spawn_agent is asked: its fields, the other names they go by, and what is not available yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

from pydantic import Field, StrictBool, StrictInt, ValidationError, field_validator, model_validator

from code_assistant.events import AgentMode
from code_assistant.tools.tool_input import ToolInput

MAXIMUM_LABEL = 80
DEFAULT_LABEL = 60
MAXIMUM_TURNS = 100
MAXIMUM_SECONDS = 86_400

# Other tools' names for our fields; accepted, never advertised.
ALIASES: Mapping[str, str] = {
    "instruction": "instructions",
    "prompt": "instructions",
    "initial_message": "instructions",
    "agent_id": "agent",
    "task_id": "name",
    "providerId": "provider",
    "teamName": "team",
    "workflow_id": "team",
    "auto_subscribe": "topics",
}
NOT_AVAILABLE = frozenset(
    {
        "background",
        "keep_alive",
        "output_schema",
        "max_schema_retries",
        "team",
        "role",
        "topics",
        "metadata",
    }
)
SWITCHES = frozenset({"background", "keep_alive"})

Tokens: TypeAlias = Annotated[StrictInt, Field(gt=0)]


class SpawnInput(ToolInput):
    instructions: str = Field(
        description="The whole task. The sub-agent has seen nothing of this conversation: say the goal, why it "
        "matters, what you know already, what is ruled out, and what the answer should hold."
    )
    mode: AgentMode | None = Field(
        default=None,
        description="read_only: it can look but change nothing, by commands neither, and runs beside its neighbours. "
        "default: it can also change files, and run commands that do, under permission. Without it: what the "
        "definition says (self: what you may do), else read_only.",
    )
    require_file_references: StrictBool = Field(
        default=False,
        description="Its answer must point to real lines as path:line or path:line-line; they are checked.",
    )
    description: str | None = Field(
        default=None, max_length=MAXIMUM_LABEL, description="A few words for the person who watches."
    )
    agent: str | None = Field(
        default=None, description="A definition to make it from, or self for a fresh copy of you. Without it: ad-hoc."
    )
    name: str | None = Field(
        default=None, pattern=r"^[a-z0-9-]{1,40}$", description="Its name; no two live agents share one."
    )
    allow_spawn: StrictBool = Field(default=False, description="It may spawn sub-agents of its own.")
    model: str | None = Field(default=None, min_length=1, description="Another model, for this sub-agent only.")
    provider: str | None = Field(default=None, min_length=1, description="The model's provider.")
    identity: str | None = Field(default=None, description="System prompt of an ad-hoc sub-agent.")
    context: Any = Field(default=None, description="JSON for its system prompt.")
    max_turns: Annotated[StrictInt, Field(ge=1, le=MAXIMUM_TURNS)] | None = Field(
        default=None, description="Most requests it may make."
    )
    timeout_s: Annotated[StrictInt, Field(gt=0, le=MAXIMUM_SECONDS)] | None = Field(
        default=None, description="Seconds it may run; waiting for a permission does not count."
    )
    max_request_tokens: Tokens | None = Field(default=None, description="Most output tokens of one request.")
    max_input_tokens: Tokens | None = Field(default=None, description="Most input tokens of all requests together.")
    max_output_tokens: Tokens | None = Field(default=None, description="Most output tokens of all requests together.")
    max_request_retries: Annotated[StrictInt, Field(ge=0, le=7)] | None = Field(
        default=None, description="How often a failed request is sent again."
    )
    request_retry_delay: Annotated[StrictInt, Field(ge=1, le=60_000)] | None = Field(
        default=None, description="Milliseconds before the first retry."
    )
    cwd: str | None = Field(default=None, description="The folder it works in, inside the workspace.")

    @model_validator(mode="before")
    @classmethod
    def _in_our_words(cls, given: Any) -> Any:
        """Aliases become our names, null means what is left out, and what is not there yet is refused."""
        if not isinstance(given, Mapping):
            return given
        fields: dict[str, Any] = {}
        for key, value in given.items():  # pyright: ignore[reportUnknownVariableType]
            name = ALIASES.get(str(key), str(key))  # pyright: ignore[reportUnknownArgumentType]
            if value is None:
                continue
            if name in fields:
                raise ValueError(f"{name} is given twice, once under another name")
            fields[name] = value
        for name in NOT_AVAILABLE & fields.keys():
            # What asks for nothing special is what happens anyway.
            if fields.pop(name) is not False or name not in SWITCHES:
                raise ValueError(f"{name} is not available yet; leave it out")
        return fields

    @field_validator("instructions")
    @classmethod
    def _says_something(cls, instructions: str) -> str:
        if not instructions.strip():
            raise ValueError("must say what to do; it is blank")
        return instructions

    @property
    def label(self) -> str:
        """The words for the person: those given, else the beginning of the instructions."""
        given = (self.description or "").strip()
        return given or cut(self.instructions.strip().partition("\n")[0].strip(), DEFAULT_LABEL)


def cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}…"


def problem_words(error: ValidationError) -> str:
    """What is wrong with an input, and what would be right."""
    return "; ".join(_words(detail) for detail in error.errors(include_url=False, include_input=False))


def _words(detail: Any) -> str:
    field = ".".join(str(part) for part in detail["loc"] if part not in ("constrained-int", "int")) or "input"
    if detail["type"] == "extra_forbidden":
        return f"there is no field {field}; the fields are {', '.join(SpawnInput.model_fields)}"
    if detail["type"] == "missing":
        return f"{field} is missing"
    return f"{field}: {str(detail['msg']).removeprefix('Value error, ')}"
