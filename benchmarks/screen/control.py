"""How a measurement talks with a program that draws on the terminal: lines of JSON through two pipes beside it."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from benchmarks.screen.terminal import HANG_GUARD, Terminal, in_terminal, python

Order: TypeAlias = Mapping[str, Any]


class Held:
    """The measurement's end: a program in a terminal that obeys orders."""

    def __init__(self, terminal: Terminal, orders: int, answers: int) -> None:
        self.terminal = terminal
        self._orders = orders
        self._answers = answers
        self._read = b""

    def order(self, word: str, **details: Any) -> None:
        os.write(self._orders, json.dumps({"word": word, **details}).encode() + b"\n")

    def answer(self, while_waiting: Callable[[], object] = lambda: None) -> dict[str, Any]:
        """The next answer; the terminal is read meanwhile, so that the program never waits for us."""
        waited = 0.0
        while b"\n" not in self._read:
            while_waiting()
            self.terminal.read(0.01)
            waited += 0.01
            if waited > HANG_GUARD:
                raise TimeoutError(f"no answer: {self.terminal.written[-3000:]!r}")
            try:
                self._read += os.read(self._answers, 1 << 16)
            except BlockingIOError:
                continue
        line, _, self._read = self._read.partition(b"\n")
        return json.loads(line)

    def ask(self, word: str, **details: Any) -> dict[str, Any]:
        self.order(word, **details)
        return self.answer()


@contextmanager
def held(module: str, *arguments: str) -> Iterator[Held]:
    """Run a module in a terminal, with pipes for orders and answers as its last two arguments."""
    orders_in, orders_out = os.pipe()
    answers_in, answers_out = os.pipe()
    os.set_blocking(answers_in, False)
    command = python(module, *arguments, str(orders_in), str(answers_out))
    try:
        with in_terminal(command, pass_fds=(orders_in, answers_out)) as terminal:
            yield Held(terminal, orders_out, answers_in)
    finally:
        for descriptor in (orders_in, orders_out, answers_in, answers_out):
            os.close(descriptor)


class Obeying:
    """The program's end; orders come in on its event loop."""

    def __init__(self, arguments: Sequence[str]) -> None:
        self._orders, self._answers = (int(each) for each in arguments[-2:])
        self._read = b""

    def start(self, obey: Callable[[Order], None]) -> None:
        def readable() -> None:
            *lines, self._read = (self._read + os.read(self._orders, 1 << 16)).split(b"\n")
            for line in lines:
                obey(json.loads(line))

        asyncio.get_running_loop().add_reader(self._orders, readable)

    def answer(self, **details: Any) -> None:
        os.write(self._answers, json.dumps(details).encode() + b"\n")
