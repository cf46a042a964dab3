"""Commands that may change what git goes by: after them it is not known any more what git would start or look at."""

from __future__ import annotations

from collections.abc import Container, Sequence

from code_assistant.permissions.shell.analysis import Member
from code_assistant.permissions.shell.link_makers import members_after, runs_project
from code_assistant.permissions.shell.name_lists import names
from code_assistant.permissions.shell.plain_git import git_words, is_plain

# They put nothing into files, and their words say which places they change.
_WRITING_NOTHING = names("mkdir rmdir touch rm chmod chown kill sleep")
# They write objects and the index, but no setting.
_STAGING = names("add commit")
# What a file of settings says it writes, without running anything of the project.
_WRITING_ANYWHERE = names("tsc")


def after_changed_git(members: Sequence[Member], reading: Container[Member]) -> list[Member]:
    """Those that run after one that may change the configuration of git, or together with it. `reading` print only."""
    return members_after(members, lambda member: _may_change_git(member, is_reading=member in reading))


def _may_change_git(member: Member, *, is_reading: bool) -> bool:
    if runs_project(member):
        # It could start by itself whatever git would be made to start.
        return member.program in _WRITING_ANYWHERE
    if any(each.writes for each in member.redirections):
        # Settings of the person's own may lie anywhere.
        return True
    if is_reading or member.program in _WRITING_NOTHING:
        return False
    if member.program == "git":
        return (git_words(member) or [""])[0] not in _STAGING and not is_plain(member)
    return True
