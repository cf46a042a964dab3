"""What a program is known to do to the files it names: which of its words it changes, and what may be so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from code_assistant.permissions.shell.analysis import Member, Word
from code_assistant.permissions.shell.changers import Changer, changers, has
from code_assistant.permissions.shell.finding import FINDERS, finding_of
from code_assistant.permissions.shell.name_filters import NameFilter
from code_assistant.permissions.shell.spellings import without_global_options

_HERE = Word(".", ".")
_INTO_OPTION = re.compile(r"-[A-Za-z]*?t(.*)|--t[a-z-]*(?:=(.*))?", re.DOTALL)
# None of these letters has a value.
_PLAIN_OPTION = re.compile(r"-[abdfHilLnpPrRsTuvxZ]+")
_PLAIN_INTO = re.compile(r"-[abdfHilLnpPrRsuvxZ]*t(.*)|--target-directory(?:=(.*))?", re.DOTALL)
_ONTO_OPTION = re.compile(r"-[A-Za-z]*T|--no-t.*")
# What is put where a program like xargs or find says so.
_FILLED_IN = re.compile(r"[{$`]")
_ELSEWHERE = re.compile(r"[^/]+:")


@dataclass(frozen=True, slots=True)
class Change:
    """What a simple command does to the files that its words name.

    `changed` are words of files that it changes, `unsure` of those that it could change. Each of `sources` is put into
    each of `targets` that is a folder, or else in its place; `is_onto` when it is always in its place. `below` says
    of a folder that is changed whether "all" or "some" of what lies in it is, too, or only the folder "itself"; where
    there is `only`, no more than what that means. `here` says that the folder it runs in is changed, "always" or if
    what it names is "absent". With `is_remote` the sources may lie on other machines; when it
    `is_linking` they may be meant as seen from where the link will be.
    """

    changed: tuple[Word, ...] = ()
    unsure: tuple[Word, ...] = ()
    sources: tuple[Word, ...] = ()
    targets: tuple[Word, ...] = ()
    is_onto: bool = False
    is_remote: bool = False
    is_linking: bool = False
    below: str = ""
    here: str = ""
    only: NameFilter | None = None
    # Its own words do not say all: others come from a variable, or from the program that starts it.
    is_open: bool = False


def change_of(member: Member) -> Change:
    """For a simple command that is not proved to only read."""
    if member.program in FINDERS:
        return change_by_finding(member, hands_on=False)
    arguments, changer = _known(member)
    if changer is None:
        # To run a program is not to change it.
        return Change(unsure=arguments)
    operands = tuple(_operands(arguments))
    is_open = not operands or any(_is_filled_in(word) for word in arguments)
    texts = [_text(word) for word in arguments]
    below = "all" if has(changer.all_when, texts) else changer.below
    if changer.operands == "none":
        return Change()
    if changer.options:
        written = tuple(_values(arguments, changer.options))
        return Change(changed=written, unsure=arguments, below=below, is_open=is_open)
    if changer.operands in ("all", "here"):
        here = _here(changer, texts, operands)
        if changer.operands == "all":
            return Change(changed=arguments, below=below, here=here, only=changer.files, is_open=is_open)
        folders = tuple(_values(arguments, changer.into))
        return Change(changed=folders, unsure=arguments, below=below, here="" if folders else here)
    put = _putting(changer, arguments, operands)
    # What is not among the sources is removed.
    changed = (*put.changed, *put.targets) if changer.operands == "last" and below == "all" else put.changed
    return replace(put, changed=changed, below=below, is_open=is_open)


def change_by_finding(member: Member, *, hands_on: bool) -> Change:
    """For a program that looks for files, and whether what it finds is changed by another."""
    finding = finding_of(member)
    arguments = member.words[1:]
    if not hands_on and not finding.deletes:
        return Change(changed=finding.written, unsure=arguments)
    here = "always" if member.program != "find" or not finding.starts else ""
    if finding.only is None and not finding.is_partial:
        return Change(changed=arguments, below="all", here=here)
    below = "some" if finding.is_partial else "all"
    own = Change(changed=finding.starts, below=below, here=here, only=finding.only)
    return replace(own, targets=finding.written, is_onto=True)


def _here(changer: Changer, texts: Sequence[str], operands: Sequence[Word]) -> str:
    if has(changer.here_when, texts):
        return "always"
    if changer.here == "alone":
        return "" if operands else "always"
    if changer.here == "absent" and "--" in texts[:-1]:
        return ""
    return "always" if changer.here == "absent" and texts[-1:] == ["--"] else changer.here


def _putting(changer: Changer, arguments: tuple[Word, ...], operands: tuple[Word, ...]) -> Change:
    """What is put somewhere: where that is, is said by the last word, or by an option."""
    texts = [_text(word) for word in arguments]
    links = has(changer.links_when, texts)
    put = _from_and_to(changer, arguments, operands, moves=not links and _moves(changer, texts))
    changed, targets = put.changed, put.targets
    if changer.is_remote:
        changed, targets = (tuple(word for word in each if not is_remote(word)) for each in (changed, targets))
    values = tuple(word for word in arguments if re.match("-.*=", _text(word)))
    return replace(
        put,
        changed=(*changed, *_values(arguments, changer.also)),
        # What a link leads to is changed through it, should anything be.
        unsure=(*values, *(put.sources if links else ())),
        targets=targets,
        is_onto=any(_ONTO_OPTION.fullmatch(text) for text in texts),
        is_remote=changer.is_remote,
        is_linking=links,
    )


def _moves(changer: Changer, texts: Sequence[str]) -> bool:
    return changer.operands == "move" or has(changer.moves_when, texts)


def _from_and_to(changer: Changer, arguments: Sequence[Word], operands: tuple[Word, ...], *, moves: bool) -> Change:
    sources, targets = operands[:-1], operands[-1:]
    has_option = changer.operands != "last"
    joined = tuple(_joined_targets(arguments)) if has_option else ()
    if has_option and (into := _plain_target(arguments)) is not None:
        sources, targets = tuple(word for word in operands if word is not into), (into,)
    elif joined or _may_end_in_value(arguments) or (len(operands) == 1 and operands[0].value is None):
        # Any of them may be where it goes.
        targets = (*operands, *(word for word in joined if word.text))
        return Change(changed=targets, sources=operands, targets=targets)
    elif changer.operands == "move" and not sources:
        sources, targets = operands, (_HERE,)
    return Change(changed=sources if moves else (), sources=sources, targets=targets)


def is_remote(word: Word) -> bool:
    """Whether it lies on another machine: `host:a`, `rsync://host/a`."""
    return _ELSEWHERE.match(_text(word)) is not None


def _known(member: Member) -> tuple[tuple[Word, ...], Changer | None]:
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
    if action in changers():
        texts, arguments = texts[1:], arguments[1:]
    changer = changers().get(action) or changers().get(program)
    return arguments, changer if changer is not None and changer.applies(texts) else None


def _operands(arguments: Sequence[Word]) -> Iterator[Word]:
    is_after_mark = False
    for word in arguments:
        if is_after_mark or not _text(word).startswith("-"):
            yield word
        is_after_mark = is_after_mark or word.value == "--"


def _may_end_in_value(arguments: Sequence[Word]) -> bool:
    """Whether an option stands after an operand and before another word, which may be its value."""
    has_operand = False
    for word, following in zip_longest(arguments, arguments[1:]):
        is_option = _text(word).startswith("-")
        if word.value == "--":
            return False
        if has_operand and is_option and following is not None and not _text(following).startswith("-"):
            return True
        has_operand = has_operand or not is_option
    return False


def _plain_target(arguments: Sequence[Word]) -> Word | None:
    """The folder after `-t`, where no other option could take that for its value."""
    found: list[Word | None] = []
    for word, following in zip_longest(arguments, arguments[1:]):
        text = _text(word)
        if not text.startswith("-"):
            continue
        into = _PLAIN_INTO.fullmatch(text)
        if into is None and not _PLAIN_OPTION.fullmatch(text):
            return None
        if into is not None:
            value = into[1] or into[2]
            found.append(_part(word, value) if value else following)
    target = found[0] if len(found) == 1 else None
    return None if target is None or _text(target).startswith("-") else target


def _joined_targets(arguments: Sequence[Word]) -> Iterator[Word]:
    """`-t folder`, `-rtfolder`, `--target-directory=folder`."""
    for word in arguments:
        if found := _INTO_OPTION.fullmatch(_text(word)):
            yield _part(word, found[1] or found[2] or "")


def _values(arguments: Sequence[Word], options: frozenset[str]) -> Iterator[Word]:
    """What stands after options, in the same word or in the next: `-o a`, `-oa`, `-uo a`, `--outp=a`, `of=a`."""
    for word, following in zip_longest(arguments, arguments[1:]):
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
