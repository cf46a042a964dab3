"""Ignore rules for single paths, for what was found by others than our own walk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from code_assistant.workspace.ignore import IgnoreRules, names_of_rules_in, rules_above


def overlooked_filter(folder: Path) -> Callable[[str], bool] | None:
    """Whether a file found below the folder is to be kept, or None where there is no doubt.

    ripgrep before 15 overlooks rules with a slash that stand in the folders above the one it searches
    (BurntSushi/ripgrep#2770).
    """
    above = rules_above(folder)
    if not any(rules.looks_at_paths for rules, _ in above.chain):
        return None
    return _IgnoredPaths(str(folder), above).keeps


class _IgnoredPaths:
    """The rules of each folder, worked out when the first path in it is asked for."""

    def __init__(self, folder: str, above: IgnoreRules) -> None:
        self._prefix = folder.rstrip("/") + "/"
        self._rules: dict[str, IgnoreRules | None] = {"": self._inside(folder, above)}

    def keeps(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        rules = self._rules_in(folder)
        return rules is not None and not rules.ignores(self._prefix + path, name)

    def _rules_in(self, folder: str) -> IgnoreRules | None:
        """None where the folder itself is ignored, and with it everything below."""
        if folder not in self._rules:
            parent, _, name = folder.rpartition("/")
            rules = self._rules_in(parent)
            full = self._prefix + folder
            is_ignored = rules is None or rules.ignores(f"{full}/", f"{name}/")
            self._rules[folder] = None if rules is None or is_ignored else self._inside(full, rules)
        return self._rules[folder]

    @staticmethod
    def _inside(folder: str, rules: IgnoreRules) -> IgnoreRules:
        return rules.entering(folder, names_of_rules_in(folder))
