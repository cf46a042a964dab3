"""The words after a program, sorted by its table: what names files, what does not, and what is not known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from code_assistant.permissions.shell.tables import Table

_MOST_SHOWN = 40
_NUMBER = re.compile(r"-[0-9]+")
_NUMBER_VALUE = re.compile(r"-[0-9]+[A-Za-z]{0,2}")


class Refused(Exception):
    """It is not proved that a program only reads; says why, in words that go on after "asked because"."""


@dataclass(slots=True)
class Arguments:
    options: set[str] = field(default_factory=set[str])
    operands: list[str] = field(default_factory=list[str])
    paths: list[str] = field(default_factory=list[str])
    values: list[str] = field(default_factory=list[str])


def shown(text: str) -> str:
    """A word as a reason mentions it."""
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def check_form(name: str, table: Table, option: str, value: str) -> None:
    """Raises Refused for a value with which an option does more than read what it is given."""
    form = table.forms.get(option)
    if form is not None and not form.fullmatch(value):
        raise Refused(f"{name} is given {option} with {shown(value)}, which can do more than read")


def sorted_arguments(name: str, table: Table, words: Sequence[str]) -> Arguments:
    """Options and operands of a program that takes them as most do. What is not in the table raises Refused."""
    if table.raw:
        return Arguments(operands=list(words))
    return _Sorter(name, table, words).run()


class _Sorter:
    def __init__(self, name: str, table: Table, words: Sequence[str]) -> None:
        self._name = name
        self._table = table
        self._rest = list(reversed(words))
        self._arguments = Arguments()

    def run(self) -> Arguments:
        while self._rest:
            word = self._rest.pop()
            if word == "--":
                self._operands_only()
                break
            if word.startswith("--"):
                self._long(word)
            elif word.startswith("-") and word != "-":
                self._short(word)
            else:
                self._arguments.operands.append(word)
        return self._arguments

    def _operands_only(self) -> None:
        """What follows `--`. Not every program ends its options there: an option may take it for its value."""
        while self._rest:
            word = self._rest.pop()
            if word.startswith("-") and word != "-":
                raise Refused(f"{self._name} is given {shown(word)} after --, which may still be an option")
            self._arguments.operands.append(word)

    def _long(self, word: str) -> None:
        option, equals, value = word.partition("=")
        table = self._table
        self._check(option)
        if equals:
            if option not in table.values | table.paths | table.optional | table.joined:
                raise Refused(f"{self._name} is given {shown(option)} with a value, which is not known")
            self._take(option, value)
        elif option in table.flags or option in table.optional - table.values - table.last or option in table.listing:
            self._arguments.options.add(option)
        else:
            self._with_next(option)

    def _short(self, word: str) -> None:
        table = self._table
        if table.numbers and _NUMBER.fullmatch(word):
            return
        letters = word[1:]
        for at, letter in enumerate(letters):
            option, rest = f"-{letter}", letters[at + 1 :]
            self._check(option)
            if option in table.optional:
                self._take(option, rest)
                return
            if option in table.flags or option in table.listing:
                self._arguments.options.add(option)
                continue
            if rest and (table.separate or option not in table.values | table.paths):
                raise Refused(f"{self._name} is given {shown(word)}, which is not known")
            if rest:
                self._take(option, rest)
            else:
                self._with_next(option)
            return

    def _check(self, option: str) -> None:
        if (why := self._table.refused.get(option)) is not None:
            raise Refused(f"{self._name} is given {option}, which {why}")

    def _with_next(self, option: str) -> None:
        table = self._table
        if option in table.values or option in table.paths:
            self._take(option, self._next(option))
        elif option in table.last:
            self._take(option, self._next(option) if self._rest else "")
        elif option in table.pairs:
            self._take(option, self._next(option), self._next(option))
        elif option in table.named:
            self._arguments.values.append(self._next(option))
            self._arguments.paths.append(self._next(option))
        else:
            raise Refused(f"{self._name} is given {shown(option)}, which is not known")

    def _next(self, option: str) -> str:
        value = self._rest.pop() if self._rest else None
        if value is None:
            raise Refused(f"{self._name} is given {option} without a value")
        if value.startswith("-") and value != "-" and not _NUMBER_VALUE.fullmatch(value):
            # Where the program sees no value, it would be an option.
            raise Refused(f"{self._name} is given {option} before {shown(value)}, which may be an option")
        return value

    def _take(self, option: str, *values: str) -> None:
        for value in values:
            check_form(self._name, self._table, option, value)
        self._arguments.options.add(option)
        (self._arguments.paths if option in self._table.paths else self._arguments.values).extend(values)
