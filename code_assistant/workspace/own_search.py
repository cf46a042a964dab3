"""Our own search where it harms nobody: in a thread if quick for certain, else in a process that can be killed."""

from __future__ import annotations

import asyncio
import json
import math
import pickle
import resource
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from pathlib import Path

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.fallback_search import Report, search_without_ripgrep
from code_assistant.workspace.matching import NotQuick
from code_assistant.workspace.processes import environment_with, killed, tied
from code_assistant.workspace.search import SearchQuery, SearchResult
from code_assistant.workspace.threads import StopFlag, in_thread

MAXIMUM_SECONDS = 20.0
MAXIMUM_MEMORY = 2 << 30
# More than the largest page of the longest lines takes.
MAXIMUM_ANSWER_BYTES = 64 << 20
PIPE_BYTES = 1 << 20
PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from code_assistant.workspace.own_search import answer; answer()"
)


async def search_on_our_own(query: SearchQuery, report: Report) -> SearchResult:
    """Raises WorkspaceError for a pattern that cannot be searched for, or takes too long."""
    try:
        return await in_thread(lambda flag: search_without_ripgrep(query, flag, report, must_be_quick=True))
    except NotQuick:
        return await search_in_process(query)


async def search_in_process(query: SearchQuery) -> SearchResult:
    """The same search where Python's engine, which nothing can interrupt, holds up only itself."""
    try:
        async with asyncio.timeout(MAXIMUM_SECONDS):
            data = await _answer_to(query)
    except TimeoutError as error:
        raise WorkspaceError(
            f"{query.pattern!r} takes longer than {MAXIMUM_SECONDS:g} seconds to search for without ripgrep. "
            "Use a simpler pattern or a narrower path, or install ripgrep."
        ) from error
    answer = pickle.loads(data)
    if isinstance(answer, SearchResult):
        return answer
    raise WorkspaceError(str(answer))


async def _answer_to(query: SearchQuery) -> bytes:
    process = await _started()
    async with killed(process):
        if process.stdin is None or process.stdout is None:
            raise WorkspaceError("The search was started without pipes.")
        process.stdin.write(pickle.dumps((query, MAXIMUM_SECONDS)))
        process.stdin.close()
        pieces: list[bytes] = []
        size = 0
        while piece := await process.stdout.read(PIPE_BYTES):
            pieces.append(piece)
            size += len(piece)
            if size > MAXIMUM_ANSWER_BYTES:
                raise WorkspaceError("The search found too much; ask for less with limit or context.")
        status = await process.wait()
    if status != 0 or not pieces:
        raise WorkspaceError(f"The search failed: its process ended with status {status}.")
    return b"".join(pieces)


async def _started() -> Process:
    # Isolated, so that nothing in its folder or its environment decides what it imports.
    options = ("-I", "-S", f"-Xutf8={int(sys.getfilesystemencoding() == 'utf-8')}")
    given = (*options, "-c", PROGRAM, json.dumps(_import_path()))
    executable, words = await tied(sys.executable, sys.executable, *given)
    try:
        return await asyncio.create_subprocess_exec(
            *words,
            executable=executable,
            cwd="/",
            env=environment_with(),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            start_new_session=True,
            limit=PIPE_BYTES,
        )
    except (OSError, ValueError) as error:
        raise WorkspaceError(f"The search could not be started: {error}") from error


def _import_path() -> list[str]:
    """Where the process finds what we have imported; an empty entry would mean its own folder, not ours."""
    package_parent = str(Path(__file__).resolve().parents[2])
    entries = (entry for entry in sys.path if Path(entry).is_absolute() and not _is_working_folder(entry))
    return list(dict.fromkeys([*entries, package_parent]))


def _is_working_folder(entry: str) -> bool:
    """What lies there is somebody's project, and none of ours."""
    try:
        return Path(entry).samefile(".")
    except OSError:
        return False


def answer() -> None:
    """What the process does: a query comes in, a result goes out, or the words that say why there is none."""
    query, seconds = pickle.load(sys.stdin.buffer)
    # Should the one who waits be gone without a word, and nothing tie us to it, this ends us.
    signal.alarm(math.ceil(seconds) + 1)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MAXIMUM_MEMORY, MAXIMUM_MEMORY))
    try:
        result = search_without_ripgrep(query, StopFlag(), lambda _: None)
    except WorkspaceError as error:
        result = str(error)
    except MemoryError:
        result = f"{query.pattern!r} takes too much memory to search for without ripgrep; use a simpler pattern."
    pickle.dump(result, sys.stdout.buffer)
