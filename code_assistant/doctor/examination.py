"""All checks, one after the other; what asks the network does so at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from code_assistant.config.folder_trust import FolderTrust
from code_assistant.config.load import LoadedSettings
from code_assistant.config.paths import config_folder, state_folder
from code_assistant.doctor.finding import Finding, note, problem
from code_assistant.doctor.folders import check_config_folder, check_state_folder
from code_assistant.doctor.keys import check_keyring, check_keys
from code_assistant.doctor.local_servers import check_local_servers
from code_assistant.doctor.program import check_git, check_program, check_ripgrep
from code_assistant.doctor.sandbox import check_sandbox
from code_assistant.doctor.service import Service, check_model, check_service
from code_assistant.doctor.settings import check_models, check_settings
from code_assistant.doctor.terminal import TerminalFacts, check_terminal
from code_assistant.doctor.themes import ThemesSeen, check_themes
from code_assistant.doctor.trust import check_trust
from code_assistant.errors import AssistantError
from code_assistant.llm.model import Provider


@dataclass(frozen=True, slots=True)
class SetUp:
    """What is examined. `see_themes` looks at the themes, which belong to the screen.

    `trust` is what the person has said of the folder in this run; without it only what is kept counts.
    `is_without_sandbox` when this run has none, whatever the settings say.
    """

    environ: Mapping[str, str]
    folder: Path
    terminal: TerminalFacts
    see_themes: Callable[[Path], ThemesSeen]
    trust: FolderTrust | None = None
    is_without_sandbox: bool = False


@dataclass(frozen=True, slots=True)
class _Seen:
    """What was found without the network, before and after what is found with it, and whom to ask there."""

    before: tuple[Finding, ...]
    after: tuple[Finding, ...]
    service: Service | None
    providers: Mapping[str, Provider]


async def examine(setup: SetUp) -> tuple[Finding, ...]:
    """Whatever is broken is a finding; nothing of it keeps the other checks from being made."""
    try:
        config, state = config_folder(setup.environ), state_folder(setup.environ)
    except AssistantError as error:
        return check_program(), problem("home", error.person)
    seen = await asyncio.to_thread(_look, setup, config, state)
    asked, local = await asyncio.gather(_ask(seen.service), check_local_servers(seen.providers))
    return (*seen.before, *asked, *local, *seen.after)


async def _ask(service: Service | None) -> tuple[Finding, ...]:
    return (await check_service(service),) if service is not None else ()


def _look(setup: SetUp, config: Path, state: Path) -> _Seen:
    environ = setup.environ
    trust = setup.trust or FolderTrust(setup.folder, environ)
    project = trust.project
    settings, loaded = check_settings(environ, config, project)
    models, catalogue = check_models(environ, config, project)
    variables = [each.key_variable for each in catalogue.providers.values() if each.key_variable]
    keys, credentials = check_keys(environ, config, variables)
    if loaded is not None and credentials is not None:
        model, service = check_model(loaded, catalogue, credentials, state)
    else:
        model, service = note("model", "not looked at: what is wrong above comes first."), None
    theme = loaded.settings.screen.theme if loaded is not None else None
    return _Seen(
        before=(check_program(), *check_trust(trust), *settings, *models, *keys, check_keyring(), model),
        after=(
            *check_config_folder(config),
            check_state_folder(state),
            check_git(environ),
            check_ripgrep(setup.folder),
            check_sandbox(turned_off_by=_turns_sandbox_off(setup, loaded)),
            *check_terminal(environ, setup.terminal),
            *check_themes(setup.see_themes(config), theme),
        ),
        service=service,
        providers=catalogue.providers,
    )


def _turns_sandbox_off(setup: SetUp, loaded: LoadedSettings | None) -> str:
    if setup.is_without_sandbox:
        return "--no-sandbox"
    return "" if loaded is None or loaded.settings.sandbox.enabled else "sandbox.enabled"
