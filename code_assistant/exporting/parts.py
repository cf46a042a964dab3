"""What an exported session is made of. All text in it is masked and sanitised already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from code_assistant.events import DetailForm, NoticeLevel

Level: TypeAlias = Literal["good", "neutral", "warning", "bad"]


@dataclass(frozen=True, slots=True)
class Fact:
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Status:
    """How something ended, in a word or two, and how that is meant."""

    words: str
    level: Level


@dataclass(frozen=True, slots=True)
class Said:
    """Words to an agent: of the person, or of whoever `who` names. Plain text, whatever it looks like."""

    who: str
    text: str
    images: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """Markdown as the model wrote it; one that `is_cut` was never finished."""

    text: str
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Thought:
    text: str
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class ToolUse:
    """`arguments` is JSON, without what the detail shows."""

    name: str
    title: str
    status: Status
    summary: str = ""
    arguments: str = ""
    detail: str = ""
    form: DetailForm = "text"


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that the program told the person."""

    level: NoticeLevel
    text: str


@dataclass(frozen=True, slots=True)
class Shortening:
    """Here the conversation was compacted: from now on the model knows only a summary of what came before."""

    words: str
    kept: tuple[str, ...] = ()
    summary: str = ""


@dataclass(frozen=True, slots=True)
class AgentWork:
    """A sub-agent, with all that it did inside of it."""

    name: str
    label: str
    status: Status
    facts: tuple[Fact, ...]
    instructions: str
    parts: tuple[Part, ...]
    answer: str
    problems: tuple[str, ...] = ()


Part: TypeAlias = Said | Answer | Thought | ToolUse | Remark | Shortening | AgentWork


@dataclass(frozen=True, slots=True)
class Document:
    title: str
    facts: tuple[Fact, ...]
    parts: tuple[Part, ...]
