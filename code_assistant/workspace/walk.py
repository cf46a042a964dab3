"""Walking folders in the order of their paths, without what is ignored or hidden, never through symbolic links."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from code_assistant.workspace.ignore import IgnoreRules, rules_above
from code_assistant.workspace.threads import StopFlag
from code_assistant.workspace.walked_folder import Entry, WalkedFolder

GIT_FOLDER = ".git"


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

    def entries(self, folder: WalkedFolder, rules: IgnoreRules) -> tuple[list[Entry], IgnoreRules]:
        """What is in a folder, sorted by name, and the rules that hold in it; they can be looked at while it is open.

        Whoever opened the folder closes it.
        """
        self.flag.check()
        try:
            found = folder.entries()
        except OSError:
            self.unreadable.append(folder.path)
            return [], rules
        if not self.include_ignored:
            rules = rules.entering(folder.path, [entry.name for entry in found if entry.name.startswith(".")])
        kept = [entry for entry in found if entry.name != GIT_FOLDER]
        if self.is_hidden is not None:
            found, kept = kept, [entry for entry in kept if not _hidden(entry, self.is_hidden)]
            self.hidden += len(found) - len(kept)
        if rules.chain:
            found, kept = kept, [entry for entry in kept if not _ignored(entry, rules)]
            self.ignored += len(found) - len(kept)
        return kept, rules

    def files(self, root: Path) -> Iterator[Entry]:
        """All regular files below a folder, in the order of their paths; each can be looked at until the next."""
        stack = [self._opened(str(root), self.rules_for(root))]
        try:
            while stack:
                folder, entries, rules = stack[-1]
                for entry in entries:
                    if entry.is_folder:
                        folder.close()
                        stack.append(self._opened(entry.path, rules))
                        break
                    if entry.is_file:
                        yield entry
                else:
                    folder.close()
                    stack.pop()
        finally:
            for folder, _, _ in stack:
                folder.close()

    def _opened(self, path: str, rules: IgnoreRules) -> tuple[WalkedFolder, Iterator[Entry], IgnoreRules]:
        folder = WalkedFolder(path)
        entries, inner = self.entries(folder, rules)
        return folder, iter(entries), inner


def _hidden(entry: Entry, is_hidden: Callable[[Path], bool]) -> bool:
    """Also a link to what is hidden: where it leads would tell the name."""
    return is_hidden(Path(entry.path)) or (entry.is_link and is_hidden(entry.real_path()))


def _ignored(entry: Entry, rules: IgnoreRules) -> bool:
    if entry.is_folder:
        return rules.ignores(entry.path + "/", entry.name + "/")
    return rules.ignores(entry.path, entry.name)
