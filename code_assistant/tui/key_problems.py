"""What is wrong with the keys that the person has set, in words, and which of them are used all the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from textual.keys import Keys, key_to_character

from code_assistant.tui.keys import KEYS, PANEL_KEYS, PROMPT_KEYS, Key, key_names, keymap

MODIFIERS = {"ctrl", "shift", "alt", "super", "meta", "hyper"}
NAMED_KEYS = {key.value.rpartition("+")[2] for key in Keys}


class Clash(NamedTuple):
    """A key that answers, and what else it would do there: another answer, or what no prompt can do without."""

    key: str
    answer: Key
    other: Key


class CheckedKeys(NamedTuple):
    """`used` are those that count, by their names; `problems` are words for the person about the others."""

    used: dict[str, str]
    problems: tuple[str, ...]


def checked_keys(own: Mapping[str, str]) -> CheckedKeys:
    """In a prompt no key may mean two things: what was set so does not count, and the usual key does.

    A usual key may be one that was set for something else, so that is looked for again until there is nothing left.
    """
    used = keymap(own)
    problems = [*_unknown_keys(used)]
    while (clash := next(_clashes(used), None)) is not None:
        for mine, theirs in ((clash.answer, clash.other), (clash.other, clash.answer)):
            if used.pop(mine.id, None) is not None:
                problems.append(_words(clash.key, mine, theirs, own[mine.id]))
    return CheckedKeys(used, tuple(problems))


def _unknown_keys(used: Mapping[str, str]) -> Iterator[str]:
    """What to say about keys that no terminal sends, because their names are wrong."""
    for name, keys in used.items():
        for each in keys.split(","):
            if not _is_key(each.strip()):
                yield (
                    f"keys.{name}: there is no key {each.strip()!r}; "
                    "keys are written like ctrl+x, alt+up, f5 or question_mark."
                )


def _is_key(name: str) -> bool:
    *modifiers, base = name.split("+")
    if not set(modifiers) <= MODIFIERS:
        return False
    return len(base) == 1 or base in NAMED_KEYS or key_to_character(base) is not None


def _clashes(used: Mapping[str, str]) -> Iterator[Clash]:
    for answers in PROMPT_KEYS:
        owners: dict[str, Key] = {}
        for key in chain(KEYS, PANEL_KEYS):
            owners |= dict.fromkeys(key_names(key, used), key)
        for key in answers:
            for name in dict.fromkeys(key_names(key, used)):
                if name in owners:
                    yield Clash(name, key, owners[name])
                owners[name] = key


def _words(name: str, mine: Key, theirs: Key, value: str) -> str:
    place = theirs.place if theirs.place != "anywhere" else mine.place
    return (
        f"keys.{mine.id} = {value!r} does not count, the usual key does: "
        f"in {place} {name} is a key for “{theirs.help}”."
    )
