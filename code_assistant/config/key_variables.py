"""The variables that hold keys: those every program of this kind knows, and those the person's models file names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, cast

from code_assistant.config.text_files import read_user_file
from code_assistant.config.toml_files import parse_toml
from code_assistant.errors import AssistantError

API_KEY_VARIABLE = "ANTHROPIC_API_KEY"
AUTH_TOKEN_VARIABLE = "ANTHROPIC_AUTH_TOKEN"
SEARCH_KEY_VARIABLE = "BRAVE_API_KEY"
USUAL_VARIABLES = (
    API_KEY_VARIABLE,
    AUTH_TOKEN_VARIABLE,
    SEARCH_KEY_VARIABLE,
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
)
MODELS_FILE = "models.toml"
VARIABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def key_variables(config_folder: Path) -> tuple[str, ...]:
    """All of them, whatever else may be wrong with the models file: what it says of keys must be masked anyhow."""
    try:
        text = read_user_file(config_folder / MODELS_FILE)
        document = parse_toml(text, config_folder / MODELS_FILE) if text is not None else {}
    except AssistantError:
        # Whoever reads the file for its models says what is wrong with it.
        return USUAL_VARIABLES
    providers = document.get("providers")
    entries = cast("dict[str, Any]", providers).values() if isinstance(providers, dict) else ()
    named = [str(cast("dict[str, Any]", entry).get("key_variable", "")) for entry in entries if isinstance(entry, dict)]
    return tuple(dict.fromkeys((*USUAL_VARIABLES, *(each for each in named if VARIABLE_NAME.fullmatch(each)))))
