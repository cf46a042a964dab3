"""Commands of git that change names of commits, in those forms in which what is checked out stays what it is.

In a repository whose own settings or names lead elsewhere it need not: but there hooks of the repository run, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from code_assistant.permissions.shell.analysis import Member
from code_assistant.permissions.shell.name_lists import names
from code_assistant.permissions.shell.spellings import without_global_options

# Forced, renamed or led elsewhere, a branch may be the one that is checked out; so may what `a:b` names.
_PLAIN_OPTIONS: Mapping[str, frozenset[str]] = {
    "push": names("-u --set-upstream -q --quiet -v --verbose --tags --follow-tags -n --dry-run --no-verify"),
    "fetch": names("-a --all -p --prune -t --tags -q --quiet -v --verbose"),
    "tag": names("-a -m --annotate --message"),
    "branch": names("-q --quiet"),
}


def git_words(member: Member) -> Sequence[str]:
    """The command of git and what it is given, without git's own options; nothing where there is none."""
    return without_global_options([word.value or word.text for word in member.words[1:]])


def is_plain(member: Member) -> bool:
    """Whether it is one of these, and certainly in such a form."""
    command, *words = git_words(member) or [""]
    options = _PLAIN_OPTIONS.get(command)
    if options is None or any(word.value is None for word in member.words):
        return False
    return _are_plain(words, options)


def _are_plain(words: Sequence[str], options: frozenset[str]) -> bool:
    # What a message says is taken for a name here, which asks once too often and never the other way round.
    return all(word in options if word.startswith("-") else not {":", "+"}.intersection(word) for word in words)
