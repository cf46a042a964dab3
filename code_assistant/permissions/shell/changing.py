"""What a program is known to do to the files it names: which of its words it changes, and what may be so."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from code_assistant.permissions.shell.analysis import Member, Word
from code_assistant.permissions.shell.name_lists import names
from code_assistant.permissions.shell.spellings import without_global_options

_HERE = Word(".", ".")
_INTO_OPTION = re.compile(r"-[A-Za-z]*?t(.*)|--t[a-z-]*(?:=(.*))?", re.DOTALL)
_ONTO_OPTION = re.compile(r"-[A-Za-z]*T|--no-t.*")
# What is put where a program like xargs or find says so.
_FILLED_IN = re.compile(r"[{$`]")


@dataclass(frozen=True, slots=True)
class Change:
    """What a simple command does to the files that its words name.

    `changed` are words of files that it changes, `unsure` of those that it could change. Each of `sources` is put into
    each of `targets` that is a folder, or else in its place; `is_onto` when it is always in its place. `below` says
    of a folder whether "all" or "some" of what lies in it is changed, `is_here` that this is the folder it runs in.
    """

    changed: tuple[Word, ...] = ()
    unsure: tuple[Word, ...] = ()
    sources: tuple[Word, ...] = ()
    targets: tuple[Word, ...] = ()
    is_onto: bool = False
    below: str = ""
    is_here: bool = False
    # Its own words do not say all: others come from a variable, or from the program that starts it.
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class _Changer:
    """A line of the table; `changers.toml` says what each of these means."""

    operands: str = "all"
    options: frozenset[str] = field(default_factory=frozenset[str])
    when: re.Pattern[str] | None = None
    unless: re.Pattern[str] | None = None
    below: str = ""
    here: bool = False


def change_of(member: Member) -> Change:
    """For a simple command that is not proved to only read."""
    arguments, changer = _known(member)
    if changer is None:
        # To run a program is not to change it.
        return Change(unsure=arguments)
    operands = tuple(_operands(arguments))
    is_open = not operands or any(_is_filled_in(word) for word in arguments)
    if changer.operands == "none":
        return Change()
    if changer.options:
        written = tuple(_values(arguments, changer.options))
        return Change(changed=written, unsure=arguments, below=changer.below, is_open=is_open)
    if changer.operands == "all":
        is_here = changer.here and not operands
        return Change(changed=arguments, below=changer.below, is_here=is_here, is_open=is_open)
    return _putting(changer, arguments, operands, is_open=is_open)


def _putting(changer: _Changer, arguments: Sequence[Word], operands: tuple[Word, ...], *, is_open: bool) -> Change:
    """What is put somewhere: where that is, is said by the last word, or by an option."""
    sources, targets = operands[:-1], operands[-1:]
    changed = sources if changer.operands == "move" else ()
    joined = tuple(_joined_targets(arguments)) if changer.operands != "last" else ()
    if joined or _may_end_in_value(arguments) or (len(operands) == 1 and operands[0].value is None):
        # Any of them may be where it goes.
        sources, targets = operands, (*operands, *(word for word in joined if word.text))
        changed = targets
    elif changer.operands == "move" and not sources:
        sources, targets, changed = operands, (_HERE,), operands
    is_onto = any(_ONTO_OPTION.fullmatch(_text(word)) for word in arguments)
    return Change(changed, (), sources, targets, is_onto, changer.below, is_open=is_open)


def _known(member: Member) -> tuple[tuple[Word, ...], _Changer | None]:
    """Its words after what says what it is to do, and the line of the table for it."""
    program = member.program
    arguments = member.words[1:]
    texts = [_text(word) for word in arguments]
    if program == "git":
        texts = list(without_global_options(texts))
        arguments = arguments[len(arguments) - len(texts) :]
    if program is None:
        return arguments, None
    action = f"{program} {texts[0]}" if texts else program
    if action in _changers():
        texts, arguments = texts[1:], arguments[1:]
    changer = _changers().get(action) or _changers().get(program)
    if changer is None or not _applies(changer, texts):
        return arguments, None
    return arguments, changer


def _applies(changer: _Changer, texts: Sequence[str]) -> bool:
    if changer.unless is not None and any(map(changer.unless.fullmatch, texts)):
        return False
    return changer.when is None or any(map(changer.when.fullmatch, texts))


def _operands(arguments: Sequence[Word]) -> Iterator[Word]:
    is_after_mark = False
    for word in arguments:
        if is_after_mark or not _text(word).startswith("-"):
            yield word
        is_after_mark = is_after_mark or word.value == "--"


def _may_end_in_value(arguments: Sequence[Word]) -> bool:
    """Whether an option stands after an operand and before another word, which may be its value."""
    has_operand = False
    for word, following in zip(arguments, [*arguments[1:], None], strict=True):
        is_option = _text(word).startswith("-")
        if word.value == "--":
            return False
        if has_operand and is_option and following is not None and not _text(following).startswith("-"):
            return True
        has_operand = has_operand or not is_option
    return False


def _joined_targets(arguments: Sequence[Word]) -> Iterator[Word]:
    """`-t folder`, `-rtfolder`, `--target-directory=folder`."""
    for word in arguments:
        if found := _INTO_OPTION.fullmatch(_text(word)):
            yield _part(word, found[1] or found[2] or "")


def _values(arguments: Sequence[Word], options: frozenset[str]) -> Iterator[Word]:
    """What stands after options, in the same word or in the next: `-o a`, `-oa`, `-uo a`, `--outp=a`, `of=a`."""
    for word, following in zip(arguments, [*arguments[1:], None], strict=True):
        text = _text(word)
        for option in options:
            value = _value(text, option)
            if value:
                yield _part(word, value)
            elif value is not None and following is not None:
                yield following


def _value(text: str, option: str) -> str | None:
    """Empty for what is in the next word; None if this is another option."""
    if option.endswith("="):
        return text.removeprefix(option) if text.startswith(option) else None
    if option.startswith("--"):
        name, _, value = text.partition("=")
        return value if len(name) > 2 and option.startswith(name) else None
    found = re.fullmatch(rf"-[A-Za-z]*?{option[1]}(.*)", text, re.DOTALL)
    return None if found is None else found[1]


def _text(word: Word) -> str:
    return word.text if word.value is None else word.value


def _part(word: Word, text: str) -> Word:
    return Word(text, None if word.value is None else text)


def _is_filled_in(word: Word) -> bool:
    return _FILLED_IN.search(_text(word)) is not None


@lru_cache(maxsize=1)
def _changers() -> Mapping[str, _Changer]:
    read = tomllib.loads((Path(__file__).parent / "changers.toml").read_text(encoding="utf-8"))
    return {name.strip(): _changer(entry) for entry in read["changer"] for name in entry["names"].split(",")}


def _changer(entry: Mapping[str, Any]) -> _Changer:
    return _Changer(
        operands=entry.get("operands", "all"),
        options=names(entry.get("options", "")),
        when=_pattern(entry.get("when")),
        unless=_pattern(entry.get("unless")),
        below=entry.get("below", ""),
        here=entry.get("here", False),
    )


def _pattern(text: str | None) -> re.Pattern[str] | None:
    return None if text is None else re.compile(text)
