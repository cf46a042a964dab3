"""What the tools of a session work with: the gate, commands and their sandbox, checkpoints, folders of its own."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from code_assistant.checkpoints.checkpoints import Checkpoints
from code_assistant.config.paths import config_folder, home_folder, state_folder
from code_assistant.permissions.gate import Gate
from code_assistant.permissions.person import Person
from code_assistant.permissions.rule_book import RuleBook
from code_assistant.sandbox_kind import SandboxKind
from code_assistant.secrets import Masker
from code_assistant.session.files import SessionFiles
from code_assistant.session_plan import SessionPlan
from code_assistant.tools.services import ToolServices
from code_assistant.workspace.commands.environment import command_environment
from code_assistant.workspace.commands.sandbox.hidden import moved_places
from code_assistant.workspace.commands.sandbox.sandbox import Grounds, Sandbox
from code_assistant.workspace.commands.supervisor import Supervisor
from code_assistant.workspace.commands.table import Commands
from code_assistant.workspace.spill import SpillFolder
from code_assistant.workspace.workspace import Workspace

NO_SANDBOX_HERE = (
    "There is no sandbox here: commands of agents can do all that you can, so read each before you allow it. "
    "Install bubblewrap; `code-assistant doctor` says more."
)


def session_services(
    plan: SessionPlan, workspace: Workspace, rules: RuleBook, person: Person, files: SessionFiles
) -> ToolServices:
    environ = plan.environ
    spill = SpillFolder.of_this_process(state_folder(environ) / "spill", files.masker)
    mode, own_folders = plan.arguments.permission_mode, tuple(_resolved(each) for each in _own_folders(environ))
    supervisor = Supervisor(command_environment(environ, plan.credentials.secrets()))
    return ToolServices(
        workspace=workspace,
        gate=Gate(person, rules, mode, readable=(spill.path,), own_folders=own_folders),
        person=person,
        spill=spill,
        publish=plan.channel.publish,
        commands=Commands(supervisor),
        masker=files.masker,
        checkpoints=_checkpoints(plan, files, workspace),
        sandbox=_sandbox(plan, workspace),
        is_trusted=plan.trust.is_trusted,
    )


def _own_folders(environ: Mapping[str, str]) -> tuple[Path, Path]:
    return config_folder(environ), state_folder(environ)


def _resolved(folder: Path) -> Path:
    return Path(os.path.realpath(folder))


def _checkpoints(plan: SessionPlan, files: SessionFiles, workspace: Workspace) -> Checkpoints:
    return Checkpoints(
        files.folder.checkpoints,
        is_inside=workspace.contains,
        outermost=state_folder(plan.environ),
        turns=plan.reopened.past.all_prompts() if plan.reopened is not None else (),
        show=workspace.show,
    )


def _sandbox(plan: SessionPlan, workspace: Workspace) -> Sandbox:
    state = state_folder(plan.environ)

    def tell(kind: SandboxKind) -> None:
        if kind == "none" and plan.wants_sandbox:
            plan.warn(NO_SANDBOX_HERE)

    grounds = Grounds(
        folders=workspace.folders,
        home=_resolved(home_folder(plan.environ)),
        own_folders=_own_folders(plan.environ),
        others=workspace.writable,
        private=moved_places(plan.environ),
        has_network=plan.settings.sandbox.network,
    )
    temporary = SpillFolder.of_this_process(state / "scratch", Masker(()))
    return Sandbox(grounds, temporary, state / "stand-ins", is_wanted=plan.wants_sandbox, tell=tell)
