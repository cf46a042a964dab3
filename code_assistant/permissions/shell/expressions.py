"""Programs whose words are an expression: `find` and `test`."""

from __future__ import annotations

from collections.abc import Sequence, Set

from code_assistant.permissions.shell.arguments import Refused, check_form, shown
from code_assistant.permissions.shell.tables import Table

_BEFORE_START = frozenset({"-H", "-P"})
_BINARY_PATHS = frozenset({"-nt", "-ot", "-ef"})


def find_paths(table: Table, words: Sequence[str], loose: Set[str]) -> list[str]:
    """The folders that `find` begins in and the files it compares with; raises Refused for whatever acts.

    The `loose` words may be only the former: nobody knows how many there are.
    """
    at = 0
    while at < len(words) and words[at] in _BEFORE_START:
        at += 1
    starts: list[str] = []
    while at < len(words) and not words[at].startswith("-") and words[at] not in ("(", "!", ",", ")"):
        starts.append(words[at])
        at += 1
    if (taken := next((word for word in words[at:] if word in loose), None)) is not None:
        raise Refused(f"find may be given {shown(taken)} as more than a path")
    compared: list[str] = []
    while at < len(words):
        word = words[at]
        _check("find", table, word)
        at += 1
        if word in table.flags:
            continue
        if word not in table.values and word not in table.paths:
            raise Refused(f"find is given {shown(word)}, which is not known")
        if at >= len(words):
            raise Refused(f"find is given {word} without a value")
        if words[at] in table.refused:
            raise Refused(f"find is given {words[at]}, which {table.refused[words[at]]}")
        check_form("find", table, word, words[at])
        if word in table.paths:
            compared.append(words[at])
        at += 1
    return [*(starts or ["."]), *compared]


def test_paths(name: str, table: Table, words: Sequence[str]) -> list[str]:
    """The files that `test` looks at. What is neither known nor a plain word raises Refused."""
    inner = list(words)
    if name == "[" and (not inner or inner.pop() != "]"):
        raise Refused("a [ in it is not closed")
    paths: list[str] = []
    for at, word in enumerate(inner):
        _check(name, table, word)
        following = inner[at + 1] if at + 1 < len(inner) else ""
        if word in table.paths and following:
            paths.append(following)
        if word in _BINARY_PATHS and at:
            paths.append(inner[at - 1])
    return paths


def _check(name: str, table: Table, word: str) -> None:
    if (why := table.refused.get(word)) is not None:
        raise Refused(f"{name} is given {word}, which {why}")
