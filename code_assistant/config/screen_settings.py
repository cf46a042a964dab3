"""Settings of the screen: its colours and its keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from code_assistant.config.declare import Declaration
from code_assistant.config.forms import KEY_NAMES, PRINTABLE_NAME


@dataclass(frozen=True, slots=True)
class ScreenSettings:
    theme: Annotated[
        str, Declaration("Name of the theme; `/theme` shows them all.", project="never", form=PRINTABLE_NAME)
    ] = "harbor-dark"
    collapse_finished_agents: Annotated[
        bool,
        Declaration(
            "Fold the block of a sub-agent to one line when it has ended; never one that you opened or are looking at.",
            project="never",
        ),
    ] = True


KeyNames: TypeAlias = Annotated[
    str,
    Declaration(
        "Other keys for what it says; empty is the usual key, which `?` shows.", project="never", form=KEY_NAMES
    ),
]


@dataclass(frozen=True, slots=True)
class KeySettings:
    """One for each key of the screen that can be changed."""

    interrupt: KeyNames = ""
    stop: KeyNames = ""
    quit: KeyNames = ""
    suspend: KeyNames = ""
    mode: KeyNames = ""
    previous_block: KeyNames = ""
    next_block: KeyNames = ""
    prompt: KeyNames = ""
    next_part: KeyNames = ""
    details: KeyNames = ""
    palette: KeyNames = ""
    agents: KeyNames = ""
    search: KeyNames = ""
    page_up: KeyNames = ""
    page_down: KeyNames = ""
    to_end: KeyNames = ""
    toggle: KeyNames = ""
    open: KeyNames = ""
    copy: KeyNames = ""
    cancel_agent: KeyNames = ""
    previous_line: KeyNames = ""
    next_line: KeyNames = ""
    send: KeyNames = ""
    new_line: KeyNames = ""
    up: KeyNames = ""
    down: KeyNames = ""
    search_history: KeyNames = ""
    editor: KeyNames = ""
    undo: KeyNames = ""
    paste: KeyNames = ""
    allow_once: KeyNames = ""
    allow_agent: KeyNames = ""
    allow_session: KeyNames = ""
    deny: KeyNames = ""
    deny_with_reason: KeyNames = ""
    approve: KeyNames = ""
    approve_with_edits: KeyNames = ""
    keep_planning: KeyNames = ""
    choose_1: KeyNames = ""
    choose_2: KeyNames = ""
    choose_3: KeyNames = ""
    choose_4: KeyNames = ""
    choose_5: KeyNames = ""
    choose_6: KeyNames = ""
    choose_7: KeyNames = ""
    choose_8: KeyNames = ""
    switch_choice: KeyNames = ""
    own_words: KeyNames = ""
    no_answer: KeyNames = ""
    work_without: KeyNames = ""
    trust_folder: KeyNames = ""
    trust_once: KeyNames = ""
    trust_list: KeyNames = ""
    trust_quit: KeyNames = ""
