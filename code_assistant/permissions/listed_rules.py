"""Rules as people are shown them, and where the person can keep one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

RuleList: TypeAlias = Literal["deny", "ask", "allow"]
# What is in the first of these that has a match decides.
RULE_LISTS: tuple[RuleList, ...] = get_args(RuleList)
# For this session only; kept for the folder that the person works in; kept for all folders.
RulePlace: TypeAlias = Literal["session", "folder", "everywhere"]
RULE_PLACES: tuple[RulePlace, ...] = get_args(RulePlace)

COMMAND_LINE = "command line"
THIS_SESSION = "this session"
SETTINGS = "config.toml"
KEPT_HERE = "permissions.json, this folder"
KEPT_EVERYWHERE = "permissions.json"
KEPT = (KEPT_HERE, KEPT_EVERYWHERE)


@dataclass(frozen=True, slots=True)
class ListedRule:
    """`source` is where it comes from: a file, the command line, this session, or the agent that it is for alone.

    `matched` is how often it decided something in this session, `last` what that was the last time.
    """

    id: str
    list: RuleList
    text: str
    source: str
    matched: int = 0
    last: str = ""
    for_agent: bool = False

    @property
    def can_be_changed(self) -> bool:
        return self.is_of_session or self.source in KEPT

    @property
    def is_of_session(self) -> bool:
        return self.for_agent or self.source == THIS_SESSION
