"""Commands that tell of programs, and so of others where other ones are found: `python3 --version`, `which node`."""

from __future__ import annotations

from collections.abc import Sequence

from code_assistant.permissions.shell.analysis import Member
from code_assistant.permissions.shell.name_lists import names
from code_assistant.permissions.shell.tables import version_queries

_LOOKING_UP = names("which type command whereis")


def told_programs(member: Member) -> Sequence[str]:
    """The names of the programs that it tells of."""
    program, words = member.program or "", [word.value or "" for word in member.words[1:]]
    if program in _LOOKING_UP:
        return [word for word in words if word and not word.startswith("-") and "/" not in word]
    is_query = len(words) == 1 and words[0] in version_queries().get(program, ())
    return [program] if is_query and "/" not in (member.words[0].value or "") else []
