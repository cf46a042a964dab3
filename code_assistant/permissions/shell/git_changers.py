"""Commands that may change what git goes by: after them it is not known any more what git would start or look at."""

from __future__ import annotations

from collections.abc import Container, Sequence

from code_assistant.permissions.shell.analysis import Member
from code_assistant.permissions.shell.link_makers import members_after, runs_project
from code_assistant.permissions.shell.name_lists import names
from code_assistant.permissions.shell.spellings import without_global_options

# Their words say which places they change, and there are no others.
_SAYING_WHERE = names("mkdir rmdir touch rm chmod chown tee truncate kill sleep")
# They write objects, names of commits and the index, but no setting that starts anything; what is checked out stays.
_KEEPING_SETTINGS = names("add commit push tag branch")
_PLAIN_FETCHING = names("-a --all -p --prune -t --tags -q --quiet -v --verbose")
# What a file of settings says it writes, without running anything of the project.
_WRITING_ANYWHERE = names("tsc")


def after_changed_git(members: Sequence[Member], reading: Container[Member]) -> list[Member]:
    """Those that run after one that may change the configuration of git, or together with it."""
    return members_after(members, lambda member: member not in reading and _may_change_git(member))


def _may_change_git(member: Member) -> bool:
    if member.program == "git":
        texts = [word.value or word.text for word in member.words[1:]]
        command, *others = without_global_options(texts) or [""]
        return not (_is_plain_fetch(member, others) if command == "fetch" else command in _KEEPING_SETTINGS)
    if runs_project(member):
        # It could start by itself whatever git would be made to start.
        return member.program in _WRITING_ANYWHERE
    return member.program not in _SAYING_WHERE


def _is_plain_fetch(member: Member, words: Sequence[str]) -> bool:
    """Whether it cannot put another commit in the place of the one that is checked out."""
    if any(word.value is None for word in member.words):
        return False
    return all(word in _PLAIN_FETCHING if word.startswith("-") else ":" not in word for word in words)
