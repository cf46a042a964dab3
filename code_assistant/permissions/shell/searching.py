"""Everything that might run inside of a command, for rules that deny or ask: found within bounds, rather too much."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence

from code_assistant.permissions.shell.analysis import Member, Word
from code_assistant.permissions.shell.bounds import is_cheap_to_parse
from code_assistant.permissions.shell.braces import alternatives
from code_assistant.permissions.shell.lexing import RESERVED
from code_assistant.permissions.shell.nested import joined, program_of, started_by, unwrapped
from code_assistant.permissions.shell.parsing import commands_in, parse, redirections_in, text_of, walk
from code_assistant.permissions.shell.starters import READING_COMMANDS, SHELLS, STARTERS, WRAPPERS
from code_assistant.permissions.shell.words import NotPlain
from code_assistant.sanitize import is_unmistakable

_MOST_DEPTH = 6
_MOST_STEPS = 100
_MOST_CHARACTERS = 30_000
_BROKEN_APART = re.compile(r"[;&|\n(){}`]+")
_BRACES = re.compile(r"[{},]")
_QUOTES = re.compile(r"[\"'\\]")
_SPEAKERS = frozenset({"echo", "printf"})
_WORDS_TRIED_AFTER_WRAPPERS = 5
_MOST_WORDS_FROM_A_START = 8
_MOST_UNFOLDED = 40


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
        obstacle = started_by(words).obstacle
        waiting = deque([words])
        seen = {words}
        while waiting and self._steps > 0:
            current = waiting.popleft()
            started = started_by(current)
            inner = [*started.commands, *_wrapped(current), *_unfolded(current)]
            inner = [each for each in dict.fromkeys(inner) if each not in seen]
            seen.update(inner)
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
        said = dict.fromkeys(text for member in members if member.program in _SPEAKERS for text in _said(member))
        return [found for text in said for found in self.everything(text, 1)]

    def _broken_apart(self, text: str) -> list[Member]:
        """Where no parser helps: the pieces between operators."""
        found: dict[Member, None] = {}
        bare = _QUOTES.sub("", text[:_MOST_CHARACTERS])
        for piece in dict.fromkeys((*_BROKEN_APART.split(bare), *_BROKEN_APART.split(_BRACES.sub(" ", bare)))):
            words = tuple(Word(word, word) for word in piece.split())
            # Before the program there may be assignments and redirections, or more that only a parser could tell.
            for at in range(len(words)):
                found[Member(words[at : at + _MOST_WORDS_FROM_A_START], is_direct=False)] = None
            if words:
                found[Member(words, is_direct=False)] = None
                found |= dict.fromkeys(self.inside(words, depth=0)[0])
        return list(found)


def _starts_shell(members: Sequence[Member]) -> bool:
    return any(member.program in READING_COMMANDS for member in members)


def _said(member: Member) -> Iterator[str]:
    """What may come out, whatever the options and formats."""
    words = member.words[1:]
    while words and (words[0].value or "").startswith("-"):
        words = words[1:]
    yield joined(words)
    if member.program == "printf":
        yield joined(words[1:])


def _unfolded(words: tuple[Word, ...]) -> list[tuple[Word, ...]]:
    """What may be started where braces stand for several words: `{rm,a}`, `nice {5,rm} a`."""
    name = program_of(words)
    if all(word.value is not None for word in words) or (name and name not in {*WRAPPERS, *STARTERS, *SHELLS}):
        return []
    flat: list[Word] = []
    for word in words:
        found = alternatives(_QUOTES.sub("", word.text)) if word.value is None else None
        flat.extend([word] if found is None or len(found) < 2 else [Word(each, each) for each in found])
    flat = flat[:_MOST_UNFOLDED]
    return [tuple(flat[at:]) for at in range(len(flat))] if len(flat) > len(words) else []


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
