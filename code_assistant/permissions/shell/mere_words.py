"""Words of commands that name no file whose contents are used: patterns to leave out, messages, names in an index."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from code_assistant.permissions.shell.analysis import Member, Word
from code_assistant.permissions.shell.name_lists import names
from code_assistant.permissions.shell.name_takers import takes_names
from code_assistant.permissions.shell.spellings import without_global_options

_EXCLUDING = "--exclude"
# Programs take long options by their beginnings.
_BRINGING_BACK = ("--i", "--f", "-f", "--an", "--no-", "-F", "-r", "--exclude=+", "--exclude=-", "--exclude=!")
# What stands before an option and cannot take that for its own value; with a blank before and after each word.
_BEFORE_EXCLUDING: Mapping[str, re.Pattern[str]] = {
    "rsync": re.compile(r" (?:[^ -]\S*|-[avzhrltpgoDnuPcxiqHAXSWR]+|--[a-z-]+=\S*|--(?:archive|delete|verbose)) \Z"),
    "tar": re.compile(r" (?:tar|-[cxtzjJvaphkm]+|-[cxtzjJvaphkm]*f  [^ -]\S*|--[a-z-]+=\S*|--(?:create|gzip)) \Z"),
}
_BLANK = re.compile(r"\s")
_UNKNOWN = "-"
_MESSAGE = re.compile(r"-[aesvqn]*m|--message")
_JOINED_MESSAGE = re.compile(r"-m.+|--message=.*", re.DOTALL)
_FILLED_IN = re.compile(r"[$`]")
_WITH_MESSAGE = names("commit tag")
_KEEPING_IN_GIT = _WITH_MESSAGE | names("add push")
# They keep what they are given to read as it is, and take no names from it.
_KEEPERS = names("tee")


def without_mere_words(member: Member) -> Member:
    """The same, with no more than the words that may name what it reads or changes."""
    if member.program == "git":
        return replace(member, words=tuple(_named_to_git(member.words)))
    if member.program in _BEFORE_EXCLUDING:
        return replace(member, words=tuple(_named_beside_exclusions(member.words)))
    return member


def keeps_text(member: Member) -> bool:
    """Whether a text that it is given to read is nothing but text to it."""
    action = _git_action(member.words) if member.program == "git" else ()
    is_keeping = bool(action) and action[0] in _KEEPING_IN_GIT and not takes_names(member)
    # What is filled in elsewhere than in a message may be the text: `git commit -F $(cat <<E …)`.
    return member.program in _KEEPERS or (is_keeping and not any(map(_is_filled_in, without_mere_words(member).words)))


def excluded_names(member: Member) -> frozenset[str]:
    """The names that it passes over wherever they lie; none where something may bring them back."""
    values = [word.value or word.text for word in member.words]
    if member.program not in _BEFORE_EXCLUDING or any(value.startswith(_BRINGING_BACK) for value in values):
        return frozenset()
    joined = {value.removeprefix(f"{_EXCLUDING}=") for value in values if value.startswith(f"{_EXCLUDING}=")}
    return frozenset(joined | {values[at + 1] for at in _lone_exclusions(member.words)})


def _named_beside_exclusions(words: Sequence[Word]) -> Iterator[Word]:
    lone = {at + step for at in _lone_exclusions(words) for step in (0, 1)}
    for at, word in enumerate(words):
        if at not in lone and not (word.value or "").startswith(f"{_EXCLUDING}="):
            yield word


def _lone_exclusions(words: Sequence[Word]) -> Iterator[int]:
    """Where the option stands whose value is in the next word."""
    program = (words[0].value or "").rpartition("/")[2]
    values = [program, *(_BLANK.sub("_", word.value or _UNKNOWN) for word in words[1:])]
    for at in range(1, len(words) - 1):
        before = "".join(f" {value} " for value in values[:at])
        if values[at] == _EXCLUDING and _BEFORE_EXCLUDING[program].search(before):
            yield at


def _named_to_git(words: tuple[Word, ...]) -> Iterator[Word]:
    action = _git_action(words)
    if action[:1] == ("rm",) and "--cached" in takewhile(lambda word: word != "--", action):
        # The index forgets the files, which stay as they are.
        begin = len(words) - len(action) + 1
        yield from (*words[:begin], *(word for word in words[begin:] if (word.value or "-").startswith("-")))
        return
    has_message = bool(action) and action[0] in _WITH_MESSAGE
    is_message = False
    for word in words:
        value = word.value or ""
        # An option before it may have taken what looks like one of a message for its own value.
        is_kept = value.startswith("-") if is_message else not (has_message and _JOINED_MESSAGE.fullmatch(value))
        if is_kept:
            yield word
        is_message = has_message and not is_message and _MESSAGE.fullmatch(value) is not None


def _is_filled_in(word: Word) -> bool:
    is_known = word.value is not None or _JOINED_MESSAGE.fullmatch(word.text) is not None
    return not is_known and _FILLED_IN.search(word.text) is not None


def _git_action(words: Sequence[Word]) -> tuple[str, ...]:
    return tuple(without_global_options([word.value or word.text for word in words[1:]]))
