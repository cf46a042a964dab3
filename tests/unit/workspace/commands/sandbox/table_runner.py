"""Runs commands of a list one after the other, and says of each that its turn has come. Alone, inside of a sandbox.

Its arguments: the file with the list as JSON, and the number of the first one to run.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

SECONDS = 0.2
# None may fill the disk.
MOST_BYTES = 1_000_000


def run(command: str) -> None:
    """What it prints is nobody's business; nor may it go on after its time."""
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(["bash", "-c", command], stdin=nowhere, stdout=nowhere, stderr=nowhere, process_group=0)
    with suppress(subprocess.TimeoutExpired):
        process.wait(SECONDS)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def main(listed: str, first: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_BYTES, MOST_BYTES))
    commands: list[str] = json.loads(Path(listed).read_text(encoding="utf-8"))
    for number, command in enumerate(commands[first:], first):
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()
        run(command)
    sys.stdout.write("end\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
