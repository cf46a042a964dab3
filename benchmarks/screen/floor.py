"""The yardstick for streams: Textual's own `Log` above a field to type into. `python -m benchmarks.screen.floor`."""

from __future__ import annotations

import asyncio
import sys
import time
from itertools import islice
from typing import cast

from textual.app import App, ComposeResult
from textual.widgets import Log, TextArea

from benchmarks.screen.control import Obeying, Order
from benchmarks.screen.sample import tokens

TOKENS_PER_SECOND = 200
LINES_PER_SECOND = 5 * 8
SECONDS_BETWEEN_PAINTS = 0.05


class FloorApp(App[None]):
    CSS = "Log { height: 1fr; } TextArea { height: 3; }"

    def __init__(self, obeying: Obeying) -> None:
        super().__init__()
        self._obeying = obeying

    def compose(self) -> ComposeResult:
        yield Log()
        yield TextArea()

    def on_mount(self) -> None:
        self.query_one(TextArea).focus()

    def on_ready(self) -> None:
        self._obeying.start(lambda order: cast(None, self.run_worker(self._obey(order))))

    async def _obey(self, order: Order) -> None:
        cpu, paints = time.process_time(), 0
        log = self.query_one(Log)
        match order:
            case {"word": "say", "tokens": int(count), "end": str(end)}:
                log.write("".join(islice(tokens(), count)) + end)
            case {"word": "stream", "seconds": seconds}:
                paints = await self._stream(log, float(seconds))
            case _:
                pass
        self._obeying.answer(cpu=time.process_time() - cpu, paints=paints, total=time.process_time())

    async def _stream(self, log: Log, seconds: float) -> int:
        source = tokens()
        began = time.perf_counter()
        paints = said = lines = 0
        while (passed := time.perf_counter() - began) < seconds:
            text = "".join(islice(source, int(passed * TOKENS_PER_SECOND) - said))
            said = int(passed * TOKENS_PER_SECOND)
            new_lines = int(passed * LINES_PER_SECOND) - lines
            lines += new_lines
            log.write("\na line of what a tool prints" * new_lines + text)
            paints += 1
            await asyncio.sleep(SECONDS_BETWEEN_PAINTS)
        return paints


if __name__ == "__main__":
    FloorApp(Obeying(sys.argv)).run()
