"""A tool that is offered without being loaded: models are told of all tools, and most answers call few of them.

What a model is told of one is kept beside its module: the words in `<name>.md`, its scopes and the schema of its input
in `<name>.json`, which `python -m tests.tool_forms` writes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from code_assistant.own_texts import own_text

if TYPE_CHECKING:
    from code_assistant.tools.scopes import Scope
    from code_assistant.tools.tool import Tool


class LateTool:
    """`make` imports the tool and makes it, when it is first called."""

    def __init__(self, room: str, name: str, make: Callable[[], Tool[Any]]) -> None:
        form = json.loads(own_text(room, f"{name}.json"))
        self.name = name
        self.scopes: frozenset[Scope] = frozenset(form["scopes"])
        self.description = own_text(room, f"{name}.md").strip()
        self.input_schema: dict[str, Any] = form["input_schema"]
        self._make = make

    @cached_property
    def tool(self) -> Tool[Any]:
        return self._make()
