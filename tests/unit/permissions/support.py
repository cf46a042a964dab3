"""What the tests of permission share: a made-up workspace, and requests as tools would make them."""

from __future__ import annotations

from pathlib import Path

from code_assistant.events import Origin
from code_assistant.permissions.access import Access, CommandAccess, EditAccess, FetchAccess, Place, ReadAccess
from code_assistant.permissions.approver import PermissionRequest
from code_assistant.permissions.path_patterns import Anchors
from code_assistant.permissions.rule_book import RuleBook
from code_assistant.permissions.rules import Rule

ROOT = Path("/ws")
EXTRA = Path("/extra")
HOME = Path("/home/me")
FOLDERS = (ROOT, EXTRA)
ANCHORS = Anchors(ROOT, FOLDERS, HOME)


def agent(agent_id: str) -> Origin:
    return Origin(agent_id, agent_id, 1 if agent_id == "main" else 2)


def place(path: str, named: str | None = None) -> Place:
    """A path that counts from the workspace's root, and the name it was asked for by, where that is another one."""
    real = ROOT / path
    folder = next((each for each in FOLDERS if real.is_relative_to(each)), None)
    return Place(real, ROOT / named if named is not None else real, folder)


def request(tool_name: str, access: Access, agent_id: str = "main") -> PermissionRequest:
    return PermissionRequest(agent(agent_id), "call", tool_name, access, "do something")


def read(path: str, named: str | None = None, tool_name: str = "read_files") -> PermissionRequest:
    return request(tool_name, ReadAccess(place(path, named)))


def edit(path: str, named: str | None = None, tool_name: str = "edit") -> PermissionRequest:
    return request(tool_name, EditAccess((place(path, named),)))


def edit_all(*paths: str) -> PermissionRequest:
    return request("edit", EditAccess(tuple(map(place, paths))))


def delete(path: str) -> PermissionRequest:
    return request("delete_files", EditAccess((place(path),), deletes=True))


def command(text: str, agent_id: str = "main") -> PermissionRequest:
    return request("execute_command", CommandAccess(text), agent_id)


def fetch(host: str, agent_id: str = "main") -> PermissionRequest:
    return request("web_fetch", FetchAccess(host), agent_id)


def proposed_one(book: RuleBook, asked: PermissionRequest) -> Rule | None:
    """What "always" would store, where that is one rule at most."""
    rules = book.proposed(asked)
    assert len(rules) <= 1
    return rules[0] if rules else None
