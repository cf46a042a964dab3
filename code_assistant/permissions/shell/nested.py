"""What a program starts that starts others: `env X=1 rm a`, `bash -c "rm a"`, `find . -exec rm {} +`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from code_assistant.permissions.shell.analysis import Word
from code_assistant.permissions.shell.name_lists import names
from code_assistant.permissions.shell.starters import (
    GIT_OPTIONS_WITH_VALUE,
    GIT_STARTERS,
    SHELLS,
    STARTERS,
    WRAPPERS,
    Starter,
)
from code_assistant.permissions.shell.words import NotPlain

Words = Sequence[Word]
# Options that take no value wherever they occur, unless a table says otherwise.
_FLAGS = names("-0 -r -t -p -i -E -H -S -k -b -v -q -f -x -a -n -l")
_GIT_TEXT_PREFIX = "!"
# What wrappers are given for themselves: a number, a duration, the name of a signal, how to buffer.
_WRAPPER_VALUE = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?[smhdKMG]?|[A-Za-z][A-Za-z0-9]{0,9}(?:[+-][0-9]+)?")
_GIT_TRANSPORT = "ext::"
# Settings of git that are commands.
_GIT_COMMAND_SETTING = re.compile(
    r"\Aalias\.|pager|editor|command|cmd|driver|external|program|helper|askpass|textconv|clean|smudge|process|fsmonitor",
    re.IGNORECASE,
)
# What could be more than a single word to a shell.
_MORE_THAN_A_WORD = re.compile(r"[\s;&|()<>`$=]")
_SEVERAL_WORDS = re.compile(r"[\s;&|]")
# What a text may be joined to: `--split-string=`, `-S`, `--checkpoint-action=exec=`, `ProxyCommand=`, `EXEC:`, `a.b=!`.
_JOINED_TEXT = re.compile(r"[\w.:-]+[=:](?:[\w-]+=)?!?|-\w|\w+Command\s+")
_NO_WORD = Word("", "")
_WITHOUT_DASH = names("tar bsdtar gtar")
_CLONE_SETTINGS = names("-c --config")
_GIT_UNKNOWN = "it is known only when it runs what git is to do"
_QUERIES = {"command": frozenset({"-v", "-V"})}


@dataclass(slots=True)
class Started:
    """The word lists and the shell texts that run inside, and why that keeps rules from allowing it.

    What runs may also begin at any of the words from `anywhere` on.
    """

    commands: list[tuple[Word, ...]] = field(default_factory=list[tuple[Word, ...]])
    texts: list[str] = field(default_factory=list[str])
    obstacle: str | None = None
    anywhere: tuple[Word, ...] = ()


def joined(words: Words) -> str:
    return " ".join(word.as_text for word in words)


def program_of(words: Words) -> str:
    value = words[0].value if words else None
    return "" if value is None else value.rpartition("/")[2]


def unwrapped(words: Words) -> tuple[Word, ...] | None:
    """What a wrapper runs that changes nothing about it; None if this is none. An unknown option raises NotPlain."""
    name = program_of(words)
    if name not in WRAPPERS or (words[0].value != name):
        return None
    flags, values, operands = WRAPPERS[name]
    at = 1
    while at < len(words):
        value = words[at].value
        if value is None:
            raise NotPlain(f"it is known only when it runs what {name} starts")
        if value == "--":
            at += 1
            break
        if not value.startswith("-"):
            break
        if value in values:
            _check_wrapper_values(name, words[at + 1 : at + 2])
            at += 2
        elif value in flags or _is_joined(value, values) or (name == "nice" and value[1:].isdigit()):
            at += 1
        else:
            raise NotPlain(f"{name} is given {value}, which is not known")
    _check_wrapper_values(name, words[at : at + operands])
    at += operands
    return tuple(words[at:]) or None


def _check_wrapper_values(name: str, words: Words) -> None:
    """A brace or a glob may become several words, of which the later ones are what is started."""
    for word in words:
        if word.value is None or not _WRAPPER_VALUE.fullmatch(word.value):
            raise NotPlain(f"it is known only when it runs what {name} starts")


def _is_joined(word: str, options: frozenset[str]) -> bool:
    """Whether it is one of these options with its value in the same word."""
    beginnings = [f"{each}=" if each.startswith("--") else each for each in options]
    return any(word.startswith(each) and _WRAPPER_VALUE.fullmatch(word[len(each) :]) for each in beginnings)


def started_by(words: Words) -> Started:
    name = program_of(words)
    if name in SHELLS:
        return _started_by_shell(name, words)
    if name == "git":
        return _started_by_git(words)
    starter = STARTERS.get(name)
    if starter is None or (len(words) > 1 and words[1].value in _QUERIES.get(name, ())):
        return Started()
    started = _started_by(starter, words)
    if starter.until:
        may_start = any(_may_be_option(word, starter.until) for word in words[1:])
    elif starter.only:
        may_start = bool(started.texts) or any(_may_be_braced(word) for word in words[1:])
    else:
        may_start = True
        _begin_anywhere(started, _after_first(starter, words))
    if starter.is_obstacle and may_start:
        started.obstacle = f"{name} starts another program"
    return started


def _started_by_shell(name: str, words: Words) -> Started:
    if [word.value for word in words[1:]] == ["--version"]:
        return Started()
    started = Started(obstacle=f"{name} runs whatever it is given")
    is_text_next = False
    for word in words[1:]:
        text = word.as_text
        if text.startswith("-") and not text.startswith("--"):
            is_text_next = is_text_next or "c" in text
        elif is_text_next:
            started.texts.append(text)
            break
    _begin_anywhere(started, words[1:])
    return started


def _started_by_git(words: Words) -> Started:
    started = Started()
    at = 1
    while at < len(words) and (value := words[at].value) is not None and value.startswith("-"):
        size = 2 if value in GIT_OPTIONS_WITH_VALUE else 1
        if any(word.value is None for word in words[at : at + size]):
            started.obstacle = started.obstacle or _GIT_UNKNOWN
        if value in ("-c", "--config-env") or value.startswith(("--config-env=", "--exec-path=")):
            started.obstacle = "git is given a setting, and settings can start programs"
            _add_setting(started, words[at + 1 :])
        at += size
    if at < len(words) and words[at].value is None:
        # Braces and globs may become options.
        started.obstacle = started.obstacle or _GIT_UNKNOWN
        at = next((place for place, word in enumerate(words) if word.value in GIT_STARTERS), at)
    _add_git_command(started, words[at:])
    return started


def _add_git_command(started: Started, words: Words) -> None:
    """What one of git's commands starts by its own options."""
    name = words[0].value if words else None
    if name == "clone":
        for word, following in pairwise((*words, _NO_WORD)):
            setting = _joined_value(word.as_text, _CLONE_SETTINGS)
            if setting is not None:
                _add_setting(started, [Word(setting, setting) if setting else following])
    elif name == "config":
        for key, value in pairwise(word.as_text for word in words[1:]):
            if _GIT_COMMAND_SETTING.search(key):
                _add_setting(started, [Word("", f"{key}={value}")])
    texts = [word.as_text for word in words]
    started.texts.extend(text[len(_GIT_TRANSPORT) :].replace("% ", " ") for text in texts if _GIT_TRANSPORT in text[:5])
    starter = GIT_STARTERS.get(name or "")
    if starter is not None:
        inner = _started_by(starter, words)
        started.commands.extend(inner.commands)
        started.texts.extend(inner.texts)
        if not starter.only:
            _begin_anywhere(started, _after_first(starter, words))


