"""What the screen is started with, and what it gets once the session behind it is ready."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from code_assistant.permissions.modes import PermissionMode
from code_assistant.secrets import Masker

if TYPE_CHECKING:
    from code_assistant.agent.session import Session
    from code_assistant.channel import Subscription
    from code_assistant.doctor.finding import Finding
    from code_assistant.events import TodoItem
    from code_assistant.messages import Image, Usage
    from code_assistant.session.past import Past
    from code_assistant.session.search import Found
    from code_assistant.session.summary import SessionSummary


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """`key_variable` is the variable whose key is missing for it; empty where none is."""

    name: str
    detail: str
    key_variable: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeyChoice:
    """A service that a key can be entered for, and the model to begin with then."""

    variable: str
    title: str
    model: str


def _learn_nothing(_variable: str, _key: str) -> None:
    """For sessions that need no key."""


@dataclass(frozen=True, slots=True)
class SoFar:
    """What a session that is taken up again has used, and what was still to do in it."""

    usage: Usage
    cost: float | None
    todo: tuple[TodoItem, ...]


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """A session that is running, and what the frame says about it.

    `needs_setup` is whether its model is a makeshift, because no other one can be reached yet. `offline` is the
    model that needs nothing, `suggestion` what to ask it first. `look_for_local` asks servers on this machine.
    `learn_key` takes a key by its variable, for models that are chosen from then on. `wanted_soon` are modules that
    the first answer may need, to be loaded while nobody waits.
    """

    session: Session
    events: Subscription
    model: str
    context_window: int
    models: tuple[ModelChoice, ...] = ()
    notices: tuple[str, ...] = ()
    needs_setup: bool = False
    keys: tuple[KeyChoice, ...] = ()
    offline: ModelChoice | None = None
    suggestion: str = ""
    providers: tuple[str, ...] = ()
    look_for_local: Callable[[], Awaitable[tuple[ModelChoice, ...]]] | None = None
    learn_key: Callable[[str, str], None] = _learn_nothing
    so_far: SoFar | None = None
    wanted_soon: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileLines:
    """Some lines of a file as they are now, the first of which has the number `first`.

    `shown` is how people name the file. `total` is how many lines it has, None where it is too long to be counted.
    """

    shown: str
    first: int
    lines: tuple[str, ...]
    total: int | None


# Kept, for this run only, or to work without it.
TrustAnswer: TypeAlias = Literal["keep", "once", "without"]


@dataclass(frozen=True, slots=True)
class TrustQuestion:
    """A folder of which nothing may count yet. `parts` are what would, by kind and name.

    `changed` are those that are not as they were when it was trusted, `problems` what keeps it from being trusted.
    `is_first` while nothing at all was read of it.
    """

    root: str
    parts: tuple[tuple[str, tuple[str, ...]], ...]
    changed: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    is_first: bool = True


@dataclass(frozen=True, slots=True)
class TrustDecided:
    """What comes of an answer: the branch, where it may be known, and what else is to be said."""

    branch: str | None
    notice: str


@dataclass(frozen=True, slots=True)
class HeldPast:
    """A session that this program holds, to go on with it: what stands in it, and what only the backstage knows.

    Whoever has one hands it to `open_session`, or lets it go.
    """

    past: Past
    hold: object
    release: Callable[[], None]


class Backstage(Protocol):
    """What the screen needs from the rest of the program. All of it may take long, so none of it is on the key path."""

    async def open_session(
        self, mode: PermissionMode, model: str | None, held: HeldPast | None = None
    ) -> OpenedSession:
        """The session that is held, which is let go where that fails, else a new one.

        Raises an AssistantError, in words for the person, when there is no key or something is set wrongly.
        """
        ...

    async def sessions(self) -> Sequence[SessionSummary]:
        """All earlier sessions, the one that was changed last first."""
        ...

    async def search_sessions(self, words: str) -> Sequence[Found]:
        """What was said with these words in all sessions, sub-agents included, the newest first."""
        ...

    async def open_past(self, wanted: str, *, is_fork: bool = False) -> HeldPast:
        """Take a session, or a copy of it, to go on with it; raises SessionInUse or another AssistantError."""
        ...

    async def read_past(self, session_id: str) -> Past:
        """What stands in a session, whoever has it open."""
        ...

    async def export_past(self, session_id: str, form: Literal["md", "html"], target: str) -> Path:
        """Write a session to a file, or into the working folder where no target is named; raises an AssistantError."""
        ...

    async def fork_past(self, session_id: str, before: str | None) -> str:
        """Copy a session up to a prompt, or whole; gives the id of the copy."""
        ...

    async def check_setup(self) -> Sequence[Finding]:
        """What is in order and what is not; asks the network, and may be cancelled."""
        ...

    @property
    def is_trusted(self) -> bool:
        """Whether what lies in the folder counts: its settings, instructions, git."""
        ...

    async def trust_question(self) -> TrustQuestion | None:
        """What is to be asked of the folder; None where it is trusted."""
        ...

    async def trust_contents(self) -> Sequence[tuple[str, Sequence[str]]]:
        """What stands in all that would become active: headings with their lines. Reads it, as data."""
        ...

    async def decide_trust(self, answer: TrustAnswer) -> TrustDecided:
        """What the person has said of the folder; raises an AssistantError where it cannot be trusted."""
        ...

    def list_files(self) -> Sequence[str]:
        """The files of the workspace that may be mentioned; blocks, so it is called in a thread."""
        ...

    def keep_key(self, variable: str, key: str) -> str:
        """Keep a key for good; gives where, in words. Blocks; raises an AssistantError where that fails."""
        ...

    def remember_model(self, name: str) -> None:
        """Begin with this model from the next start on, unless a setting says otherwise; blocks."""
        ...

    async def changed_files(self) -> int | None:
        """How many files of the repository differ from its last commit; None where that is not known."""
        ...

    def read_image(self, path: str) -> Image | None:
        """An image that the person named by its path, None for what is none; blocks."""
        ...

    def mentioned_images(self, text: str) -> tuple[tuple[Image, ...], tuple[str, ...]]:
        """The images of the workspace that a text mentions, and what is to be said about others; blocks."""
        ...

    def read_lines(self, path: str, first: int, last: int) -> FileLines:
        """Lines of a file of the workspace, with some around them; blocks.

        Raises an AssistantError, in words for the person, when there is no such line, or it may not be read.
        """
        ...


@dataclass(frozen=True, slots=True)
class Start:
    """Known before the first frame. `further_untrusted` are folders where commands, too, could have put a program."""

    folder: Path
    masker: Masker
    mode: PermissionMode
    model: str
    theme: str
    state_folder: Path
    themes_folder: Path
    own_themes_folder: Path
    branch: str | None = None
    ansi_color: bool | None = None
    keys: dict[str, str] = field(default_factory=dict[str, str])
    warnings: tuple[str, ...] = ()
    collapse_finished_agents: bool = True
    resume: str | None = None
    fork: bool = False
    trust: TrustQuestion | None = None
    further_untrusted: tuple[Path, ...] = ()
    key_variables: tuple[str, ...] = ()

    @property
    def untrusted(self) -> tuple[Path, ...]:
        """Where no program is taken from."""
        return (self.folder, *self.further_untrusted)
