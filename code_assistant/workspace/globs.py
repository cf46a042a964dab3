"""Glob patterns: braces, and the rules of .gitignore for everything else, translated by pathspec."""

from __future__ import annotations

import re
from collections.abc import Callable

from code_assistant.errors import WorkspaceError

MAXIMUM_ALTERNATIVES = 100
BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")

# What pathspec writes into its regular expressions for "this is a folder, or what lies in one".
FOLDER_MARK = "(?P<ps_d>/)"
OPTIONAL_FOLDER_MARK = f"(?:{FOLDER_MARK}|$)"
ANY_DEPTH = "^(?:.+/)?"


def entry_regex(pattern: str) -> tuple[str, bool] | None:
    """A .gitignore line as a regular expression for one entry (folders end in a slash), not for what is below.

    With it goes whether a match ignores. None for comments, blank lines and lines git does not understand.
    """
    from pathspec.patterns.gitignore.base import GitIgnorePatternError
    from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

    try:
        regex, ignores = GitIgnoreSpecPattern.pattern_to_regex(pattern)
    except GitIgnorePatternError:
        return None
    if regex is None or ignores is None:
        return None
    regex = regex.replace(OPTIONAL_FOLDER_MARK, r"/?\Z").replace(FOLDER_MARK, r"/\Z")
    if regex.endswith("/"):
        regex += "."
    elif pattern.rstrip().endswith("/**/"):
        # pathspec takes `a/**/` for `a/`, but it means the folders below.
        regex = regex.removesuffix(r"/\Z") + r"/.+/\Z"
    return (regex if regex.startswith(("^", ".")) else f"^.*{regex}"), ignores


def expand_braces(pattern: str) -> list[str]:
    """`*.{ts,tsx}` as `*.ts` and `*.tsx`; braces may be nested."""
    waiting, finished = [pattern], list[str]()
    while waiting:
        if len(waiting) + len(finished) > MAXIMUM_ALTERNATIVES:
            raise WorkspaceError(f"The pattern {pattern} has too many alternatives in braces.")
        candidate = waiting.pop()
        found = BRACES.search(candidate)
        if found is None:
            finished.append(candidate)
            continue
        before, after = candidate[: found.start()], candidate[found.end() :]
        waiting += [f"{before}{choice}{after}" for choice in reversed(found[1].split(","))]
    return finished


def glob_matcher(pattern: str) -> Callable[[str], bool]:
    """Whether a path, relative to where the glob counts from, matches. No slash: a name in any folder."""
    regexes: list[str] = []
    for alternative in expand_braces(pattern):
        text = alternative.removeprefix("./")
        if text.startswith(("!", "#")):
            text = "\\" + text
        if text.endswith("/"):
            text += "**"
        translated = entry_regex(text)
        if translated is not None:
            regexes.append(f"(?:{translated[0]})")
    if not regexes:
        raise WorkspaceError(f"{pattern!r} is not a pattern for file names.")
    matches = re.compile("|".join(regexes), re.DOTALL).match
    return lambda path: matches(path) is not None
