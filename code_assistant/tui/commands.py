"""Every slash command, declared once: completion, help, palette and documents come from this table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from code_assistant.tui.composer.draft import Draft

if TYPE_CHECKING:
    from code_assistant.tui.agents.screens import AgentScreens
    from code_assistant.tui.dialogues import Dialogues
    from code_assistant.tui.past.past_desk import PastDesk
    from code_assistant.tui.sending import Sender

INIT_PROMPT = (
    "Look at this code base and write an AGENTS.md at its root (or improve the one that is there): what it is, how it "
    "is built, run and tested (exact commands), how it is laid out, and the conventions that a newcomer would break. "
    "Only what you have seen in the files; short, and nothing obvious."
)


class Host(Protocol):
    """What commands can ask of the app."""

    dialogues: cached_property[Dialogues]
    agent_screens: cached_property[AgentScreens]
    sender: cached_property[Sender]
    past: cached_property[PastDesk]

    async def start_over(self) -> None: ...
    async def leave(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Command:
    """`argument` is how its argument is written in help and completion; empty where it takes none.

    What is for any time can be done before the folder is trusted or not: it has nothing to do with it.
    """

    name: str
    help: str
    run: Callable[[Host, str], Awaitable[None] | None]
    argument: str = ""
    aliases: tuple[str, ...] = ()
    is_for_any_time: bool = False


COMMANDS: tuple[Command, ...] = (
    Command("help", "commands and keys", lambda host, _: host.dialogues.show_help(), "", ("?",), True),
    Command("model", "choose the model", lambda host, name: host.dialogues.choose_model(name), "[name]"),
    Command("theme", "choose the colours", lambda host, name: host.dialogues.choose_theme(name), "[name]", (), True),
    Command(
        "agents", "all agents; cancel ends them all", lambda host, words: host.agent_screens.run(words), "[cancel]"
    ),
    Command("permissions", "the mode, the rules in force", lambda host, _: host.dialogues.show_permissions()),
    Command(
        "trust",
        "whether this folder is trusted",
        lambda host, _: host.dialogues.trusting.ask_again(),
        is_for_any_time=True,
    ),
    Command("compact", "make the conversation shorter", lambda host, focus: host.sender.compact(focus), "[focus]"),
    Command("context", "what fills the model's window", lambda host, _: host.dialogues.show_context()),
    Command("cost", "tokens and cost of this session", lambda host, _: host.dialogues.show_cost()),
    Command("doctor", "check the set-up", lambda host, _: host.dialogues.show_doctor()),
    Command("copy", "copy the last answer", lambda host, _: host.dialogues.copy_answer()),
    Command("init", "write an AGENTS.md for this code", lambda host, _: host.sender.send(Draft(INIT_PROMPT))),
    Command(
        "resume",
        "go on with an earlier conversation; words: search them all",
        lambda host, words: host.past.conversations.resume(words),
        "[id|words]",
    ),
    Command(
        "rename", "give this conversation a name", lambda host, words: host.past.conversations.rename(words), "name"
    ),
    Command("fork", "go on in a copy of this conversation", lambda host, _: host.past.conversations.make_copy()),
    Command("rewind", "go back to an earlier message", lambda host, _: host.past.rewinding.choose()),
    Command("undo", "take back the last changes to files", lambda host, _: host.past.files.undo()),
    Command("diff", "what this conversation changed", lambda host, _: host.past.files.show()),
    Command(
        "export",
        "write this conversation to a file",
        lambda host, words: host.past.conversations.export(words),
        "[md|html|file]",
    ),
    Command("new", "begin a new conversation", lambda host, _: host.start_over(), aliases=("clear",)),
    Command("quit", "leave", lambda host, _: host.leave(), "", ("exit",), True),
)
# Part of the product, and not there yet: refused by name.
LATER = ("mcp",)


def find(text: str) -> tuple[Command | None, str, str]:
    """The command that a line names, its name as written, and its argument."""
    name, _, argument = text.removeprefix("/").strip().partition(" ")
    found = next((each for each in COMMANDS if name.lower() in (each.name, *each.aliases)), None)
    return found, name, argument.strip()


def unknown_words(name: str) -> str:
    from difflib import get_close_matches

    if name.lower() in LATER:
        return f"/{name} is not available yet; the README lists what is still missing."
    near = get_close_matches(name.lower(), [each.name for each in COMMANDS], 1)
    hint = f"Did you mean /{near[0]}?" if near else "Type / to see all commands."
    return f"There is no command /{name}. {hint}"
