"""Which files git (and .ignore files) leave out. The rules of one file become two regular expressions."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from code_assistant.globs import entry_regex
from code_assistant.workspace.opening import FILE_FLAGS, open_unlinked

# Each rule is tried on each entry: what is beyond is left unused.
MAXIMUM_RULE_FILE_BYTES = 256 << 10
MAXIMUM_RULES = 5_000
# The first that says anything about a path decides; within one kind the deepest folder does.
RULE_FILES = (".rgignore", ".ignore", ".gitignore", ".git/info/exclude")
GIT_RULE_FILES = RULE_FILES[2:]
NAMES_OF_RULES = frozenset(rule_file.partition("/")[0] for rule_file in RULE_FILES)


@dataclass(frozen=True, slots=True)
class _Alternatives:
    """Several patterns as one: the group that matched tells the rule, the last rule being tried first."""

    regex: re.Pattern[str]
    rules: tuple[int, ...]

    def last_match(self, text: str) -> int:
        found = self.regex.match(text)
        return -1 if found is None or found.lastindex is None else self.rules[found.lastindex - 1]


def _alternatives(regexes: dict[int, str]) -> _Alternatives | None:
    if not regexes:
        return None
    numbers = tuple(sorted(regexes, reverse=True))
    return _Alternatives(re.compile("|".join(f"({regexes[n]})" for n in numbers), re.DOTALL), numbers)


class RuleSet:
    """The rules of one ignore file."""

    def __init__(self, lines: Iterable[str]) -> None:
        names: dict[int, str] = {}
        paths: dict[int, str] = {}
        self._ignores: list[bool] = []
        for rule in islice(filter(None, map(entry_regex, lines)), MAXIMUM_RULES):
            (names if rule.is_for_name else paths)[len(self._ignores)] = rule.regex
            self._ignores.append(rule.ignores)
        self._names = _alternatives(names)
        self._paths = _alternatives(paths)

    def __bool__(self) -> bool:
        return bool(self._ignores)

    @property
    def looks_at_paths(self) -> bool:
        """Whether any rule says more than a name does."""
        return self._paths is not None

    def verdict(self, path: str, name: str) -> bool | None:
        """True: ignored, False: expressly not, None: no rule about it. Folders end in a slash."""
        rule = self._names.last_match(name) if self._names is not None else -1
        if self._paths is not None:
            rule = max(rule, self._paths.last_match(path))
        return None if rule < 0 else self._ignores[rule]


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The rules in force in one folder: for each kind of rule file its sets, deepest folder first."""

    kinds: tuple[tuple[tuple[RuleSet, int], ...], ...] = ((),) * len(RULE_FILES)
    chain: tuple[tuple[RuleSet, int], ...] = ()
    stops_at_repositories: bool = False

    def entering(self, folder: str, names: Iterable[str]) -> IgnoreRules:
        """The rules inside a folder with these names in it."""
        present = NAMES_OF_RULES.intersection(names)
        if not present:
            return self
        kinds = list(self.kinds)
        if ".git" in present and self.stops_at_repositories:
            kinds[RULE_FILES.index(GIT_RULE_FILES[0]) :] = [()] * len(GIT_RULE_FILES)
        prefix = len(folder.rstrip("/")) + 1
        for index, rule_file in enumerate(RULE_FILES):
            if rule_file.partition("/")[0] in present:
                rules = RuleSet(_lines_of(f"{folder}/{rule_file}"))
                if rules:
                    kinds[index] = ((rules, prefix), *kinds[index])
        chain = tuple(level for kind in kinds for level in kind)
        return IgnoreRules(tuple(kinds), chain, self.stops_at_repositories)

    def ignores(self, path: str, name: str) -> bool:
        """Whether an entry of that folder is left out; the path is absolute, folders end in a slash."""
        for rules, prefix in self.chain:
            verdict = rules.verdict(path[prefix:], name)
            if verdict is not None:
                return verdict
        return False


def rules_above(folder: Path) -> IgnoreRules:
    """The rules that the folders above a folder bring with them."""
    stops = is_in_repository(folder)
    rules = IgnoreRules(stops_at_repositories=stops)
    for parent in map(str, reversed(folder.parents)):
        rules = rules.entering(parent, names_of_rules_in(parent))
    return rules


def names_of_rules_in(folder: str) -> list[str]:
    """The names in a folder that make a difference to `IgnoreRules.entering`."""
    return [name for name in NAMES_OF_RULES if os.path.lexists(f"{folder}/{name}")]


def is_in_repository(folder: Path) -> bool:
    return any(os.path.lexists(parent / ".git") for parent in (folder, *folder.parents))


def _lines_of(path: str) -> list[str]:
    try:
        descriptor = open_unlinked(path, FILE_FLAGS)
    except OSError:
        # Rules that are not there or cannot be read are no rules, as with git.
        return []
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return []
        data = os.read(descriptor, MAXIMUM_RULE_FILE_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(data) > MAXIMUM_RULE_FILE_BYTES:
        # Half a rule could ignore far more than the whole one.
        data = data[: data.rfind(b"\n", 0, MAXIMUM_RULE_FILE_BYTES) + 1]
    text = data.decode("utf-8-sig", "surrogateescape")
    return [line.removesuffix("\r") for line in text.split("\n")]
