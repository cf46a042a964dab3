"""What a shell command is made of, as rules and the proof that it only reads look at it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from code_assistant.permissions.shell.ansi_quotes import unquoted
from code_assistant.permissions.shell.spellings import Spellings, spellings_of

_NEVER_AN_OPTION = re.compile(r"[\w./~]")


@dataclass(frozen=True, slots=True)
class Word:
    """One word: as it is written, and what the program would be given; None where only running it could tell.

    `start` is its place in the text that it was read from.
    """

    text: str
    value: str | None
    start: int = field(default=0, compare=False)

    @property
    def may_begin_with_dash(self) -> bool:
        """Whether a program could take it for an option: `{-exec,a}` and `*` may become one."""
        return _NEVER_AN_OPTION.match(self.text) is None if self.value is None else self.value.startswith("-")

    @property
    def as_text(self) -> str:
        """What a shell would read that is given it: what only running could tell stands as it is written."""
        return unquoted(self.text) if self.value is None else self.value


@dataclass(frozen=True, slots=True)
class Redirection:
    """Where a command reads from or writes to, apart from its arguments."""

    operator: str
    target: Word
    writes: bool


@dataclass(frozen=True, slots=True)
class Member:
    """A simple command, wherever it stands.

    `is_direct` is False for what runs inside of something else: a substitution, control flow, a function, a nested
    shell, the arguments of a program that starts others. Only rules that deny or ask look at those. `connector` is
    the operator before it in its list, "\\n" for a new line, and empty for the first. It `goes_on` where only the
    first of its words are here.
    """

    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...] = ()
    is_direct: bool = True
    connector: str = ""
    goes_on: bool = False

    @property
    def program(self) -> str | None:
        """What it starts, without the folder: `/bin/rm` is `rm`. None where only running it could tell."""
        value = self.words[0].value if self.words else None
        return None if value is None else value.rpartition("/")[2]

    @property
    def text(self) -> str:
        """Its words with one blank between them; what a rule's words are compared with."""
        return " ".join(word.text if word.value is None else word.value for word in self.words)


# Whatever there is more of than could be looked at.
REST = Member((), is_direct=False, goes_on=True)


@dataclass(frozen=True)
class Analysis:
    """`obstacle` says, for a person, why no rule may allow it and nothing can be proved; None for a plain list.

    The members are whatever could be found, also where there is an obstacle: `timeout 5 ls` has one for `timeout`,
    which is not direct, and a direct one for `ls`.
    """

    command: str
    members: tuple[Member, ...]
    obstacle: str | None = None

    @cached_property
    def spellings(self) -> Spellings:
        """What rules that deny or ask compare."""
        return spellings_of(self.members)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a command was proved to change nothing, and if not, why, in words that go on after "asked because".

    A proof holds only if what is in `paths` (relative to the folder it runs in) may be read, where it `walks` also
    what lies below them, and, where `uses_git`, if nothing in the repository's configuration can start a program. Of
    `looked_at` it tells no more than that they are there; where it walks, it `shows` what is in the files, or where it
    `shows_tracked` in those that git knows now, or else their names.
    """

    is_read_only: bool
    reason: str = ""
    paths: tuple[str, ...] = ()
    uses_git: bool = False
    walks: bool = False
    shows: bool = False
    shows_tracked: bool = False
    looked_at: tuple[str, ...] = ()
