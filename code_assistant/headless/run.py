"""One prompt from start to end: send it, print the events, obey Ctrl+C, give the exit code."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterable, Generator
from contextlib import contextmanager
from types import FrameType

from code_assistant.agent.session import Session
from code_assistant.events import Event, PromptFinished, PromptWithdrawn
from code_assistant.exit_codes import ExitCode
from code_assistant.headless.printer import Printer
from code_assistant.headless.tally import Tally

ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


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
    """The first signal ends the work in good order; a second one, while that takes its time, ends the program.

    Not the loop's own handlers: these would not be called while a write to a full pipe blocks the loop.
    """
    loop = asyncio.get_running_loop()
    interrupted = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        if interrupted:
            raise KeyboardInterrupt
        interrupted = True
        loop.call_soon_threadsafe(session.interrupt)

    before = {number: signal.signal(number, interrupt) for number in ENDING_SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
