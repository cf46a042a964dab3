"""Words that stand for others, as rules that deny or ask see them: what they may become, rather too much."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from code_assistant.permissions.shell.ansi_quotes import without_quotes
from code_assistant.permissions.shell.braces import MOST_CHARACTERS, alternatives

# Braces without quotes, and none inside of others: of these it is certain what they become.
_PLAIN_BRACES = re.compile(r"(?:[^{}\\'\"$`]|\{[^{},\\'\"$`]*,[^{}\\'\"$`]*\})*")
# What something else may be filled in for.
_SPECIAL = re.compile(r"[*?\[{$`]")
_VARIABLE = re.compile(r"\$(?:\w+|[@*#?$!-])?")
# What a substitution or a glob may end with.
_LAST = ")}`*?]"


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


@lru_cache(maxsize=256)
def vague(text: str, *, is_program: bool = False) -> tuple[Vague, ...]:
    """What a word, as it is written, may become; of a program only its name counts."""
    if len(text) > MOST_CHARACTERS:
        # Whatever comes after that is not known, either.
        return (_single(f"{without_quotes(text[:MOST_CHARACTERS])}*", is_program=is_program),)
    found = alternatives(text) if "{" in text and _PLAIN_BRACES.fullmatch(text) else None
    if not found:
        return (_single(without_quotes(text), is_program=is_program),)
    first, *others = [each for each in found if each] or [""]
    return (_single(first, is_program=is_program), *map(_single, others))


def _single(text: str, *, is_program: bool = False) -> Vague:
    # Braces around neither a comma nor dots are themselves.
    last = max(text.rfind(","), text.rfind(".."))
    specials = [found.start() for found in _SPECIAL.finditer(text) if found[0] != "{" or found.start() < last]
    before = text[: specials[0]] if specials else text
    name = before.rpartition("/")[2] if is_program else before
    if not specials:
        return Vague(name, is_literal=True)
    ends = [found.end() for found in _VARIABLE.finditer(text)] + [text.rfind(each) + 1 for each in _LAST]
    after = "" if 0 <= text.find("{") < last else text[max(*specials, *ends) :]
    if is_program and "/" in after:
        return Vague(after.rpartition("/")[2], is_literal=True)
    return Vague(name, after, is_several=True, is_blank=not name and not after and text[len(before)] in "$`")


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
