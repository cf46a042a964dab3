"""Which agents a tool is for."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

Scope: TypeAlias = Literal["main", "sub_agent_read_only", "sub_agent_default"]
ALL_SCOPES: frozenset[Scope] = frozenset(get_args(Scope))
# What changes something: the main agent, and children that were given the right to.
CHANGING_SCOPES: frozenset[Scope] = frozenset({"main", "sub_agent_default"})
# What speaks with the person: children answer to their parent.
MAIN_ONLY: frozenset[Scope] = frozenset({"main"})
