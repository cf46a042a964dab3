"""Words that stand for others, as rules that deny or ask see them: what they may become, rather too much."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from code_assistant.permissions.shell.ansi_quotes import without_quotes
from code_assistant.permissions.shell.braces import alternatives

# Braces without quotes, and none inside of others: of these it is certain what they become.
_PLAIN_BRACES = re.compile(r"(?:[^{}\\'\"$`]|\{[^{},\\'\"$`]*,[^{}\\'\"$`]*\})*")
_BRACES = re.compile(r"\{.*(?:,|\.\.)", re.DOTALL)
_GLOB = re.compile(r"[*?\[](?:.*[*?\]])?", re.DOTALL)
_CERTAIN = re.compile(r"[^*?\[{$`'\"\\]+")
# Of a longer word only the beginning counts: looking for what is filled in takes a time that grows with the square.
_MOST_CHARACTERS = 1_000
_SUBSTITUTED = re.compile(r"(?:\$\{[^}]*\}|\$\([^)]*\)|\$\w+|\$[@*#?$!-]|`[^`]*`)")


@dataclass(frozen=True, slots=True)
class Vague:
    """What is known of a word: how it begins and ends. `is_literal` when that is all of it.

    It `is_several` when it may become more than one word, and `is_blank` when it may be nothing and nothing is known.
    """

    before: str
    after: str = ""
    is_literal: bool = False
    is_several: bool = False
    is_blank: bool = False

    def may_be(self, word: str) -> bool:
        if self.is_literal:
            return word == self.before
        # What follows its beginning may also be a blank.
        return not self.is_blank and word.startswith(self.before) and (word.endswith(self.after) or word == self.before)


def vague(text: str, *, is_program: bool = False) -> list[Vague]:
    """What a word, as it is written, may become; of a program only its name counts."""
    if len(text) > _MOST_CHARACTERS:
        before = _CERTAIN.match(text)
        return [Vague(before[0] if before else "", is_several=True, is_blank=before is None and text[0] not in "*?[{")]
    bare = without_quotes(text)
    if "{" in text and _PLAIN_BRACES.fullmatch(text) and (found := alternatives(text)) is not None:
        first, *others = [each for each in found if each] or [""]
        return [_single(first, is_program=is_program), *map(_single, others)]
    if _BRACES.search(bare):
        before = bare.partition("{")[0]
        return [Vague(before.rpartition("/")[2] if is_program else before, is_several=True)]
    return [_single(bare, is_program=is_program)]


def _single(text: str, *, is_program: bool = False) -> Vague:
    if is_program and "(" not in text and "`" not in text:
        text = text.rpartition("/")[2]
    substituted = list(_SUBSTITUTED.finditer(text))
    if substituted:
        before, after = text[: substituted[0].start()], text[substituted[-1].end() :]
        return Vague(before, after, is_several=True, is_blank=not before and not after)
    if found := _GLOB.search(text):
        return Vague(text[: found.start()], text[found.end() :], is_several=True)
    return Vague(text, is_literal=True)


def may_begin(words: Sequence[Vague], beginning: Sequence[str], *, is_all: bool, goes_on: bool) -> bool:
    """Whether the words may become some that begin like this, or with `is_all` just these."""
    reached = {0}
    for word in words:
        following: set[int] = set()
        for at in reached:
            if word.is_blank:
                following.add(at)
            following.update(_taken(word, beginning, at))
        reached = following
        if not is_all and len(beginning) in reached:
            return True
        if not reached:
            return False
    return len(beginning) in reached or goes_on


def _taken(word: Vague, beginning: Sequence[str], at: int) -> Iterable[int]:
    """Up to where one word may stand for those of the beginning."""
    while at < len(beginning) and word.may_be(beginning[at]):
        at += 1
        yield at
        if not word.is_several:
            break
