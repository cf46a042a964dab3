"""Everything that might run inside of a command, for rules that deny or ask: found within bounds, rather too much."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence

from code_assistant.permissions.shell.analysis import Member, Word
from code_assistant.permissions.shell.bounds import is_cheap_to_parse
from code_assistant.permissions.shell.lexing import RESERVED
from code_assistant.permissions.shell.nested import joined, program_of, started_by, unwrapped
from code_assistant.permissions.shell.parsing import commands_in, parse, redirections_in, text_of, walk
from code_assistant.permissions.shell.starters import SHELLS, WRAPPERS
from code_assistant.permissions.shell.words import NotPlain
from code_assistant.sanitize import is_unmistakable

_MOST_DEPTH = 6
_MOST_STEPS = 100
_MOST_CHARACTERS = 30_000
_MOST_PIECES = 5_000
_BROKEN_APART = re.compile(r"[;&|\n(){}`]+")
_SPEAKERS = frozenset({"echo", "printf"})
_WORDS_TRIED_AFTER_WRAPPERS = 5


class Search:
    """One search through one command. What it looks through is bounded over all, however things are nested."""

    def __init__(self) -> None:
        self._steps = _MOST_STEPS
        self._characters = _MOST_CHARACTERS

    def everything(self, text: str, depth: int = _MOST_DEPTH) -> list[Member]:
        """All commands in a text, none of them direct."""
        self._characters -= len(text)
        if not depth or self._characters < 0 or not is_cheap_to_parse(text):
            return self._broken_apart(text)
        root = parse(text)
        members: list[Member] = []
        for words in commands_in(root):
            members.append(Member(words, is_direct=False))
            members.extend(self.inside(words, depth)[0])
        if redirections := tuple(redirections_in(root)):
            # Which of its parts they belong to makes no difference to rules that deny.
            members.append(Member((), redirections, is_direct=False))
        if root.has_error or not is_unmistakable(text):
            # Whatever stands in lines that are whole may still run.
            members.extend(self._broken_apart(text))
        if "\\\n" in text:
            members.extend(self.everything(text.replace("\\\n", ""), depth - 1))
        members.extend(self.said_to_shells(members))
        if _starts_shell(members):
            for node in walk(root):
                if node.type in ("heredoc_body", "herestring_redirect"):
                    members.extend(self.everything(text_of(node).removeprefix("<<<").strip(" '\""), depth - 1))
        return members

    def inside(self, words: tuple[Word, ...], depth: int = _MOST_DEPTH) -> tuple[list[Member], str | None]:
        """What the words start, and what that starts; and why the first of it keeps rules from allowing them."""
        found: list[Member] = []
        obstacle: str | None = None
        waiting = deque([words])
        while waiting and self._steps > 0:
            current = waiting.popleft()
            started = started_by(current)
            obstacle = obstacle or (started.obstacle if current is words else None)
            inner = [*started.commands, *_wrapped(current)]
            self._steps -= bool(inner or started.texts)
            found.extend(Member(each, is_direct=False) for each in inner)
            waiting.extend(inner)
            for text in started.texts if depth else ():
                found.extend(self.everything(text, depth - 1))
        return found, obstacle

    def said_to_shells(self, members: Sequence[Member]) -> list[Member]:
        """What is written to a shell that reads its input: `echo rm a | sh`."""
        if not _starts_shell(members):
            return []
        said = [member.words[1:] for member in members if member.program in _SPEAKERS]
        return [found for words in said for found in self.everything(joined(words), 1)]

    def _broken_apart(self, text: str) -> list[Member]:
        """Where no parser helps: the pieces between operators."""
        found: list[Member] = []
        for piece in _BROKEN_APART.split(text[:_MOST_CHARACTERS])[:_MOST_PIECES]:
            words = tuple(Word(word, word.strip("'\"\\")) for word in piece.split())
            if words:
                found.append(Member(words, is_direct=False))
                found.extend(self.inside(words, depth=0)[0])
        return found


def _starts_shell(members: Sequence[Member]) -> bool:
    return any(member.program in SHELLS for member in members)


def _wrapped(words: tuple[Word, ...]) -> list[tuple[Word, ...]]:
    name = program_of(words)
    if words[0].text in RESERVED:
        return [words[1:]] if len(words) > 1 else []
    try:
        # By whatever path it is called.
        inner = unwrapped((Word(words[0].text, name), *words[1:])) if name in WRAPPERS else None
    except NotPlain:
        # An option that is not known: what is wrapped may begin at any of the next words.
        return [words[at:] for at in range(1, min(len(words), _WORDS_TRIED_AFTER_WRAPPERS))]
    return [] if inner is None else [inner]
