"""The table of all keys as Markdown, for docs/settings.md."""

from __future__ import annotations

from code_assistant.config.keys import KEYS, Key
from code_assistant.config.values import allowed, shown

_PROJECT_WORDS = {"never": "no", "tighten": "lower only"}


def settings_table() -> str:
    """One line for each key, in the order of their declaration."""
    head = ["| key | default | accepts | project file | meaning |", "| --- | --- | --- | --- | --- |"]
    return "\n".join(head + [_row(key) for key in KEYS.values()])


def _row(key: Key) -> str:
    right = _PROJECT_WORDS[key.declaration.project]
    return f"| `{key.name}` | `{shown(key.default)}` | {allowed(key)} | {right} | {key.declaration.doc} |"
