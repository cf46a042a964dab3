"""Where it leads to follow a link, to open a block, to click a part of a line."""

from __future__ import annotations

from collections.abc import Awaitable
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from code_assistant.tui.rendering.agent_header import agent_of
from code_assistant.tui.rendering.references import place_of
from code_assistant.tui.transcript.blocks import AnswerBlock, Block
from code_assistant.tui.widgets.transcript_view import TranscriptView

if TYPE_CHECKING:
    from code_assistant.tui.agents.screens import AgentScreens
    from code_assistant.tui.dialogues import Dialogues
    from code_assistant.tui.file_opener import FileOpener
    from code_assistant.tui.sending import Sender

# What parts of the lines do when they are clicked; hints go by the names of their keys.
PART_ACTIONS = {
    "waiting": "oldest_prompt",
    "running": "show_agents",
    "interrupt": "escape",
    "details": "details",
    "palette": "command_palette",
    "agents": "show_agents",
    "mode": "press_mode",
    "help": "show_keys",
}


class OpeningHost(Protocol):
    """What opening asks of the app."""

    file_opener: cached_property[FileOpener]
    agent_screens: cached_property[AgentScreens]
    dialogues: cached_property[Dialogues]
    sender: cached_property[Sender]

    def run_worker(self, work: Awaitable[None], *, group: str, exit_on_error: bool) -> object: ...
    async def run_action(self, action: str) -> object: ...


def follow_link(host: OpeningHost, address: str) -> None:
    """Links lead into the web, to lines of a file, or to an agent."""
    if (place := place_of(address)) is not None:
        host.file_opener.open(place)
    elif (agent := agent_of(address)) is not None:
        host.agent_screens.open(host.agent_screens.records.get(agent))
    else:
        host.dialogues.confirm_link(address)


def open_block(host: OpeningHost, view: TranscriptView, block: Block) -> None:
    """What there is to see of a block beside itself; else it is unfolded."""
    record = host.agent_screens.records.get(block.id)
    if record is not None:
        host.agent_screens.open(record)
    elif not isinstance(block, AnswerBlock) or not host.file_opener.choose(block.source):
        view.toggle(block)


async def press_part(host: OpeningHost, part: str) -> None:
    """Parts of the lines that can be clicked."""
    match part:
        case "model":
            host.run_worker(host.dialogues.choose_model(""), group="commands", exit_on_error=False)
        case "queue":
            host.sender.take_back()
        case _ if part in PART_ACTIONS:
            await host.run_action(PART_ACTIONS[part])
        case _:
            pass
