"""Commands put together from pieces, and commands with pieces put into them."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

PIECES = (
    *("ls", "cat", "echo", "grep", "a", "b c", "-la", "--all", "-", "--", ".", "*.py", "a?", "~", "=", "a=b", "!", "x"),
    *("'", '"', "\\", "$", "`", "#", " ", "  ", "\t", "\n", "\\\n", "'a b'", '"a b"', "''", '""', "a'b'", "\\ "),
    *("|", "||", "&", "&&", ";", ";;", "|&", "(", ")", "{", "}", "[", "]", "[[", "<", ">", ">>", "2>&1", ">/dev/null"),
    *("<<", "<(", "$(", "${", "$'", "time", "if", "then", "fi", "{a,b}", "2", "2>", "&>", "<a", ">a", "%", "^", "@"),
)
_MOST_PIECES = 12


def composed() -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(PIECES), max_size=_MOST_PIECES).map("".join)


def changed(command: str, chance: Random) -> str:
    """With up to four pieces in the place of what was there."""
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(command) + 1)
        command = command[:place] + chance.choice(PIECES) + command[place + chance.randint(0, 2) :]
    return command
