"""Rules that the person adds, changes, deletes and keeps while a session runs; they count from the next request on."""

from __future__ import annotations

import asyncio
from pathlib import Path

from code_assistant.config.kept_rules import KeptRules
from code_assistant.errors import UsageError
from code_assistant.permissions.listed_rules import (
    KEPT,
    KEPT_EVERYWHERE,
    KEPT_HERE,
    THIS_SESSION,
    ListedRule,
    RuleList,
    RulePlace,
)
from code_assistant.permissions.rule_book import RuleBook

SOURCES: dict[RulePlace, str] = {"session": THIS_SESSION, "folder": KEPT_HERE, "everywhere": KEPT_EVERYWHERE}
GONE = "This rule is no longer there."


class RuleKeeping:
    """What is kept is written first: a rule counts only where it will be found again. `folder` is a real path."""

    def __init__(self, book: RuleBook, kept: KeptRules, folder: Path) -> None:
        self._book = book
        self._kept = kept
        self._folder = folder
        # Two changes at once would each count with what the other has not written yet.
        self._lock = asyncio.Lock()

    def problem(self, text: str) -> str:
        """Why a text is no rule; empty where it is one."""
        try:
            self._book.parse(text)
        except UsageError as error:
            return error.person
        return ""

    async def add(self, text: str, rule_list: RuleList, place: RulePlace) -> ListedRule:
        """Raises UsageError for what is no rule, UsageError or WorkspaceError where it cannot be written down."""
        rule = self._book.parse(text)
        async with self._lock:
            if place != "session":
                await asyncio.to_thread(self._kept.add, rule_list, rule.text, self._folder_of(SOURCES[place]))
            return self._book.add(rule_list, rule, SOURCES[place])

    async def remove(self, rule_id: str) -> None:
        """Raises UsageError for a rule that is gone, or that stands in a file which is the person's to edit."""
        async with self._lock:
            listed = self._ours(rule_id)
            if listed.source in KEPT:
                await asyncio.to_thread(self._kept.remove, listed.list, listed.text, self._folder_of(listed.source))
            self._book.remove(rule_id)

    async def change(self, rule_id: str, text: str) -> None:
        """The same rule with another text. Raises UsageError for what is no rule, and as `remove` does."""
        rule = self._book.parse(text)
        async with self._lock:
            listed = self._ours(rule_id)
            if listed.source in KEPT:
                folder = self._folder_of(listed.source)
                await asyncio.to_thread(self._kept.replace, listed.list, listed.text, rule.text, folder)
            self._book.replace(rule_id, rule)

    async def keep(self, rule_id: str, place: RulePlace) -> ListedRule:
        """A rule of this session becomes one of the folder, or of all folders."""
        listed = self._listed(rule_id)
        if not listed.is_of_session or place == "session":
            raise UsageError(f"{listed.text} is no rule of this session alone.")
        kept = await self.add(listed.text, listed.list, place)
        self._book.remove(rule_id)
        return kept

    def _ours(self, rule_id: str) -> ListedRule:
        listed = self._listed(rule_id)
        if not listed.can_be_changed:
            raise UsageError(f"{listed.text} stands in {listed.source}. Change it there.")
        return listed

    def _listed(self, rule_id: str) -> ListedRule:
        found = self._book.find(rule_id)
        if found is None:
            raise UsageError(GONE)
        return found[0]

    def _folder_of(self, source: str) -> Path | None:
        return self._folder if source == KEPT_HERE else None
