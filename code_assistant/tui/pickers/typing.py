"""What a key does to a short text that is typed into a window."""

from __future__ import annotations

from textual.events import Key

from code_assistant.sanitize import is_plain


def after_key(event: Key, text: str) -> str | None:
    """The text after the key, which is then used up; None for a key that is not about the text."""
    match event.key:
        case "backspace":
            changed = text[:-1]
        case "ctrl+u":
            changed = ""
        case "ctrl+w":
            changed = text.rstrip().rpartition(" ")[0]
        case _ if event.is_printable and event.character and is_plain(event.character):
            changed = text + event.character
        case _:
            return None
    event.stop()
    event.prevent_default()
    return changed
