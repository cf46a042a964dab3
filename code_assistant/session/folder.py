"""The folder of one session: which files it has, and what they are called."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from code_assistant.private_files import make_private_folder
from code_assistant.session.regular_files import require_folder, require_regular

SESSION_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_PLAIN_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")
AGENT_FILE_ENDING = ".jsonl"


@dataclass(frozen=True, slots=True)
class SessionFolder:
    path: Path

    @property
    def main_file(self) -> Path:
        return self.path / "session.jsonl"

    @property
    def view_file(self) -> Path:
        return self.path / "view.jsonl"

    @property
    def lock_file(self) -> Path:
        return self.path / "lock"

    @property
    def agents(self) -> Path:
        return self.path / "agents"

    @property
    def checkpoints(self) -> Path:
        return self.path / "checkpoints"

    def agent_file(self, tool_call_id: str) -> Path:
        """Named after the tool call; where a file cannot have that name, after a hash of it."""
        is_plain = _PLAIN_ID.fullmatch(tool_call_id) is not None
        stem = tool_call_id if is_plain else f"call-{hashlib.sha256(tool_call_id.encode()).hexdigest()}"
        return self.agents / f"{stem}{AGENT_FILE_ENDING}"

    def agent_files(self) -> list[Path]:
        """All that are there; a link is none of ours, nor is what stands behind one."""
        return [path for path in self._named_as_agents() if path.is_file() and not path.is_symlink()]

    def require_own_files(self) -> None:
        """Raises WorkspaceError where a link would lead our reading and writing to wherever somebody likes.

        A pipe or the like in the place of a file is refused, too.
        """
        for folder in (self.path, self.agents, self.checkpoints):
            require_folder(folder)
        for path in (self.main_file, self.view_file, self.lock_file, *self._named_as_agents()):
            require_regular(path)

    def _named_as_agents(self) -> list[Path]:
        if self.agents.is_symlink():
            return []
        return sorted(self.agents.glob(f"*{AGENT_FILE_ENDING}"))

    def make(self) -> None:
        """From the outside in; raises WorkspaceError where it cannot be made, or is a link."""
        make_private_folder(self.path.parent.parent)
        make_private_folder(self.path.parent)
        make_private_folder(self.path)
        make_private_folder(self.agents)
