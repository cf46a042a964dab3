"""What a conversation says: the question, what was called for it with which results, and what the loop added."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from code_assistant.llm.offline.briefs import Task, read_brief
from code_assistant.llm.offline.steps import Call, Outcome, Round
from code_assistant.messages import Image, Message, Text, ToolCall, ToolResult

# How lines of the program itself begin, which stand among the person's words.
_OWN_OPENINGS = (
    "This is the last turn: no tool can be called any more.",
    "Your answer was cut off by the output limit.",
    "[The person interrupted here.]",
    "[The person ran a command of their own]",
    "[Plan mode is ",
    "[Background command ",
    "[The conversation so far was compacted to save room.",
    "[The last tool calls before that, and their results as text.]",
    "[What follows are the person's last words, as they were.]",
    "[This was compacted in the middle of the work.",
)
_CORRECTION_OPENING = "The file references in your answer were checked, and it cannot be passed on like this:"
_REFERENCE_SUFFIX = "\n\nSupport your answer with file references."
_PIPED_INPUT = "\n\n<piped-input>\n"
_REFUSED = re.compile(r"- (.+) \([^()]*(?:\([^()]*\)[^()]*)*\)")
_GO_ON = re.compile(
    r"\W*(?:please\W+)?(?:go on|continue|carry on|keep going|again|try again|retry|resume)\W*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Conversation:
    """`task` is what the explorer gave itself as a sub-agent. `refused` are references that did not hold."""

    question: str
    task: Task | None = None
    rounds: tuple[Round, ...] = ()
    refused: tuple[str, ...] = ()
    said_meanwhile: bool = False
    has_image: bool = False


@dataclass(slots=True)
class _Reading:
    """All of a conversation in order; `said` has with each text how many rounds came before it."""

    rounds: list[Round] = field(default_factory=list[Round])
    said: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    refused: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    images: list[int] = field(default_factory=list[int])

    def take(self, message: Message) -> None:
        calls: list[Call] = []
        outcomes: list[Outcome] = []
        for block in message.content:
            match block:
                case ToolCall(_, name, arguments):
                    calls.append(Call(name, dict(arguments)))
                case ToolResult(_, content, is_error):
                    outcomes.append(Outcome(tuple(each.text for each in content if isinstance(each, Text)), is_error))
                case Text(text) if message.role == "user":
                    self._hear(text)
                case Image():
                    self.images.append(len(self.rounds))
                case _:
                    pass
            if outcomes and len(outcomes) == len(self.rounds[-1].calls if self.rounds else ()):
                self.rounds[-1] = Round(self.rounds[-1].calls, tuple(outcomes))
        if calls:
            self.rounds.append(Round(tuple(calls), ()))

    def _hear(self, text: str) -> None:
        if text.startswith(_CORRECTION_OPENING):
            self.refused += (
                (found[1], len(self.rounds)) for line in text.split("\n") if (found := _REFUSED.fullmatch(line))
            )
        elif not text.startswith(_OWN_OPENINGS):
            self.said.append((text, len(self.rounds)))


def read_conversation(messages: Sequence[Message]) -> Conversation:
    reading = _Reading()
    for message in messages:
        reading.take(message)
    if not reading.said:
        return Conversation("", has_image=bool(reading.images))
    task = read_brief(reading.said[0][0])
    if task is not None:
        # A sub-agent has one task to its end, whatever is said to it on the way.
        return Conversation("", task, tuple(reading.rounds), _words(reading.refused), len(reading.said) > 1)
    text, begin = reading.said[-1]
    if _GO_ON.fullmatch(text):
        text = next((said for said, _ in reversed(reading.said) if not _GO_ON.fullmatch(said)), text)
    return Conversation(
        question=_question(text),
        rounds=tuple(reading.rounds[begin:]),
        refused=_words(each for each in reading.refused if each[1] >= begin),
        has_image=any(place >= begin for place in reading.images),
    )


def _words(refused: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    return tuple(text for text, _ in refused)


def _question(text: str) -> str:
    """The person's own words, as text that every tool can take."""
    text = text.partition(_REFERENCE_SUFFIX)[0].partition(_PIPED_INPUT)[0]
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ").strip()
