"""What the shell does itself and evaluates a second time: names of variables may hold commands, `a[$(rm b)]`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from code_assistant.permissions.shell.analysis import Word
from code_assistant.permissions.shell.name_lists import names
from code_assistant.permissions.shell.substituting import substitutions_despite_quotes

Words = Sequence[Word]
# Whatever they are given, they work out, store or call.
_EVALUATING = names(
    "let read mapfile readarray declare typeset local readonly export unset getopts compgen complete enable jobs"
)
# Some of their words are commands as they stand.
_CALLING = names("mapfile readarray compgen complete jobs")
_TESTS = names("test [")
_ABOUT_VARIABLES = names("-v -R")
# A format that stores how much was written.
_STORING = re.compile(r"%[^a-zA-Z%]*[hlLjztq]*n")
_SECOND_TIME = re.compile(r"[$`]")
# They evaluate what a variable holds wherever it is named; the others only what they are given themselves.
_EVALUATING_VARIABLES = names("let unset test [ printf wait")
_NAMING_VARIABLES = names("read mapfile readarray declare typeset local getopts")


def evaluation_in(words: Words) -> str | None:
    """Why no rule may allow these words of the shell's own; None where nothing in them is evaluated again."""
    name = words[0].value if words else None
    if name in _EVALUATING:
        return f"{name} evaluates what it is given"
    if name == "printf" and _stores(words[1:]):
        return "printf stores in a variable, whose name it evaluates"
    if name in _TESTS and any(_may_be_about_variables(word) for word in words[1:]):
        return f"{name} evaluates the name of a variable"
    if name == "wait" and any(word.may_begin_with_dash for word in words[1:]):
        return "wait stores in a variable, whose name it evaluates"
    return None


def evaluated_texts(words: Words) -> list[str]:
    """The commands that such words hold or are, for rules that deny; none where nothing in them is evaluated again."""
    if evaluation_in(words) is None:
        return []
    texts = [word.text if word.value is None else word.value for word in words[1:]]
    found = [each for text in texts for each in substitutions_despite_quotes(text)]
    if words[0].value in _CALLING:
        found.extend((*(word.as_text for word in words[1:]), " ".join(word.as_text for word in words[2:])))
    return found


def evaluates_variables(words: Words) -> bool:
    """Whether they may evaluate what a variable holds."""
    name = words[0].value
    if name in _NAMING_VARIABLES:
        return any(word.value is None and _SECOND_TIME.search(word.text) for word in words[1:])
    return name in _EVALUATING_VARIABLES and evaluation_in(words) is not None


def _stores(words: Words) -> bool:
    if not words:
        return False
    first = words[0].value
    if first == "--":
        return _stores_by_format(words[1:2])
    return words[0].may_begin_with_dash or _stores_by_format(words[:1])


def _stores_by_format(words: Words) -> bool:
    return any(word.value is None or _STORING.search(word.value) for word in words)


def _may_be_about_variables(word: Word) -> bool:
    if word.value is None:
        return word.may_begin_with_dash
    return word.value in _ABOUT_VARIABLES or ("[" in word.value and _SECOND_TIME.search(word.value) is not None)