def _add_setting(started: Started, words: Words) -> None:
    """What a setting of git starts, given with what follows it: `alias.x=push x origin`, `core.pager='rm a' log`."""
    key, _, value = (words[0].as_text if words else "").partition("=")
    if _GIT_TEXT_PREFIX in value:
        started.texts.append(value.partition(_GIT_TEXT_PREFIX)[2])
    elif key.lower().startswith("alias."):
        aliased = [Word(each, each) for each in ("git", *value.split())]
        started.commands.append((*aliased, *words[1:]))
    elif value:
        started.texts.append(value)


def _after_first(starter: Starter, words: Words) -> Words:
    """Where what is started may begin, at the earliest."""
    if len(words) == 2 and (words[1].value or "").startswith("-") and " " not in words[1].text:
        # A question for the version, or the like.
        return ()
    if not starter.first:
        return words[1:]
    return next((words[at + 1 :] for at, word in enumerate(words) if word.value in starter.first), ())


def _begin_anywhere(started: Started, words: Words) -> None:
    """Options may have values or not, and come in heaps: any of the words may be the first of what is started."""
    started.anywhere = tuple(words)
    for word in words:
        pattern = _SEVERAL_WORDS if word.value is None else _MORE_THAN_A_WORD
        if pattern.search(word.as_text):
            started.texts.extend(dict.fromkeys(_texts_in(word.as_text)))


