"""What changed: by git, which runs as a command and so asks the person first, twice at most."""

from __future__ import annotations

import re
from collections import Counter

from code_assistant.llm.offline.calls import run
from code_assistant.llm.offline.markdown import code, fenced, plain
from code_assistant.llm.offline.steps import Outcome, Plan, Step
from code_assistant.llm.offline.survey import counted
from code_assistant.llm.offline.tool_texts import denial_in, failure

STATUS = "git status --short --branch"
DIFF = "git diff --stat HEAD"
LOG = "git log --oneline -n 10"
MOST_LINES = 25
NO_REPOSITORY = "This folder is not in a git repository, so nothing tells what changed."
_ENDING = re.compile(r"(?:exit code (-?[0-9]+)|ended.*|timed out) · [0-9].*")
_BRANCH = re.compile(r"## (?P<new>No commits yet on )?(?P<name>.+?)(?:\.\.\.(?P<other>\S+)(?: \[(?P<apart>.+)\])?)?")
_KINDS = {"M": "changed", "A": "added", "D": "deleted", "R": "renamed", "C": "copied", "U": "in conflict", "?": "new"}


def changes_plan() -> Plan:
    (status,) = yield Step((run(STATUS),))
    if status.failed:
        return _not_told(status)
    printed = _printed(status)
    branch = next((found for line in printed if (found := _BRANCH.fullmatch(line))), None)
    lines = [line for line in printed if not line.startswith("## ")]
    opening = f"{_where(branch)}{_summary(lines)}"
    if branch is not None and branch["new"]:
        # git can compare with no commit, and tell of none.
        return "\n\n".join([opening, *_block("", lines)])
    if lines:
        (diff,) = yield Step((run(DIFF),))
        return "\n\n".join([opening, *_block("", lines), *_changed_lines(diff)])
    (log,) = yield Step((run(LOG),))
    missing = [_missing("the last commits", LOG, log)] if log.failed else _block("The last commits:", _printed(log))
    return "\n\n".join([opening, *missing])


def how_to_allow(*commands: str) -> str:
    rules = " ".join(f'--allow "Bash({command})"' for command in commands)
    return f"Allow it when you are asked, or start with `{rules}`."


def _printed(outcome: Outcome) -> list[str]:
    """What the command printed, without the line about its end."""
    lines = outcome.text.rstrip("\n").split("\n")
    if lines and _ENDING.fullmatch(lines[-1]):
        lines.pop()
    return [line.rstrip() for line in lines if line.strip()]


def _where(branch: re.Match[str] | None) -> str:
    if branch is None:
        return ""
    if branch["new"]:
        return f"On {code(branch['name'])}, which has no commit yet. "
    apart = f" ({plain(branch['apart'])} of {code(branch['other'])})" if branch["apart"] else ""
    return f"On {code(branch['name'])}{apart}. "


def _summary(lines: list[str]) -> str:
    if not lines:
        return "Nothing has changed since the last commit."
    kinds = Counter(_KINDS.get((line[:2].strip() or " ")[0], "changed") for line in lines)
    told = ", ".join(f"{number:,} {kind}" for kind, number in kinds.items())
    return f"{counted(len(lines), 'path')} changed since the last commit: {told}."


def _changed_lines(diff: Outcome) -> list[str]:
    """How much changed in the files that git knows; new files are in no diff."""
    if diff.failed:
        return [_missing("how many lines changed", DIFF, diff)]
    return [f"In files that git knows: {code(line.strip())}." for line in _printed(diff)[-1:]]


def _missing(what: str, command: str, outcome: Outcome) -> str:
    if denial_in(outcome) is None:
        return f"Missing is {what}: {code(command)} did not work: {plain(failure(outcome), 300)}"
    return f"Missing is {what}: I was not allowed to run {code(command)}. {how_to_allow(command)}"


def _block(title: str, lines: list[str]) -> list[str]:
    if not lines:
        return []
    shown = lines[:MOST_LINES]
    block = fenced(shown) or "\n".join(f"- {code(line)}" for line in shown)
    more = f"\n\n{len(lines) - MOST_LINES:,} more lines are not shown." if len(lines) > MOST_LINES else ""
    return [f"{title}\n\n{block}{more}" if title else f"{block}{more}"]


def _not_told(status: Outcome) -> str:
    text = status.text
    if "not a git repository" in text:
        return NO_REPOSITORY
    denial = denial_in(status)
    if denial is not None:
        reason = plain(denial.partition(": ")[2].removesuffix("."), 300)
        allowing = how_to_allow(STATUS, DIFF, LOG)
        return f"I was not allowed to run {code(STATUS)}, so I cannot tell what changed: {reason}. {allowing}"
    if "exit code 127" in text:
        return "There is no `git` on this machine that I could ask what changed."
    return f"{code(STATUS)} did not work, so I cannot tell what changed: {plain(text, 300)}"
