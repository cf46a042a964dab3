"""Every key of the screen, declared once: the bindings, the help and the settings come from this table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from textual.binding import Binding


@dataclass(frozen=True, slots=True)
class Key:
    """`keys` are Textual's names, separated by commas; `place` is where it works."""

    id: str
    keys: str
    action: str
    help: str
    place: str = "anywhere"
    priority: bool = False


KEYS: tuple[Key, ...] = (
    Key("interrupt", "escape", "app.escape", "close what is open, else interrupt the turn"),
    Key(
        "stop",
        "ctrl+c",
        "app.stop",
        "copy a selection, else clear the input, else interrupt; twice: quit",
        priority=True,
    ),
    Key("quit", "ctrl+d", "app.quit_if_empty", "quit, when the input is empty"),
    Key("suspend", "ctrl+z", "app.suspend_process", "put the program into the background"),
    Key("mode", "shift+tab", "app.next_mode", "next mode: ask, accept-edits, plan", priority=True),
    Key("previous_block", "alt+up", "app.mark_block(-1)", "mark the block above", priority=True),
    Key("next_block", "alt+down", "app.mark_block(1)", "mark the block below", priority=True),
    Key("prompt", "f8", "app.oldest_prompt", "go to the oldest open prompt", priority=True),
    Key("next_part", "tab", "app.next_part", "to an open prompt, else to the next part of the screen"),
    Key("details", "ctrl+o", "app.details", "unfold or fold the details of all tools", priority=True),
    Key("palette", "ctrl+p", "app.command_palette", "all commands", priority=True),
    Key("agents", "ctrl+t", "app.show_agents", "all agents of this session", priority=True),
    Key("search", "ctrl+f", "app.search", "search the conversation", priority=True),
    Key("page_up", "pageup", "app.page(-1)", "scroll up", priority=True),
    Key("page_down", "pagedown", "app.page(1)", "scroll down", priority=True),
    Key("to_end", "ctrl+end", "app.follow", "to the end, and follow it", priority=True),
)
BLOCK_KEYS: tuple[Key, ...] = (
    Key("toggle", "space", "toggle_block", "unfold or fold the marked block", "a marked block"),
    Key("open", "enter", "open_block", "open the marked agent, or a file that an answer refers to", "a marked block"),
    Key("copy", "c", "copy_block", "copy the marked block", "a marked block"),
    Key("cancel_agent", "x", "cancel_agent", "cancel the marked sub-agent", "a marked block"),
    Key("previous_line", "up", "walk(-1)", "line above inside of a marked sub-agent", "a marked block"),
    Key("next_line", "down", "walk(1)", "line below inside of a marked sub-agent", "a marked block"),
)
# On the screen of one agent, named as elsewhere, so that a key that was set counts there, too.
AGENT_KEYS: tuple[Key, ...] = (
    Key("interrupt", "escape", "leave", "stop writing, else back", "an agent's own screen"),
    Key("stop", "ctrl+c", "stop", "copy a selection, else clear the input, else back", priority=True),
    Key("cancel_agent", "x", "cancel_agent", "cancel it, when nothing is being written", priority=True),
    Key("previous_block", "alt+up", "mark_block(-1)", "mark the block above", priority=True),
    Key("next_block", "alt+down", "mark_block(1)", "mark the block below", priority=True),
    Key("prompt", "f8", "go_to_prompt", "leave, and go to the oldest open prompt", priority=True),
    Key("next_part", "tab", "next_part", "write to it, or stop writing", priority=True),
    Key("details", "ctrl+o", "details", "unfold or fold the details of all tools", priority=True),
    Key("agents", "ctrl+t", "app.show_agents", "all agents of this session", priority=True),
    Key("page_up", "pageup", "page(-1)", "scroll up", priority=True),
    Key("page_down", "pagedown", "page(1)", "scroll down", priority=True),
    Key("to_end", "ctrl+end", "follow", "to the end, and follow it", priority=True),
)
# Where other widgets have keys of their own, for the help only.
OTHER_KEYS: tuple[Key, ...] = (
    Key("", "enter", "", "send; while the assistant works: queue", "the input"),
    Key("", "shift+enter, ctrl+j, \\ enter", "", "new line", "the input"),
    Key("", "up, down", "", "take back the queue, else history", "the input"),
    Key("", "ctrl+r", "", "search the history", "the input"),
    Key("", "ctrl+g", "", "write in your editor", "the input"),
    Key("", "@ / !", "", "mention a file, run a command of ours, run a shell command", "the input"),
    Key("", "?", "", "these keys, when the input is empty", "the input"),
    Key("", "enter", "", "send what you wrote: it reads that before its next request", "an agent's own screen"),
    Key("", "x", "", "cancel it, when nothing is being written", "an agent's own screen"),
    Key("", "tab, any letter", "", "write to it", "an agent's own screen"),
    Key("", "esc", "", "stop writing, else back", "an agent's own screen"),
    Key("", "enter", "", "open it", "the list of agents"),
    Key("", "c, x", "", "copy its answer, cancel it", "the list of agents"),
    Key("", "X", "", "cancel all", "the list of agents"),
    Key("", "y", "", "allow once", "a permission prompt"),
    Key("", "a, s", "", "always for this agent, always in this session", "a permission prompt"),
    Key("", "n, r", "", "deny, deny with a reason", "a permission prompt"),
    Key("", "esc", "", "hide it; it stays open", "a permission prompt"),
)
REMAPPABLE: tuple[Key, ...] = (*KEYS, *BLOCK_KEYS)


def bindings(keys: Iterable[Key]) -> Iterator[Binding]:
    for key in keys:
        yield Binding(key.keys, key.action, key.help, show=False, priority=key.priority, id=key.id)


def keymap(own: Mapping[str, str]) -> dict[str, str]:
    """What the person has set, as Textual takes it: only what differs and is not empty."""
    return {name: keys for name, keys in own.items() if keys.strip()}


def help_rows(own: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Place, keys and what they do, for the help."""
    changed = keymap(own)
    rows = [(key.place, changed.get(key.id, key.keys), key.help) for key in REMAPPABLE]
    return rows + [(key.place, key.keys, key.help) for key in OTHER_KEYS]
