"""What it costs to read a shell command and to prove that it only reads; and the most that a hostile one can cost."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from functools import partial

from benchmarks.interleaved import medians
from benchmarks.rows import Row
from code_assistant.permissions.shell.analysing import MOST_CHARACTERS, analyse
from code_assistant.permissions.shell.judging import judge

LIMIT_MS = 50
EVERYDAY = "grep -rn 'def ' src --include='*.py' 2>/dev/null | cut -d: -f1 | sort | uniq -c | sort -rn | head -20"
REPEATED = ("(", "$(", "`", "a|", "a;", "a=(", "((a", "$[", "${", "<<E\n", "\\\n", "env ", "eval ", "coproc @(", "a ")


class _Everything:
    def is_of_system(self, name: str) -> bool:
        return True


def _nested() -> str:
    command = "rm a"
    while len(command) < MOST_CHARACTERS // 2:
        command = f"bash -c {shlex.quote(command)}"
    return command


def _prove(command: str) -> None:
    judge(analyse(command), _Everything())


def measure() -> list[Row]:
    hostile = {repr(piece): (piece * MOST_CHARACTERS)[:MOST_CHARACTERS] for piece in REPEATED}
    hostile["nested shells"] = _nested()
    hostile["all different"] = ";".join(map(str, range(MOST_CHARACTERS)))[:MOST_CHARACTERS]
    contenders: dict[str, Callable[[], object]] = {name: partial(_prove, text) for name, text in hostile.items()}
    contenders["everyday"] = partial(_prove, EVERYDAY)
    seconds = medians(contenders)
    everyday = seconds.pop("everyday")
    worst = max(seconds, key=lambda name: seconds[name])
    return [
        Row("shell: an everyday pipeline", everyday * 1000, "ms"),
        Row("shell: the worst of 10,000 characters", seconds[worst] * 1000, "ms", LIMIT_MS),
    ]
