"""Texts that come with the program: prompts, tables, schemas."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def own_text(room: str, name: str) -> str:
    """What stands in a file of ours, whose room may be one inside of another: `subagents/definitions`."""
    return (_PACKAGE / room / name).read_text(encoding="utf-8")
