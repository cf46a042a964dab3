"""Words of a command that could be another one: nobody knows what the program does that is given them."""

from __future__ import annotations

from collections.abc import Iterator, Set

from code_assistant.permissions.access import CommandAccess
from code_assistant.permissions.shell.analysis import Member, Word
from code_assistant.permissions.shell.spellings import Spellings, spellings_of, without_global_options
from code_assistant.permissions.shell.starters import GIT_COMMANDS, SHELLS, STARTERS, STARTING_NOTHING, WRAPPERS
from code_assistant.permissions.shell.tables import program_tables

_MOST_WORDS = 8


def mentions_in(access: CommandAccess, programs: Set[str]) -> Spellings:
    """What begins with one of these programs among the words that are given to others.

    Nothing for what is asked about anyway, was proved to read, or is known: what that starts is among the members.
    """
    analysis = access.analysis
    if analysis is None or analysis.obstacle is not None or access.is_read_only:
        return Spellings()
    unknown = [member for member in analysis.members if member not in access.harmless and not _is_known(member)]
    return spellings_of(each for member in unknown for each in _beginning_inside(member, programs))


def _is_known(member: Member) -> bool:
    name = member.program or ""
    tables = (STARTERS, SHELLS, WRAPPERS, STARTING_NOTHING, program_tables())
    if name == "git":
        command = without_global_options([word.value or "" for word in member.words[1:]])[:1]
        return GIT_COMMANDS.issuperset(command)
    return any(name in table for table in tables)


def _beginning_inside(member: Member, programs: Set[str]) -> Iterator[Member]:
    for at, word in enumerate(member.words[1:], 2):
        for text in _texts(word):
            first, *others = text.split() or [""]
            if first.rpartition("/")[2] in programs:
                words = (*(Word(each, each) for each in (first, *others)), *member.words[at:])
                yield Member(words[:_MOST_WORDS], is_direct=False, goes_on=len(words) > _MOST_WORDS)


def _texts(word: Word) -> tuple[str, ...]:
    """`rm`, `'rm a'`, `--exec=rm`, `exec:rm`."""
    value = word.value or ""
    return (value, value.partition("=")[2], value.partition(":")[2])
