"""One prompt from start to end: send it, print the events, obey Ctrl+C, give the exit code."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterable, Generator
from contextlib import contextmanager

from code_assistant.agent.session import Session
from code_assistant.events import Event, PromptFinished, PromptWithdrawn
from code_assistant.exit_codes import ExitCode
from code_assistant.headless.printer import Printer
from code_assistant.headless.tally import Tally


async def run_headless(session: Session, events: AsyncIterable[Event], prompt: str, printer: Printer) -> ExitCode:
    """Answer the prompt. Everything the session started has ended when this returns."""
    tally = Tally()
    printer.begin()
    async with session:
        with _interrupts(session):
            prompt_id = session.send(prompt)
            async for event in events:
                tally.take(event)
                printer.take(event)
                if isinstance(event, PromptFinished | PromptWithdrawn) and event.prompt_id == prompt_id:
                    break
    printer.end(tally)
    return tally.exit_code


@contextmanager
def _interrupts(session: Session) -> Generator[None]:
    """The first Ctrl+C ends the work in good order; a second one, while that takes its time, ends the program."""
    loop = asyncio.get_running_loop()

    def interrupt() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        session.interrupt()

    loop.add_signal_handler(signal.SIGINT, interrupt)
    loop.add_signal_handler(signal.SIGTERM, session.interrupt)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        loop.remove_signal_handler(signal.SIGTERM)
