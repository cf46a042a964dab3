"""What it costs to read a shell command and to prove that it only reads; and the most that a hostile one can cost."""

from __future__ import annotations

import random
import shlex
import time
from collections.abc import Callable
from functools import partial

from benchmarks.interleaved import medians
from benchmarks.rows import Row
from code_assistant.permissions.shell.analysing import MOST_CHARACTERS, analyse
from code_assistant.permissions.shell.judging import judge

LIMIT_MS = 50
EVERYDAY = "grep -rn 'def ' src --include='*.py' 2>/dev/null | cut -d: -f1 | sort | uniq -c | sort -rn | head -20"
REPEATED = ("(", "$(", "`", "a|", "a;", "a=(", "((a", "$[", "${", "<<E\n", "\\\n", "env ", "eval ", "coproc @(", "a ")


# What random mixes are made of; one is cut where it gets too long.
PIECES = (
    *("$(", "`", "bash -c '", '"', "'", "{", "a,", "}", "<<E\n", "E\n", "eval ", "env ", "xargs ", "((", "))", "[["),
    *("${", "|", ";", "&&", "(", ")", "case x in ", "esac ", "for i in ", "do ", "done ", "\\", "find . -exec ", "*"),
    *("git -c a=b ", "?", "[a-z]", "$'\\x41'", "awk '{system(\"rm\")}' ", "timeout 5 ", "{1..9}", "\n"),
)
MIXES = 400
SLOWEST = 5


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


def _slowest_mixes() -> list[str]:
    """Of many that are tried once."""
    chance = random.Random(8)
    mixes = ["".join(chance.choices(PIECES, k=chance.randint(50, 3000)))[:MOST_CHARACTERS] for _ in range(MIXES)]

    def once(mix: str) -> float:
        began = time.perf_counter()
        _prove(mix)
        return time.perf_counter() - began

    return sorted(mixes, key=once)[-SLOWEST:]


def measure() -> list[Row]:
    hostile = {repr(piece): (piece * MOST_CHARACTERS)[:MOST_CHARACTERS] for piece in REPEATED}
    hostile |= {f"mix {number}": mix for number, mix in enumerate(_slowest_mixes())}
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
