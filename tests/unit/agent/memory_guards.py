"""What memory files may bring in, as tests want it."""

from __future__ import annotations

from pathlib import Path

from code_assistant.agent.memory_guard import MemoryGuard
from code_assistant.permissions.gate import Gate
from code_assistant.permissions.modes import PermissionMode
from code_assistant.permissions.path_patterns import Anchors
from code_assistant.permissions.person import NobodyThere
from code_assistant.permissions.rule_book import RuleBook
from code_assistant.secrets import Masker
from code_assistant.workspace.workspace import Workspace


def memory_guard(
    folder: Path,
    config: Path,
    *,
    home: Path,
    extra: tuple[Path, ...] = (),
    deny: tuple[str, ...] = (),
    ask: tuple[str, ...] = (),
    allow: tuple[str, ...] = (),
    mode: PermissionMode = "ask",
    secrets: tuple[str, ...] = (),
) -> MemoryGuard:
    workspace = Workspace(folder, extra)
    rules = RuleBook(Anchors(workspace.root, workspace.folders, home), allow, deny, ask)
    gate = Gate(NobodyThere(), rules, mode, own_folders=(config,))
    return MemoryGuard(gate, workspace, config, Masker(secrets))
