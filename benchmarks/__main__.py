"""`make bench`: measure everything, print a table beside the committed baseline; exit 1 when a limit is broken."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import agents, commands, edits, gaps, mapping, offline, resuming, search, shell, startup, turns
from benchmarks.rows import Row
from benchmarks.screen import burst, explorer, growth, idle, reports, resumed, start, streaming

BASELINE = Path(__file__).parent / "baseline.json"
MEASUREMENTS: dict[str, Callable[[], list[Row]]] = {
    "startup": startup.measure,
    "mapping": mapping.measure,
    "gaps": gaps.measure,
    "turns": turns.measure,
    "search": search.measure,
    "commands": commands.measure,
    "shell": shell.measure,
    "edits": edits.measure,
    "agents": agents.measure,
    "offline": offline.measure,
    "resume": resuming.measure,
    "screen-start": start.measure,
    "screen-explorer": explorer.measure,
    "screen-resume": resumed.measure,
    "screen-stream": streaming.measure,
    "screen-growth": growth.measure,
    "screen-burst": burst.measure,
    "screen-idle": idle.measure,
    "screen-agents": reports.measure,
}


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which to run: {', '.join(MEASUREMENTS)}")
    parser.add_argument("--write-baseline", action="store_true", help="keep these figures as the baseline")
    arguments = parser.parse_args(argv)
    unknown = set(arguments.names) - set(MEASUREMENTS)
    if unknown:
        parser.error(f"no such benchmark: {', '.join(sorted(unknown))}")
    rows = [row for name in arguments.names or MEASUREMENTS for row in MEASUREMENTS[name]()]
    baseline = json.loads(BASELINE.read_text())["rows"] if BASELINE.exists() else {}
    print(table(rows, baseline))
    if arguments.write_baseline:
        machine = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
        kept = {**baseline, **{row.name: round(row.value, 2) for row in rows}}
        BASELINE.write_text(json.dumps({"machine": machine, "rows": kept}, indent=2) + "\n")
    return 1 if any(_is_broken(row) for row in rows) else 0


def table(rows: Sequence[Row], baseline: dict[str, float]) -> str:
    width = max(len(row.name) for row in rows)
    lines = [f"{'':{width}}  {'measured':>9}  {'baseline':>9}  {'limit':>6}"]
    for row in rows:
        before = f"{baseline[row.name]:9.2f}" if row.name in baseline else f"{'-':>9}"
        limit = f"{row.limit:6.1f}" if row.limit is not None else f"{'-':>6}"
        mark = "  over the limit" if _is_broken(row) else ""
        lines.append(f"{row.name:{width}}  {row.value:9.2f}  {before}  {limit}  {row.unit}{mark}")
    return "\n".join(lines)


def _is_broken(row: Row) -> bool:
    return row.limit is not None and row.value > row.limit


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
