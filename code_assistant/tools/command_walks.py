"""Commands that read files which they do not name: whatever lies below a folder."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from code_assistant.permissions.access import Place
from code_assistant.permissions.shell.analysis import Analysis, Member
from code_assistant.permissions.shell.arguments import Refused
from code_assistant.permissions.shell.finding import FINDERS
from code_assistant.permissions.shell.git_commands import sorted_git
from code_assistant.permissions.shell.name_lists import names
from code_assistant.permissions.shell.name_takers import takes_names
from code_assistant.tools.command_words import is_folder

GREPS = names("grep egrep fgrep")
WALKING_OPTION = re.compile(r"-.*[rRd]")
SHOWING_IN_GIT = names("grep diff show log archive stash blame cat-file format-patch")
ALWAYS = re.compile("")
# They read what is in all the files, rather than their names or what git keeps of them: if an option is like this,
# alone or with the next word.
READING_ALL: Mapping[str, re.Pattern[str]] = {
    **dict.fromkeys(names("rg ag ack ugrep zip rsync diff rgrep pax tar bsdtar gtar"), ALWAYS),
    **dict.fromkeys(GREPS, re.compile(r"-[A-Za-z]*[rR].*|--(?:der|rec).*|(?:-[A-Za-z]*d ?|--dir[a-z]*[ =])recurse")),
    **dict.fromkeys(names("cp scp"), re.compile(r"-[A-Za-z]*[rRa].*|--(?:rec|ar).*")),
    **dict.fromkeys(names("gzip bzip2 xz zstd"), re.compile(r"-[A-Za-z0-9]*r.*|--rec.*")),
    **dict.fromkeys(names("7z 7za 7zr"), re.compile(r"[au]")),
    "jar": re.compile(r"-?[a-zA-Z0]*[cu][a-zA-Z0]*|--(?:create|update)"),
    "git": re.compile(r"--no-index|--untracked"),
}
# They do not if their first word is like this: they read an archive, and no file that lies here.
UNPACKING = dict.fromkeys(
    names("tar bsdtar gtar"), re.compile(r"-?[vzjJpkmfoO]*[xt][vzjJpkmfoO]*|--(?:extract|get|list)")
)
# They pass over what is hidden, unless they are told not to.
PASSING_HIDDEN = names("rg ag")
HIDDEN_TOO = re.compile(
    r"-[A-Za-z]*[u.].*|--(?:hidden|unrestricted|no-ignore.*)|(?:-[A-Za-z]*g ?|--i?glob[ =])(?:.*/)?\.[^/]*"
)


def looks_through(analysis: Analysis) -> bool:
    """Whether something in it may read files that it does not name."""
    return any(_walks(member) for member in analysis.members)


def folders_read(member: Member, named: Sequence[Place], bases: Sequence[Place]) -> Sequence[Place]:
    """The folders of which it is known to read every file; where it names nothing that is there, it starts here."""
    if not _reads_all(member):
        return ()
    there = [place for place in named if os.path.lexists(place.path)]
    return [place for place in there if is_folder(place)] if there else bases


def passes_hidden(member: Member) -> bool:
    return member.program in PASSING_HIDDEN and not _has(HIDDEN_TOO, _values(member))


def _walks(member: Member) -> bool:
    words = _values(member)
    if member.program in GREPS:
        return any(map(WALKING_OPTION.match, words))
    if member.program in FINDERS or _reads_all(member) or takes_names(member):
        return True
    return member.program == "git" and _shows(words)


def _reads_all(member: Member) -> bool:
    program, words = member.program or "", _values(member)
    option, unpacking = READING_ALL.get(program), UNPACKING.get(program)
    if option is None or (unpacking is not None and words and unpacking.fullmatch(words[0])):
        return False
    # Globs become options only where somebody has named a file like one.
    is_braced = any(word.value is None and word.text.startswith("{") for word in member.words[1:])
    return option is ALWAYS or is_braced or _has(option, words)


def _has(option: re.Pattern[str], words: Sequence[str]) -> bool:
    """Whether one of the words is like this, or one with the next."""
    return any(map(option.fullmatch, (*words, *map(" ".join, pairwise(words)))))


def _shows(words: Sequence[str]) -> bool:
    try:
        return sorted_git(words).shows
    except Refused:
        return not SHOWING_IN_GIT.isdisjoint(words)


def _values(member: Member) -> list[str]:
    return [word.value or word.text for word in member.words[1:]]
