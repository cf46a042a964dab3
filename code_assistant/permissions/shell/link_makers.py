"""Commands that may leave links behind, so that a path leads elsewhere for those that come after them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence

from code_assistant.permissions.shell.analysis import Member
from code_assistant.permissions.shell.name_lists import names
from code_assistant.permissions.shell.plain_git import git_words, is_plain

# They run what the project holds, or install it: that may read by itself whatever a later command could be led to.
_RUNNERS = names(
    "npm npx pnpm yarn bun bunx deno node jest vitest mocha tsc tsx eslint prettier python python3 pytest tox nox uv "
    "poetry pdm hatch pip pip3 ruff black isort mypy pyright flake8 pylint make just cmake ninja cargo rustc go gofmt "
    "mvn gradle gradlew ruby bundle rake rspec php composer phpunit dotnet swift mix"
)
# Told so, they run nothing that they install.
_INSTALLERS = names("npm pnpm yarn bun")
# As modules of python.
_UNPACKING = names("zipfile tarfile")
# What they change stays where it is, and is no link.
_STEADY = names("mkdir rmdir touch rm tee truncate chmod chown sed gzip gunzip curl kill sleep")
_STEADY_IN_GIT = names(
    "add commit fetch tag branch remote config status log diff show blame grep rev-parse ls-files describe"
)


def after_new_links(members: Sequence[Member], reading: Container[Member]) -> list[Member]:
    """Those that run after one that may leave links behind, or together with it. `reading` change nothing."""
    return members_after(members, lambda member: member not in reading and _may_leave_links(member))


def members_after(members: Sequence[Member], is_one: Callable[[Member], bool]) -> list[Member]:
    """Those that run after such a one, or together with it."""
    found: list[Member] = []
    has_been = False
    for together in _pipes(members):
        ones = [member for member in together if is_one(member)]
        found += [member for member in together if has_been or any(one is not member for one in ones)]
        has_been = has_been or bool(ones)
    return found


def may_be_led_elsewhere(member: Member) -> bool:
    """Whether it goes where its words lead, rather than running the project or keeping to what git knows."""
    return len(member.words) > 1 and member.program != "git" and not runs_project(member)


def runs_project(member: Member) -> bool:
    words = [word.value or "" for word in member.words]
    if member.program in _INSTALLERS and any(word.startswith("--ignore-s") for word in words):
        return False
    if "-m" in words and not _UNPACKING.isdisjoint(words):
        return False
    written = member.words[0].value or ""
    return member.program in _RUNNERS or ("/" in written and not written.startswith("/"))


def _pipes(members: Sequence[Member]) -> Iterator[list[Member]]:
    together: list[Member] = []
    for member in members:
        if member.connector != "|" and together:
            yield together
            together = []
        together.append(member)
    yield together


def _may_leave_links(member: Member) -> bool:
    if member.program == "git":
        # Another branch that is pushed to where it is checked out may be laid out there.
        return (git_words(member) or [""])[0] not in _STEADY_IN_GIT and not is_plain(member)
    if member.program == "cp":
        # Without options it copies what links lead to.
        return any((word.value or word.text).startswith("-") for word in member.words[1:])
    return member.program not in _STEADY and not runs_project(member)
