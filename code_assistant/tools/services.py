"""What the tools of one agent work with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from code_assistant.checkpoints.checkpoints import Checkpoints
from code_assistant.events import Event
from code_assistant.permissions.gate import Gate
from code_assistant.permissions.person import Person
from code_assistant.secrets import Masker
from code_assistant.workspace.commands.sandbox.sandbox import Sandbox
from code_assistant.workspace.commands.table import Commands
from code_assistant.workspace.ledger import FileLedger
from code_assistant.workspace.spill import SpillFolder
from code_assistant.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ToolServices:
    """Workspace, gate, person, spill folder and checkpoints are the session's; ledger and commands the agent's own.

    Without checkpoints nothing that is changed can be taken back. The sandbox is the session's, too; without one
    commands run as they are. `is_read_only` for an agent that may change nothing, `is_trusted` where the folder is.
    """

    workspace: Workspace
    gate: Gate
    person: Person
    spill: SpillFolder
    publish: Callable[[Event], None]
    commands: Commands
    ledger: FileLedger = field(default_factory=FileLedger)
    masker: Masker = field(default_factory=lambda: Masker(()))
    checkpoints: Checkpoints | None = None
    sandbox: Sandbox | None = None
    is_read_only: bool = False
    is_trusted: bool = True
