"""What the person wants of the transcript: to see older parts, to copy, to open, to write instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from code_assistant.tui.opening import follow_link, open_block
from code_assistant.tui.transcript.blocks import Block, copied_text
from code_assistant.tui.widgets.transcript_view import TranscriptView

if TYPE_CHECKING:
    from code_assistant.tui.app import CodeAssistantApp


def fulfil(app: CodeAssistantApp, wish: TranscriptView.Wanted) -> None:
    match wish:
        case TranscriptView.OlderWanted():
            app.run_worker(app.past.screen.show_older(), group="older", exit_on_error=False)
        case TranscriptView.Toggled():
            app.past.conversations.keep_fold(wish.block_id, wish.target, is_expanded=wish.is_expanded)
        case TranscriptView.CopyWanted():
            _copy(app, wish.block)
        case TranscriptView.TypedElsewhere():
            _write(app, wish.character)
        case TranscriptView.LinkActivated():
            follow_link(app, wish.address)
        case TranscriptView.OpenWanted():
            open_block(app, wish.view, wish.block)
        case _:
            pass


def _copy(app: CodeAssistantApp, block: Block) -> None:
    app.copy_to_clipboard(copied_text(block))
    app.notify("Copied.", timeout=2, markup=False)


def _write(app: CodeAssistantApp, character: str) -> None:
    """Whoever types a sentence means the composer, wherever the focus is."""
    app.view.mark(None)
    app.composer.focus()
    app.composer.insert(character)
