"""Walking folders in the order of their paths, without what is ignored or hidden, never through symbolic links."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path

from code_assistant.workspace.ignore import IgnoreRules, rules_above
from code_assistant.workspace.threads import StopFlag

GIT_FOLDER = ".git"
by_name = attrgetter("name")


@dataclass(slots=True)
class Walk:
    """One walk below a folder, and what it left out on the way. `is_hidden` tells which resolved paths stay unseen."""

    flag: StopFlag
    include_ignored: bool = False
    is_hidden: Callable[[Path], bool] | None = None
    hidden: int = 0
    ignored: int = 0
    unreadable: list[str] = field(default_factory=list[str])

    def rules_for(self, folder: Path) -> IgnoreRules:
        """The rules to begin with in a folder; empty when ignored files are wanted, too."""
        return IgnoreRules() if self.include_ignored else rules_above(folder)

    def entries(self, folder: str, rules: IgnoreRules) -> tuple[list[os.DirEntry[str]], IgnoreRules]:
        """What is in a folder, sorted by name, and the rules that hold in it."""
        self.flag.check()
        try:
            with os.scandir(folder) as scan:
                found = sorted(scan, key=by_name)
        except OSError:
            self.unreadable.append(folder)
            return [], rules
        if not self.include_ignored:
            rules = rules.entering(folder, [entry.name for entry in found if entry.name.startswith(".")])
        kept = [entry for entry in found if entry.name != GIT_FOLDER]
        if self.is_hidden is not None:
            found, kept = kept, [entry for entry in kept if not _hidden(entry, self.is_hidden)]
            self.hidden += len(found) - len(kept)
        if rules.chain:
            found, kept = kept, [entry for entry in kept if not _ignored(entry, rules)]
            self.ignored += len(found) - len(kept)
        return kept, rules

    def files(self, root: Path) -> Iterator[os.DirEntry[str]]:
        """All regular files below a folder, in the order of their paths."""
        stack = [self._opened(str(root), self.rules_for(root))]
        while stack:
            entries, rules = stack[-1]
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    stack.append(self._opened(entry.path, rules))
                    break
                if entry.is_file(follow_symlinks=False):
                    yield entry
            else:
                stack.pop()

    def _opened(self, folder: str, rules: IgnoreRules) -> tuple[Iterator[os.DirEntry[str]], IgnoreRules]:
        entries, inner = self.entries(folder, rules)
        return iter(entries), inner


def _hidden(entry: os.DirEntry[str], is_hidden: Callable[[Path], bool]) -> bool:
    """Also a link to what is hidden: where it leads would tell the name."""
    return is_hidden(Path(entry.path)) or (entry.is_symlink() and is_hidden(Path(os.path.realpath(entry.path))))


def _ignored(entry: os.DirEntry[str], rules: IgnoreRules) -> bool:
    if entry.is_dir(follow_symlinks=False):
        return rules.ignores(entry.path + "/", entry.name + "/")
    return rules.ignores(entry.path, entry.name)