def _texts_in(value: str) -> list[str]:
    joint = _JOINED_TEXT.match(value)
    return [value, value[joint.end() :]] if joint else [value]


def _started_by(starter: Starter, words: Words) -> Started:
    started = Started()
    if starter.only:
        for word, following in pairwise((*words[1:], _NO_WORD)):
            value = _joined_value(word.as_text, starter.only)
            if value is not None:
                started.texts.extend(_texts_in(value or following.as_text))
        if _is_heap_with_text(words, starter.only):
            _begin_anywhere(started, words[2:])
        return started
    if starter.until:
        started.commands.extend(_after_options(words, starter.until))
        return started
    for word, following in pairwise((*words[1:], _NO_WORD)):
        text = _joined_value(word.as_text, starter.text_options)
        if text is not None:
            started.texts.append(text or following.as_text)
    for start in _starts(starter, words):
        if starter.is_text:
            started.texts.append(joined(words[start:]))
        else:
            started.commands.append(tuple(words[start:]))
    return started


def _is_heap_with_text(words: Words, options: frozenset[str]) -> bool:
    """Whether options stand without a dash, so that their values come after all of them: `tar cIf 'rm a' x`."""
    heap = words[1].value or "" if program_of(words) in _WITHOUT_DASH and len(words) > 1 else ""
    return heap.isalpha() and any(f"-{letter}" in options for letter in heap)


def _may_be_option(word: Word, options: frozenset[str]) -> bool:
    """Whether a word may become one of these: `-x` among other letters, `--exec=a`, `{-exec,a}`, `*`."""
    if word.value is None:
        return word.may_begin_with_dash
    if word.value.startswith(tuple(each for each in options if len(each) > 2)):
        return True
    return _joined_value(word.value, options) is not None


def _may_be_braced(word: Word) -> bool:
    """Whether a word may become an option by its braces. Globs do only where somebody has named a file like one."""
    return word.value is None and "{" in word.text and word.may_begin_with_dash


def _after_options(words: Words, options: frozenset[str]) -> list[tuple[Word, ...]]:
    found: list[list[Word]] = []
    is_open = False
    for word in words:
        joined_to = None if is_open else _joined_value(word.as_text, options)
        if is_open and word.value in (";", "+"):
            is_open = False
        elif is_open:
            found[-1].append(word)
        elif joined_to is not None:
            found.append([Word(joined_to, joined_to)] if joined_to else [])
            is_open = True
    return [tuple(each) for each in found if each]


def _joined_value(word: str, options: frozenset[str]) -> str | None:
    """What stands in one word with one of these options, `--exec=rm`, `-Hxrm`; empty for the option alone."""
    if word in options:
        return ""
    if word.startswith("--"):
        name, _, value = word.partition("=")
        is_meant = len(name) > 2 and any(each.startswith(name) for each in options)
        return value if is_meant else None
    letters = {each[1] for each in options if len(each) == 2}
    at = next((at for at, letter in enumerate(word) if at and letter in letters), None)
    return None if at is None or not word.startswith("-") else word[at + 1 :].removeprefix("=")


def _starts(starter: Starter, words: Words) -> list[int]:
    """Where the other program's words may begin: two places where an option may or may not have a value."""
    at, operands, is_named = 1, starter.operands, not starter.first
    while at < len(words):
        value = words[at].value
        if value is None:
            break
        if value.startswith("-") and value != "-":
            at += 2 if value in starter.values else 1
        elif starter.takes_assignments and "=" in value:
            at += 1
        elif not is_named:
            if value not in starter.first:
                return []
            is_named = True
            at += 1
        elif operands:
            operands -= 1
            at += 1
        else:
            break
    if at >= len(words):
        return []
    before = words[at - 1].value or ""
    is_unsure = at > 1 and before.startswith("-") and before not in _FLAGS and before != "--" and "=" not in before
    return [at, at + 1] if is_unsure and before not in starter.values and at + 1 < len(words) else [at]
