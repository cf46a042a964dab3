"""What tools work with, put together for tests and benchmarks: a folder, rules, and somebody or nobody to ask."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from code_assistant.checkpoints.checkpoints import Checkpoints
from code_assistant.events import Event
from code_assistant.permissions.broker import Broker
from code_assistant.permissions.gate import Gate
from code_assistant.permissions.modes import PermissionMode
from code_assistant.permissions.path_patterns import Anchors
from code_assistant.permissions.person import NobodyThere, Person
from code_assistant.permissions.rule_book import RuleBook
from code_assistant.tools.services import ToolServices
from code_assistant.workspace.commands.environment import command_environment
from code_assistant.workspace.commands.supervisor import Supervisor
from code_assistant.workspace.commands.table import Commands
from code_assistant.workspace.spill import SpillFolder
from code_assistant.workspace.workspace import Workspace


@dataclass(frozen=True)
class Surroundings:
    services: ToolServices
    broker: Broker


def surroundings(
    folder: Path,
    publish: Callable[[Event], None] = lambda _: None,
    *,
    person: Person | None = None,
    asks_broker: bool = False,
    mode: PermissionMode = "ask",
    allow: Sequence[str] = (),
    deny: Sequence[str] = (),
    ask: Sequence[str] = (),
    checkpoints: Checkpoints | None = None,
) -> Surroundings:
    """Nobody is there, unless a person is given or the broker is asked, whose prompts the test then answers."""
    workspace = Workspace(folder)
    rules = RuleBook(Anchors(workspace.root, workspace.folders, Path.home()), allow, deny, ask)
    broker = Broker(publish, rules)
    who = broker if asks_broker else person or NobodyThere()
    spill = SpillFolder(Path(tempfile.gettempdir()) / "code-assistant-tests" / uuid4().hex)
    services = ToolServices(
        workspace=workspace,
        gate=Gate(who, rules, mode, readable=(spill.path,)),
        person=who,
        spill=spill,
        publish=publish,
        commands=Commands(Supervisor(command_environment(os.environ))),
        checkpoints=checkpoints,
    )
    return Surroundings(services, broker)
