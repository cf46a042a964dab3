"""Everything that might run inside of a command, for rules that deny or ask: found within bounds, rather too much."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from code_assistant.permissions.shell.analysis import REST, Member, Word
from code_assistant.permissions.shell.ansi_quotes import unescaped, without_quotes
from code_assistant.permissions.shell.assigning import commands_assigned_by, commands_assigned_in
from code_assistant.permissions.shell.bounds import is_cheap_to_parse
from code_assistant.permissions.shell.braces import alternatives
from code_assistant.permissions.shell.evaluating import evaluated_texts, evaluates_variables
from code_assistant.permissions.shell.lexing import ASSIGNMENT, RESERVED
from code_assistant.permissions.shell.nested import Started, joined, program_of, started_by, unwrapped
from code_assistant.permissions.shell.parsing import (
    commands_in,
    evaluates_again,
    is_read_for_certain,
    parse,
    redirections_in,
    texts_in,
)
from code_assistant.permissions.shell.program_code import started_in_text, started_in_words
from code_assistant.permissions.shell.starters import READING_COMMANDS, SHELLS, STARTERS, WRAPPERS
from code_assistant.permissions.shell.substituting import quoted_substitutions_in, substitutions_in
from code_assistant.permissions.shell.vague_words import vague
from code_assistant.permissions.shell.words import NotPlain
from code_assistant.sanitize import is_unmistakable

if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_DEPTH = 6
# Of what is said to a shell, which is said again for each text in which that is found.
_MOST_DEPTH_SAID = 3
# How far words are followed as a whole, where what they start starts others; beyond that, by some of them.
_MOST_STEPS = 8
# What takes about 50 ms, by the members that are found; what costs as much as so many of them.
_MOST_WORK = 8_000
_WORK_OF_A_TEXT = 12
_WORK_OF_A_START = 60
# Words that braces stand for.
_MOST_UNFOLDED = 2_000
_MOST_CHARACTERS = 15_000
# Of further texts, which are not parsed any more.
_MOST_BROKEN_APART = 90_000
# What a text costs at the least, in characters.
_COST_OF_A_TEXT = 50
_BROKEN_APART = re.compile(r"[;&|\n()`]+")
_BROKEN_AT_BRACES = re.compile(r"[;&|\n(){}`]+")
_BRACES = re.compile(r"[{},]")
_BACKSLASHES = re.compile(r"\\+")
_ESCAPES = re.compile(r"\\[a-z0-7]")
# What is not a word yet: it stands for others.
_EXPANDS = re.compile(r"[*?\[{$~]")
_SPEAKERS = frozenset({"echo", "printf"})
_MOST_WORDS_FROM_A_START = 8
_TOO_MUCH = "it holds more than can be looked at"


class Search:
    """One search through one command. What it looks through is bounded over all, however things are nested.

    Where a bound is reached, what is found has a `REST` that could be anything.
    """

    def __init__(self) -> None:
        self._work = _MOST_WORK
        self._unfolding = _MOST_UNFOLDED
        self._characters = _MOST_CHARACTERS
        self._texts: set[str] = set()
        self._pieces: set[str] = set()
        # What was found inside of words: texts within others have most of them in common.
        self._insides: dict[tuple[Word, ...], list[Member]] = {}

    def everything(self, text: str, depth: int = _MOST_DEPTH) -> list[Member]:
        """All commands in a text, none of them direct; none at all where it was looked at before."""
        # To have found it costs as well, also where it was looked at before.
        self._work -= _WORK_OF_A_TEXT
        if text in self._texts:
            return []
        self._texts.add(text)
        self._characters -= len(text) + _COST_OF_A_TEXT
        if self._is_spent:
            return [REST]
        if not depth or self._characters < 0 or not is_cheap_to_parse(text):
            return self._broken_apart(text)
        root = parse(text)
        members: list[Member] = []
        commands = list(commands_in(root))
        for words in commands:
            members.append(Member(words, is_direct=False))
            members.extend(self.inside(words, depth)[0])
        if redirections := tuple(redirections_in(root)):
            # Which of its parts they belong to makes no difference to rules that deny.
            members.append(Member((), redirections, is_direct=False))
        if not is_read_for_certain(root) or not is_unmistakable(text):
            # Whatever stands in lines that are whole may still run.
            members.extend(self._broken_apart(text))
        joined_lines = [text.replace("\\\n", "")] if "\\\n" in text else []
        for each in chain(joined_lines, _further_texts(root, commands, starts_shell=_starts_shell(members))):
            members.extend(self.everything(each, depth - 1))
            # To find the others costs as well.
            if self._is_spent:
                break
        members.extend(self.said_to_shells(members))
        return members

    @property
    def _is_spent(self) -> bool:
        return self._characters < -_MOST_BROKEN_APART or self._work < 0

    def inside(self, words: tuple[Word, ...], depth: int = _MOST_DEPTH) -> tuple[list[Member], str | None]:
        """What the words start, and what that starts; and why the first of it keeps rules from allowing them."""
        obstacle = started_by(words).obstacle
        inside = self._insides.get(words)
        if inside is None:
            inside = self._insides[words] = self._looked_inside(words, depth)
        return inside, obstacle or (_TOO_MUCH if REST in inside else None)

    def _looked_inside(self, words: tuple[Word, ...], depth: int) -> list[Member]:
        found: dict[Member, None] = {}
        waiting = deque([(words, False)])
        steps = _MOST_STEPS
        while waiting:
            current, is_guess = waiting.popleft()
            started = self._started(current)
            # What is guessed to begin at a word was guessed for the words after it, too.
            certain = [each for each in started.commands if not is_guess or each != current[-len(each) :]]
            is_far = certain and not is_guess and steps <= 0
            inner = dict.fromkeys(() if is_guess else _beginnings(current if is_far else started.anywhere), True)
            if not is_far:
                inner |= {Member(each, is_direct=False): is_guess for each in certain}
            steps -= not is_guess
            new = [(member, guess) for member, guess in inner.items() if member not in found]
            self._work -= _WORK_OF_A_START + len(new)
            if self._work < 0 or self._unfolding < 0:
                found[REST] = None
                break
            found |= dict.fromkeys(member for member, _ in new)
            waiting.extend((member.words, guess) for member, guess in new)
            for text in (*started.texts, *evaluated_texts(current)):
                found |= dict.fromkeys(self.everything(text, depth - 1))
        return list(found)

    def said_to_shells(self, members: Sequence[Member]) -> list[Member]:
        """What is written to a shell that reads its input: `echo rm a | sh`."""
        if not _starts_shell(members):
            return []
        said = dict.fromkeys(text for member in members if member.program in _SPEAKERS for text in _said(member))
        return [found for text in said for found in self.everything(text, _MOST_DEPTH_SAID)]

    def _started(self, words: tuple[Word, ...]) -> Started:
        """What they start, by whatever is known of their first."""
        started = started_by(words)
        started.texts.extend((*started_in_words(words), *commands_assigned_by(words)))
        first, others, name = words[0], words[1:], program_of(words)
        is_known = name and not (name == "git" or name in WRAPPERS or name in STARTERS or name in SHELLS)
        unfolded = None if is_known else self._unfolded(words)
        if unfolded:
            started.commands.append(unfolded)
        is_nothing = first.value is None and first.text.startswith(("$", "`"))
        if is_nothing or first.text in RESERVED or ASSIGNMENT.match(first.text):
            # What is filled in first may be nothing; after `time` the parser takes `x=1` for a program.
            started.commands.extend([others] if others else [])
        elif name in WRAPPERS:
            try:
                # By whatever path it is called.
                inner = unwrapped((Word(first.text, name), *others))
            except NotPlain:
                # An option that is not known: what is wrapped may begin at any of the words.
                started.anywhere = (unfolded or words)[1:]
            else:
                started.commands.extend([inner] if inner else [])
        return started

    def _unfolded(self, words: tuple[Word, ...]) -> tuple[Word, ...] | None:
        """The same with the words that braces stand for: `{rm,a}`, `nice {5,rm} a`. None where there are none."""
        flat: list[Word] = []
        for word in words:
            is_open = word.value is None and len(flat) - len(words) <= self._unfolding
            found = alternatives(without_quotes(word.text)) if is_open else None
            flat.extend([word] if found is None or len(found) < 2 else [Word(each, each) for each in found if each])
        self._unfolding -= max(len(flat) - len(words), 0)
        return tuple(flat) if flat and tuple(flat) != words else None

    def _broken_apart(self, text: str) -> list[Member]:
        """Where no parser helps: whatever begins at a word of the pieces between operators."""
        found: dict[Member, None] = {}
        looked_at = text[:_MOST_CHARACTERS].replace("\\\n", "")
        bare = without_quotes(looked_at)
        pieces = _BROKEN_APART.split(bare)
        if bare != looked_at:
            # What is quoted may be a text by itself behind an option: `env -S"rm a"`.
            pieces += _BROKEN_APART.split(without_quotes(looked_at, " "))
        if _ESCAPES.search(looked_at):
            # Or one with escapes, whatever has escaped these in turn: `$'a\\nrm b'` within other quotes.
            pieces += _BROKEN_APART.split(without_quotes(unescaped(_BACKSLASHES.sub("\\\\", looked_at)), " "))
        if "{" in bare or "}" in bare:
            # Braces are around a list of commands, or in a word.
            pieces += _BROKEN_AT_BRACES.split(bare) + _BROKEN_APART.split(_BRACES.sub(" ", bare))
        # What texts within others have in common was found in the first of them.
        new = [piece for piece in dict.fromkeys(pieces) if piece not in self._pieces]
        self._pieces.update(new)
        for piece in new:
            words = [Word(word, None if _EXPANDS.search(word) else word) for word in piece.split()]
            found |= dict.fromkeys(_beginnings(words))
            self._work -= len(words) // 2 + 1
            if self._work < 0:
                break
        self._characters -= len(bare)
        if len(text) > _MOST_CHARACTERS or self._is_spent:
            found[REST] = None
        return list(found)


def _further_texts(root: Node, commands: Sequence[tuple[Word, ...]], *, starts_shell: bool) -> Iterator[str]:
    """What runs that is no command of the text as the parser sees it."""
    yield from substitutions_in(root)
    yield from commands_assigned_in(root)
    if not is_read_for_certain(root) or evaluates_again(root) or any(map(evaluates_variables, commands)):
        yield from quoted_substitutions_in(root)
    given = list(texts_in(root))
    for words in commands:
        yield from (each for text in given for each in started_in_text(program_of(words), text))
    if starts_shell:
        yield from given


def _starts_shell(members: Sequence[Member]) -> bool:
    return any(member.words and _may_read_commands(member.words[0]) for member in members)


def _may_read_commands(program: Word) -> bool:
    if program.value is not None:
        return program.value.rpartition("/")[2] in READING_COMMANDS
    first = vague(program.text, is_program=True)[0]
    return any(map(first.may_be, READING_COMMANDS))


def _said(member: Member) -> Iterator[str]:
    """What may come out, whatever the options and formats."""
    words = member.words[1:]
    while words and (words[0].value or "").startswith("-"):
        words = words[1:]
    for each in (words, words[1:]) if member.program == "printf" else (words,):
        yield joined(each)
        yield unescaped(joined(each))


def _beginnings(words: Sequence[Word]) -> Iterator[Member]:
    """Each of the words with some that follow it, once."""
    texts = [word.text for word in words]
    seen: set[tuple[bool, tuple[str, ...]]] = set()
    for at in range(len(words)):
        end = at + _MOST_WORDS_FROM_A_START
        key = (end < len(words), tuple(texts[at:end]))
        # Texts are compared sooner than words.
        if key not in seen:
            seen.add(key)
            yield Member(tuple(words[at:end]), is_direct=False, goes_on=end < len(words))
