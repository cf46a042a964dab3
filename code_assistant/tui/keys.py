"""The keys of the screen, declared once: the bindings, the help and the settings come from this table.

Other keys inside windows and lists are declared by those, and there is no setting for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from textual.binding import Binding
from textual.keys import key_to_character


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
    Key("interrupt", "escape", "app.escape", "close what is open, else interrupt; twice when idle: go back"),
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
# Those that answer. In one kind of prompt each must have a key of its own: see key_problems.
PERMISSION_KEYS: tuple[Key, ...] = (
    Key("allow_once", "y", "once", "allow once", "a permission prompt"),
    Key("allow_agent", "a", "agent", "always for this agent", "a permission prompt"),
    Key("allow_session", "s", "session", "always in this session", "a permission prompt"),
    Key("deny", "n", "deny", "deny", "a permission prompt"),
    Key("deny_with_reason", "r", "reason", "deny with a reason", "a permission prompt"),
)
PLAN_KEYS: tuple[Key, ...] = (
    Key("approve", "y", "ask", "approve it; edits are asked about", "a plan"),
    Key("approve_with_edits", "a", "accept_edits", "approve it; edits are accepted", "a plan"),
    Key("keep_planning", "n, r", "keep_planning", "keep planning, and say why", "a plan"),
)
MOST_CHOICES = 8
QUESTION_KEYS: tuple[Key, ...] = (
    *(
        Key(f"choose_{number}", str(number), f"choose_{number}", "choose that answer", "a question")
        for number in range(1, MOST_CHOICES + 1)
    ),
    Key(
        "switch_choice",
        "space",
        "toggle",
        "switch the marked answer on or off, where several can be chosen",
        "a question",
    ),
    Key("own_words", "t", "own_words", "answer in your own words", "a question"),
    Key("no_answer", "n", "dismiss", "do not answer", "a question"),
)
TRUST_KEYS: tuple[Key, ...] = (
    Key("work_without", "w", "without", "work without trusting the folder", "the question of trust"),
    Key("trust_folder", "t", "keep", "trust the folder from now on", "the question of trust"),
    Key("trust_once", "o", "once", "trust the folder in this run", "the question of trust"),
    Key("trust_list", "l", "list", "what would become active, word by word", "the question of trust"),
    Key("trust_quit", "q", "quit", "leave", "the question of trust"),
)
# Of every prompt: what has a name here is named as elsewhere, the rest cannot be changed.
PANEL_KEYS: tuple[Key, ...] = (
    Key("", "up", "line_up", "scroll, or walk the answers", "any prompt"),
    Key("", "down", "line_down", "scroll, or walk the answers", "any prompt"),
    Key("page_up", "pageup", "page_up", "turn pages", "any prompt"),
    Key("page_down", "pagedown", "page_down", "turn pages", "any prompt"),
    Key("", "home", "to_top", "to the beginning, to the end", "any prompt"),
    Key("", "end", "to_end", "to the beginning, to the end", "any prompt"),
    Key("", "left, shift+tab", "previous_button", "walk the buttons", "any prompt"),
    Key("", "right, tab", "next_button", "walk the buttons", "any prompt"),
    Key("", "enter", "activate", "press the marked button", "any prompt"),
    Key("interrupt", "escape", "hide", "hide it; it stays open", "any prompt"),
)
# Esc closes windows and lists, and so does what the person has set for it; this is its name in terminals that tell
# the two apart, and takes no key away where nothing was set.
ESCAPE = "ctrl+left_square_bracket"
# What is no key alone, and where other widgets have keys of their own: for the help only.
OTHER_KEYS: tuple[Key, ...] = (
    Key("", "\\ enter", "", "new line, in every terminal", "the input"),
    Key("", "@ / !", "", "mention a file, run a command of ours, run a shell command", "the input"),
    Key("", "?", "", "these keys, when the input is empty", "the input"),
    Key("", "enter", "", "send what you wrote: it reads that before its next request", "an agent's own screen"),
    Key("cancel_agent", "x", "", "cancel it, when a block is marked", "an agent's own screen"),
    Key("", "tab, any letter", "", "write to it", "an agent's own screen"),
    Key("interrupt", "escape", "", "stop writing, else back", "an agent's own screen"),
    Key("", "enter", "", "open it", "the list of agents"),
    Key("copy", "c", "", "copy its answer", "the list of agents"),
    Key("cancel_agent", "x", "", "cancel it", "the list of agents"),
    Key("", "X", "", "cancel all", "the list of agents"),
)
PROMPT_KEYS: tuple[tuple[Key, ...], ...] = (PERMISSION_KEYS, PLAN_KEYS, QUESTION_KEYS, TRUST_KEYS)
REMAPPABLE: tuple[Key, ...] = (*KEYS, *BLOCK_KEYS, *COMPOSER_KEYS, *chain(*PROMPT_KEYS))


def bindings(keys: Iterable[Key]) -> Iterator[Binding]:
    for key in keys:
        yield Binding(key.keys, key.action, key.help, show=False, priority=key.priority, id=key.id or None)


def keymap(own: Mapping[str, str]) -> dict[str, str]:
    """What the person has set, as Textual takes it: only what differs and is not empty."""
    return {name: keys for name, keys in own.items() if keys.strip()}


def key_names(key: Key, own: Mapping[str, str]) -> list[str]:
    """All of its keys as the person has set them."""
    return [name.strip() for name in keymap(own).get(key.id, key.keys).split(",")]


def shown_key(name: str, own: Mapping[str, str]) -> str:
    """One of its keys as the person has set them, in the short form that hints have."""
    first = key_names(next(key for key in REMAPPABLE if key.id == name), own)[0]
    character = key_to_character(first) or ""
    if first == "escape":
        return "esc"
    return character if character.isprintable() and character.strip() else first


def help_rows(own: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Place, keys and what they do, for the help; those that do the same in one place are together."""
    rows: dict[tuple[str, str], list[str]] = {}
    for key in (*REMAPPABLE, *PANEL_KEYS, *OTHER_KEYS):
        rows.setdefault((key.place, key.help), []).append(keymap(own).get(key.id, key.keys))
    return [(place, ", ".join(keys), words) for (place, words), keys in rows.items()]
