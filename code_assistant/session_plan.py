"""What is known of a session before it is built: what was asked for, where, by whom, and what it goes on from."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from code_assistant.channel import Channel
from code_assistant.cli import Arguments
from code_assistant.config.credentials import Credentials
from code_assistant.config.folder_trust import FolderTrust
from code_assistant.config.load import LoadedSettings, load_settings
from code_assistant.config.paths import config_folder
from code_assistant.config.project_files import ProjectFiles
from code_assistant.config.settings import Settings
from code_assistant.events import MAIN, Notice

if TYPE_CHECKING:
    from code_assistant.resuming.reopening import Reopened
    from code_assistant.tapes import Tape

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """`reopened` is the session that it goes on with, None for a new one."""

    arguments: Arguments
    environ: Mapping[str, str]
    channel: Channel
    trust: FolderTrust
    loaded: LoadedSettings
    credentials: Credentials
    tape: Tape | None
    reopened: Reopened | None
    is_person_there: bool

    @property
    def settings(self) -> Settings:
        return self.loaded.settings

    @property
    def project(self) -> ProjectFiles:
        return self.trust.project

    @property
    def wants_sandbox(self) -> bool:
        return self.settings.sandbox.enabled and not self.arguments.no_sandbox

    def warn(self, words: str) -> None:
        """Tell whoever listens to the session what is wrong."""
        self.channel.publish(Notice(MAIN, "warning", words))


def plan_session(
    arguments: Arguments,
    environ: Mapping[str, str],
    channel: Channel,
    trust: FolderTrust,
    *,
    is_person_there: bool = False,
    tape: Tape | None = None,
    reopened: Reopened | None = None,
) -> SessionPlan:
    """Reads settings and keys. Raises an AssistantError for what is wrong with them."""
    flags = {"model": arguments.model, "limits.max_turns": arguments.max_turns}
    loaded = load_settings(environ=environ, project=trust.project, config_folder=config_folder(environ), flags=flags)
    logger.debug("%s from %s", loaded.settings, loaded.sources)
    credentials = Credentials.from_environ(environ)
    return SessionPlan(arguments, environ, channel, trust, loaded, credentials, tape, reopened, is_person_there)
