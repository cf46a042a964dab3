"""The way of keys, pastes and mouse presses into prompts, at the one place where all of them come in."""

from __future__ import annotations

from textual import events
from textual.screen import Screen
from textual.widget import Widget

from code_assistant.tui.prompts.panel import PromptPanel
from code_assistant.tui.prompts.safe_typing import SafeTyping


def route_input(event: events.Event, screen: Screen[None], composer: Widget, safe_typing: SafeTyping) -> None:
    """To be called by the app for every event that was not forwarded yet, before it is.

    Here events still come one after the other and know when they happened, so what is typed while focus moves is
    neither lost nor out of order.
    """
    if isinstance(event, events.MouseDown):
        safe_typing.mouse_pressed(event.time)
    elif isinstance(event, events.Key | events.Paste):
        safe_typing.key_pressed(event.time)
        focused = screen.focused
        if isinstance(focused, PromptPanel) and focused.passes_on(event):
            screen.set_focus(composer)
