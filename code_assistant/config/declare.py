"""What a settings field says about itself: its meaning, what it accepts, and what a project may do to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

SettingValue: TypeAlias = str | int | float | bool
ProjectRight: TypeAlias = Literal["never", "tighten"]


class TextForm(NamedTuple):
    """A shape that text must have: a test for it, and the words that describe it."""

    accepts: Callable[[str], bool]
    words: str


class Declaration(NamedTuple):
    """Stands in the annotation of a field. A project's file may only lower the key, or never set it."""

    doc: str
    project: ProjectRight
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    zero_is_unlimited: bool = False
    form: TextForm | None = None
    variable: str | None = None
