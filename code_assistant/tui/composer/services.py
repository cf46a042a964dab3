"""What the composer is given by the program around it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from code_assistant.messages import Image
from code_assistant.tui.commands import COMMANDS
from code_assistant.tui.composer.external_editor import editor_environment
from code_assistant.tui.composer.input_history import InputHistory
from code_assistant.tui.start import Backstage, Start


@dataclass(frozen=True, slots=True)
class CommandHint:
    """A slash command: its name without the slash, what it does, and what may follow it."""

    name: str
    help: str = ""
    argument: str = ""


def _no_image(path: str) -> Image | None:
    return None


@dataclass(frozen=True, slots=True)
class ComposerServices:
    """`list_files` and `read_image` may take their time: they are called in threads.

    `list_files` gives paths as they are to be written after an @, folders with a slash at their end. `read_image`
    gives None for what is no image file and raises an AssistantError for an image that cannot be used. No editor is
    taken from `untrusted` folders; `editor_environment` makes its environment from ours.
    """

    commands: Callable[[], Sequence[CommandHint]]
    list_files: Callable[[], Sequence[str]]
    has_queue: Callable[[], bool]
    history: InputHistory
    draft_file: Path | None = None
    read_image: Callable[[str], Image | None] = _no_image
    clock: Callable[[], float] = time.monotonic
    untrusted: tuple[Path, ...] = ()
    editor_environment: Callable[[Mapping[str, str]], Mapping[str, str]] = dict


def composer_services(
    start: Start, backstage: Backstage, has_queue: Callable[[], bool], clock: Callable[[], float]
) -> ComposerServices:
    return ComposerServices(
        commands=lambda: [CommandHint(each.name, each.help, each.argument) for each in COMMANDS],
        list_files=backstage.list_files,
        has_queue=has_queue,
        history=InputHistory(start.state_folder / "history.jsonl", start.masker.mask_for_storage),
        draft_file=start.state_folder / "drafts" / f"{_name_of(start.folder)}.json",
        read_image=backstage.read_image,
        clock=clock,
        untrusted=start.untrusted,
        editor_environment=lambda environ: editor_environment(environ, start.key_variables, start.masker),
    )


def _name_of(folder: Path) -> str:
    """A name for a file that belongs to a folder: two programs in two folders do not share a draft."""
    from hashlib import sha256

    return sha256(str(folder).encode("utf-8", "surrogateescape")).hexdigest()[:32]
