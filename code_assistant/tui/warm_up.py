"""What the first answer needs and takes long to load: loaded when the session is open, while nobody waits for it."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterable
from importlib import import_module

from code_assistant.tui.rendering.palette import Palette

MODULES = (
    "code_assistant.tui.bridge",
    "code_assistant.tui.rendering.markdown",
    "code_assistant.tui.rendering.details",
    "code_assistant.tui.rendering.agents",
    "code_assistant.tui.agents.agent_desk",
    "code_assistant.tui.agents.cancel_button",
    "code_assistant.tui.prompts.permission",
    "code_assistant.tui.prompts.question",
    "code_assistant.tui.prompts.plan",
    "code_assistant.tui.dialogues",
)
# Loading keeps the keys waiting, so there are pauses for them in between.
SECONDS_FOR_KEYS = 0.005
# How many objects more than before, and how many rounds of that, until the older ones are looked at, too.
COLLECTED = (10_000, 10, 10)


def warm_up(palette: Palette, further: Iterable[str] = ()) -> None:
    """Takes a while; for a thread of its own. `further` are modules that are not the screen's."""
    for name in (*MODULES, *further):
        import_module(name)
        time.sleep(SECONDS_FOR_KEYS)
    from code_assistant.tui.rendering.markdown import markdown_rows

    markdown_rows("text", 80, palette)
    time.sleep(SECONDS_FOR_KEYS)
    markdown_rows("```python\npass\n```", 80, palette)


def turn_on_collector() -> None:
    """For whoever turned it off at the start. What is there by now stays, and is not looked at while keys wait."""
    if not gc.isenabled():
        gc.freeze()
        gc.set_threshold(*COLLECTED)
        gc.enable()
