"""The simple commands of an analysis in all the spellings that rules which deny or ask compare, made once for all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from code_assistant.permissions.shell.starters import GIT_OPTIONS_WITH_VALUE
from code_assistant.permissions.shell.vague_words import Vague, vague

if TYPE_CHECKING:
    from code_assistant.permissions.shell.analysis import Member

_GIT_PROGRAM = "git-"


@dataclass(frozen=True, slots=True)
class VagueCommand:
    """A simple command of which some words stand for others."""

    words: tuple[Vague, ...]
    goes_on: bool


@dataclass(slots=True)
class Spellings:
    """Texts by their first word, those that `goes_on` apart; and what stands for others."""

    whole: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    cut: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    vague: list[VagueCommand] = field(default_factory=list[VagueCommand])
    is_anything: bool = False


def spellings_of(members: Iterable[Member]) -> Spellings:
    found = Spellings()
    seen: set[tuple[str, bool]] = set()
    for member in members:
        if not member.words:
            found.is_anything |= member.goes_on
            continue
        for text in _texts(member):
            if (text, member.goes_on) not in seen:
                seen.add((text, member.goes_on))
                by_first = found.cut if member.goes_on else found.whole
                by_first.setdefault(text.partition(" ")[0], []).append(text)
        if any(word.value is None for word in member.words):
            found.vague.extend(VagueCommand(each, member.goes_on) for each in _vague(member))
    return found


def _texts(member: Member) -> Iterator[str]:
    """With its program as it is written, and by its name alone: `/bin/rm` is `rm`, `git-push` is `git push`."""
    text = member.text
    yield text
    joined = " ".join(text.split())
    yield joined
    program, *words = (word.text if word.value is None else word.value for word in member.words)
    name = program.rpartition("/")[2]
    if name != program:
        yield " ".join((name + text[len(program) :]).split())
    if name == "git":
        yield " ".join(("git", *without_global_options(words)))
    elif name.startswith(_GIT_PROGRAM):
        yield " ".join(("git", name.removeprefix(_GIT_PROGRAM), *words))


def _vague(member: Member) -> Iterator[tuple[Vague, ...]]:
    program, *words = member.words
    texts = [word.text if word.value is None else word.value for word in words]
    first = _vague_word(program.text, program.value, is_program=True)
    rest = [each for word in words for each in _vague_word(word.text, word.value)]
    yield (*first, *rest)
    if member.program == "git":
        left = len(texts) - len(without_global_options(texts))
        yield (*first, *(each for word in words[left:] for each in _vague_word(word.text, word.value)))


def _vague_word(text: str, value: str | None, *, is_program: bool = False) -> Sequence[Vague]:
    if value is None:
        return vague(text, is_program=is_program)
    return [Vague(value.rpartition("/")[2] if is_program else value, is_literal=True)]


def without_global_options(words: Sequence[str]) -> Sequence[str]:
    """What git is to do: `-C . --no-pager push` is `push`."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in GIT_OPTIONS_WITH_VALUE else 1
    return words[at:]
