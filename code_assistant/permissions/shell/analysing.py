"""From the text of a command to its members: by a strict reader of plain lists and a real parser that must agree."""

from __future__ import annotations

from collections.abc import Sequence

from code_assistant.permissions.shell.analysis import Analysis, Member, Word
from code_assistant.permissions.shell.bounds import is_cheap_to_parse
from code_assistant.permissions.shell.evaluating import evaluates_variables, evaluation_in
from code_assistant.permissions.shell.lexing import SimpleCommand, lex
from code_assistant.permissions.shell.nested import unwrapped
from code_assistant.permissions.shell.parsing import parse, plain_tokens
from code_assistant.permissions.shell.searching import Search
from code_assistant.permissions.shell.substituting import substitutions_despite_quotes
from code_assistant.permissions.shell.words import NotPlain
from code_assistant.sanitize import is_unmistakable

MOST_CHARACTERS = 10_000
MOST_MEMBERS = 50


def analyse(command: str) -> Analysis:
    """What a command is made of. Never raises: what cannot be read has an obstacle that says so."""
    try:
        members, obstacle = _plain(_agreed(command))
    except NotPlain as reason:
        members, obstacle = dict.fromkeys(Search().everything(command)), str(reason)
    return Analysis(command, tuple(members), obstacle)


def _agreed(command: str) -> list[SimpleCommand]:
    """The commands of a plain list, as both read it."""
    if len(command) > MOST_CHARACTERS:
        raise NotPlain(f"it has more than {MOST_CHARACTERS:,} characters")
    if not is_unmistakable(command):
        raise NotPlain("it holds characters that cannot be seen")
    if not is_cheap_to_parse(command):
        raise NotPlain("it is too intricate to be read with certainty")
    lexed = lex(command)
    if plain_tokens(parse(command)) != lexed.tokens:
        raise NotPlain("it can be read in more than one way")
    return lexed.commands


def _plain(commands: Sequence[SimpleCommand]) -> tuple[list[Member], str | None]:
    search = Search()
    members: list[Member] = []
    obstacle = f"it has more than {MOST_MEMBERS} parts" if len(commands) > MOST_MEMBERS else None
    for command in commands:
        *wrappers, words = _looked_through(tuple(command.words))
        members.extend(Member(each, is_direct=False) for each in wrappers)
        members.append(Member(words, tuple(command.redirections), connector=command.connector))
        inside, reason = search.inside(words)
        members.extend(inside)
        obstacle = obstacle or reason or evaluation_in(words)
    members.extend(search.said_to_shells(members))
    if any(member.words and evaluates_variables(member.words) for member in members):
        # What a variable holds may have been quoted in any of them: `time v='x[$(rm a)]'; let v`.
        quoted = [word.value for command in commands for word in command.words if word.value is not None]
        texts = dict.fromkeys(text for value in quoted for text in substitutions_despite_quotes(value))
        members.extend(found for text in texts for found in search.everything(text))
    return members, obstacle


def _looked_through(words: tuple[Word, ...]) -> list[tuple[Word, ...]]:
    """The words, and what they wrap, down to what is no wrapper."""
    through = [words]
    while (inner := unwrapped(through[-1])) is not None:
        through.append(inner)
        if len(through) > MOST_MEMBERS:
            raise NotPlain(f"it has more than {MOST_MEMBERS} parts")
    if len(through) > 1:
        # `time` is a word of the shell: whatever a command could begin with may come after it.
        lex(through[-1][0].text)
    return through
