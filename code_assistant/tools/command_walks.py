"""Commands that read files which they do not name: whatever lies below a folder."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from code_assistant.permissions.access import Place
from code_assistant.permissions.shell.analysis import Analysis, Member
from code_assistant.permissions.shell.arguments import Refused
from code_assistant.permissions.shell.git_commands import sorted_git
from code_assistant.tools.command_words import is_folder

# They look at whatever lies below where they start; some only with an option that has one of these letters.
WALKING_PROGRAMS = frozenset(
    {"rg", "ag", "ack", "find", "fd", "fdfind", "tar", "zip", "cp", "rsync", "scp", "diff", "rgrep", "zgrep"}
)
GREPS = frozenset({"grep", "egrep", "fgrep"})
WALKING_OPTION = re.compile(r"-.*[rRd]")
SHOWING_IN_GIT = frozenset({"grep", "diff", "show", "log", "archive", "stash", "blame", "cat-file", "format-patch"})
# Of these it is known that they read what is in all the files, rather than their names or what git keeps of them.
READING_ALL = frozenset({"rg", "ag", "ack", "tar", "zip", "rsync", "diff", "rgrep"})
READING_ALL_IF = {
    **dict.fromkeys(GREPS, re.compile(r"-[A-Za-z]*[rR].*|--(?:dereference-)?recursive")),
    **dict.fromkeys(("cp", "scp"), re.compile(r"-[A-Za-z]*[rRa].*|--(?:recursive|archive)")),
}
# They pass over what is hidden, unless they are told not to.
PASSING_HIDDEN = frozenset({"rg", "ag"})
HIDDEN_TOO = re.compile(r"-[A-Za-z]*[u.].*|--(?:hidden|unrestricted|no-ignore.*)")


def looks_through(analysis: Analysis) -> bool:
    """Whether something in it may read files that it does not name."""
    return any(_walks(member) for member in analysis.members)


def folders_read(member: Member, named: Sequence[Place], bases: Sequence[Place]) -> Sequence[Place]:
    """The folders of which it is known to read every file; where it names nothing that is there, it starts here."""
    option = READING_ALL_IF.get(member.program or "")
    if member.program not in READING_ALL and (option is None or not any(map(option.fullmatch, _values(member)))):
        return ()
    there = [place for place in named if os.path.lexists(place.path)]
    return [place for place in there if is_folder(place)] if there else bases


def passes_hidden(member: Member) -> bool:
    return member.program in PASSING_HIDDEN and not any(map(HIDDEN_TOO.fullmatch, _values(member)))


def _walks(member: Member) -> bool:
    words = _values(member)
    if member.program in GREPS:
        return any(map(WALKING_OPTION.match, words))
    return member.program in WALKING_PROGRAMS or (member.program == "git" and _shows(words))


def _shows(words: Sequence[str]) -> bool:
    try:
        return sorted_git(words).shows
    except Refused:
        return not SHOWING_IN_GIT.isdisjoint(words)


def _values(member: Member) -> list[str]:
    return [word.value or word.text for word in member.words[1:]]
