"""The keys of the screen, declared once: the bindings, the help and the settings come from this table.

Keys inside prompts, windows and lists are declared by those, and there is no setting for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from textual.binding import Binding
from textual.keys import Keys, key_to_character


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
    Key("cancel_agent", "x", "cancel_agent", "cancel it, when a block is marked", priority=True),
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
COMPOSER_KEYS: tuple[Key, ...] = (
    Key("send", "enter", "send", "send; while the assistant works: queue", "the input"),
    Key("new_line", "shift+enter, ctrl+j, alt+enter", "new_line", "new line", "the input"),
    Key("up", "up", "go_up", "up; at the first line: take back the queue, else history", "the input"),
    Key("down", "down", "go_down", "down; at the last line: history", "the input"),
    Key("search_history", "ctrl+r", "search_history", "search the history", "the input"),
    Key("editor", "ctrl+g", "edit_outside", "write in your editor", "the input"),
    Key("undo", "ctrl+underscore, super+z", "undo", "undo", "the input"),
    Key("paste", "ctrl+v, super+v", "paste_here", "paste", "the input"),
)
# What is no key alone, and where other widgets have keys of their own: for the help only.
OTHER_KEYS: tuple[Key, ...] = (
    Key("", "\\ enter", "", "new line, in every terminal", "the input"),
    Key("", "@ / !", "", "mention a file, run a command of ours, run a shell command", "the input"),
    Key("", "?", "", "these keys, when the input is empty", "the input"),
    Key("", "enter", "", "send what you wrote: it reads that before its next request", "an agent's own screen"),
    Key("", "x", "", "cancel it, when a block is marked", "an agent's own screen"),
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
MODIFIERS = {"ctrl", "shift", "alt", "super", "meta", "hyper"}
NAMED_KEYS = {key.value.rpartition("+")[2] for key in Keys}
REMAPPABLE: tuple[Key, ...] = (*KEYS, *BLOCK_KEYS, *COMPOSER_KEYS)


def bindings(keys: Iterable[Key]) -> Iterator[Binding]:
    for key in keys:
        yield Binding(key.keys, key.action, key.help, show=False, priority=key.priority, id=key.id)


def keymap(own: Mapping[str, str]) -> dict[str, str]:
    """What the person has set, as Textual takes it: only what differs and is not empty."""
    return {name: keys for name, keys in own.items() if keys.strip()}


def shown_key(name: str, own: Mapping[str, str]) -> str:
    """One of its keys as the person has set them, in the short form that hints have."""
    default = next(key.keys for key in REMAPPABLE if key.id == name)
    first = keymap(own).get(name, default).split(",")[0].strip()
    return "esc" if first == "escape" else first


def help_rows(own: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Place, keys and what they do, for the help."""
    changed = keymap(own)
    rows = [(key.place, changed.get(key.id, key.keys), key.help) for key in REMAPPABLE]
    return rows + [(key.place, key.keys, key.help) for key in OTHER_KEYS]


def unknown_keys(own: Mapping[str, str]) -> list[str]:
    """What to say about keys that no terminal sends, because their names are wrong."""
    return [
        f"keys.{name}: there is no key {each.strip()!r}; keys are written like ctrl+x, alt+up, f5 or question_mark."
        for name, keys in keymap(own).items()
        for each in keys.split(",")
        if not _is_key(each.strip())
    ]


def _is_key(name: str) -> bool:
    *modifiers, base = name.split("+")
    if not set(modifiers) <= MODIFIERS:
        return False
    return len(base) == 1 or base in NAMED_KEYS or key_to_character(base) is not None
