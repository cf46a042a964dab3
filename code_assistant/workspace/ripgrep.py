"""Searching with ripgrep: finding it, running it, ending it; its output is read by ripgrep_output."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from code_assistant.errors import WorkspaceError
from code_assistant.globs import expand_braces, glob_matcher
from code_assistant.workspace.endless_rules import EndlessRules, endless_rules
from code_assistant.workspace.ignore import is_in_repository
from code_assistant.workspace.ignored_paths import overlooked_filter
from code_assistant.workspace.opening import FOLDER_FLAGS, descriptor_path, file_in, open_unlinked, opened_folder
from code_assistant.workspace.processes import environment_with, killed, tied
from code_assistant.workspace.ripgrep_output import OutputReader, output_reader
from code_assistant.workspace.search import SearchQuery, SearchResult
from code_assistant.workspace.threads import in_thread

MAXIMUM_SECONDS = 60.0
# Nearly every search has ended by then, and looking for what is in the way of the others costs them little.
SECONDS_UNWATCHED = 0.3
# A dozen threads with the longest line that there can be in each take half of it.
MAXIMUM_MEMORY = 1 << 30
# The same as for our own search; a file that is named is searched whatever its size.
MAXIMUM_FILE_SIZE = "32M"
MAXIMUM_OUTPUT_BYTES = 16 << 20
PIPE_BYTES = 1 << 20
MAXIMUM_ERROR_BYTES = 4096
# Longer lines are not printed by ripgrep; what is shown of them is read from the file.
LONGEST_PRINTED_LINE = 4096
FAILED = 2
PASSED_VARIABLES = ("LC_ALL", "LC_CTYPE", "TMPDIR")
EXPECTED_STATUSES = (0, 1, FAILED)

ALWAYS = (
    "--no-config",
    "--color=never",
    "--no-messages",
    "--no-ignore-messages",
    "--no-ignore-global",
    "--hidden",
    "--glob=!.git",
    "--crlf",
    "--null",
    "--with-filename",
)
LINES = ("--heading", "--line-number", "--column", "--byte-offset", f"--max-columns={LONGEST_PRINTED_LINE}")


def find_ripgrep(untrusted: Sequence[Path] = ()) -> Path | None:
    """The real path of ripgrep, from beside our own interpreter or from PATH, but never from an untrusted folder."""
    beside = Path(sys.executable).parent
    for text in (str(beside), *os.environ.get("PATH", "").split(os.pathsep)):
        folder = Path(text)
        candidate = folder / "rg"
        if not folder.is_absolute() or not os.access(candidate, os.X_OK) or not candidate.is_file():
            continue
        real = Path(os.path.realpath(candidate))
        if folder == beside or not any(real.is_relative_to(other) for other in untrusted):
            return real
    return None


async def search_with_ripgrep(program: Path, query: SearchQuery) -> SearchResult:
    """Raises WorkspaceError if it takes too long, or with ripgrep's own words for a pattern it does not understand.

    EndlessRules is raised where ripgrep cannot search at all, because of an ignore file that it would have to read.
    """
    try:
        async with asyncio.timeout(MAXIMUM_SECONDS):
            return await _search(program, query)
    except TimeoutError as error:
        raise WorkspaceError(
            f"The search was ended after {MAXIMUM_SECONDS:g} seconds; narrow it with path or glob."
        ) from error


async def _search(program: Path, query: SearchQuery) -> SearchResult:
    arguments = _arguments(query)
    accepts = _path_filter(query)
    reader = output_reader(query, accepts, is_sorted=False)
    run = await _run(program, arguments, query, reader, stop_at=None)
    if run is None:
        return await _search_in_path_order(program, arguments, query, accepts, reader.result(is_whole=False))
    if run.status == FAILED and run.error:
        raise WorkspaceError(run.error)
    if run.status == -signal.SIGABRT:
        raise WorkspaceError(
            f"The search took more than {MAXIMUM_MEMORY >> 20} MB of memory; narrow it with path or glob."
        )
    if run.status not in EXPECTED_STATUSES:
        raise WorkspaceError(f"ripgrep failed with status {run.status}: {run.error or 'it did not say why'}")
    result = reader.result(is_whole=True)
    if run.status == FAILED:
        return replace(result, remarks=("Some files could not be read.",))
    return result


async def _search_in_path_order(
    program: Path, arguments: list[str], query: SearchQuery, accepts: Callable[[str], bool], some: SearchResult
) -> SearchResult:
    """So much matches that only a part of it can be read: find the first ones in path order, file by file."""
    reader = output_reader(query, accepts, is_sorted=True)
    await _run(program, ["--sort=path", *arguments], query, reader, stop_at=query.end)
    result = reader.result(is_whole=False)
    return replace(
        result,
        all_matches=max(result.all_matches, some.all_matches),
        all_files=max(result.all_files, some.all_files),
    )


def _path_filter(query: SearchQuery) -> Callable[[str], bool]:
    """What ripgrep cannot be told: see _glob_arguments and overlooked_filter; and what is hidden."""
    if query.file_name is not None:
        return lambda path: True
    filters: list[Callable[[str], bool]] = [_LinkFilter(query.folder).keeps]
    if query.glob and not query.glob.startswith("!") and "/" in query.glob.removeprefix("**/"):
        filters.append(glob_matcher(query.glob))
    is_kept = overlooked_filter(query.folder)
    if is_kept is not None:
        filters.append(is_kept)
    is_hidden = query.is_hidden
    if is_hidden is not None:
        filters.append(lambda path: not is_hidden(query.folder / path))
    return lambda path: all(accepts(path) for accepts in filters)


def _arguments(query: SearchQuery) -> list[str]:
    arguments: list[str] = [*ALWAYS]
    if query.mode == "lines":
        arguments += [*LINES, f"--context={query.context}"]
    else:
        arguments.append("--files-with-matches" if query.mode == "files" else "--count")
    if not is_in_repository(query.folder):
        arguments.append("--no-require-git")
    if query.literal:
        arguments.append("--fixed-strings")
    if query.ignore_case:
        arguments.append("--ignore-case")
    if query.file_name is None:
        arguments.append(f"--max-filesize={MAXIMUM_FILE_SIZE}")
        arguments += _glob_arguments(query.glob) if query.glob else []
    return [*arguments, f"--regexp={query.pattern}", "--"]


def _glob_arguments(glob: str) -> list[str]:
    if glob.startswith("!"):
        return [f"--glob={glob}"]
    # Not --glob, which would bring back ignored files; a type of file is asked only after the ignore rules.
    names = dict.fromkeys(alternative.rpartition("/")[2] for alternative in expand_braces(glob))
    if not names.keys().isdisjoint({"", "*", "**"}):
        return []
    return [*(f"--type-add=wanted:{name}" for name in names), "--type=wanted"]


@dataclass(frozen=True, slots=True)
class _Run:
    """How ripgrep ended when it was left to do so."""

    status: int
    error: str


class _LinkFilter:
    """Keeps what was not found through a link: ripgrep goes by names, and one may be swapped while it is on its way."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._is_real: dict[str, bool] = {}

    def keeps(self, path: str) -> bool:
        inner = path.rpartition("/")[0]
        if inner not in self._is_real:
            self._is_real[inner] = self._has_no_links(inner)
        return self._is_real[inner] and not (self._folder / path).is_symlink()

    def _has_no_links(self, inner: str) -> bool:
        try:
            os.close(open_unlinked(str(self._folder / inner), FOLDER_FLAGS))
        except OSError:
            return False
        return True


async def _run(
    program: Path, arguments: list[str], query: SearchQuery, reader: OutputReader, stop_at: int | None
) -> _Run | None:
    """Feed ripgrep's output to the reader; None when it was ended early because that was enough."""
    try:
        process = await _started(program, arguments, query)
    except (OSError, ValueError) as error:
        raise WorkspaceError(f"ripgrep could not be started: {error}") from error
    _limit(process)
    async with killed(process), _watched(process, query) as obstacle:
        while piece := await _stream(process.stdout).read(PIPE_BYTES):
            reader.feed(piece)
            if reader.held > MAXIMUM_OUTPUT_BYTES or (stop_at is not None and reader.found > stop_at):
                return None
        error = await _stream(process.stderr).read(MAXIMUM_ERROR_BYTES)
        status = await process.wait()
        if status not in EXPECTED_STATUSES and (words := await obstacle) is not None:
            raise EndlessRules(f"ripgrep cannot search here: {words}.")
        return _Run(status, error.decode("utf-8", "replace").strip().removeprefix("rg: "))


async def _started(program: Path, arguments: list[str], query: SearchQuery) -> Process:
    """ripgrep in the folder, or on the file, that a descriptor says: a name may be another's by now."""
    with ExitStack() as stack:
        folder = stack.enter_context(opened_folder(query.folder))
        searched, passed = "./", ()
        if query.file_name is not None:
            file = stack.enter_context(file_in(folder, query.file_name, query.file_name)).descriptor
            searched, passed = descriptor_path(file) or f"./{query.file_name}", (file,)
        # Where ripgrep is a link to a program of many names, that program asks how it was called.
        executable, words = await tied("rg", str(program), *arguments, searched)
        return await asyncio.create_subprocess_exec(
            *words,
            executable=executable,
            cwd=descriptor_path(folder) or query.folder,
            pass_fds=passed,
            env=environment_with(*PASSED_VARIABLES),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
            limit=PIPE_BYTES,
        )


def _limit(process: Process) -> None:
    """From outside, so that nothing of ours has to run in the child; whatever it comes to read, memory is left."""
    # A limit that is lower already cannot be raised, and who has ended needs none.
    with suppress(OSError, ValueError):
        if sys.platform == "linux":
            # What it leaves when memory runs out would be as large, and might lie in the searched folder.
            resource.prlimit(process.pid, resource.RLIMIT_CORE, (0, 0))
            resource.prlimit(process.pid, resource.RLIMIT_DATA, (MAXIMUM_MEMORY, MAXIMUM_MEMORY))


@asynccontextmanager
async def _watched(process: Process, query: SearchQuery) -> AsyncGenerator[asyncio.Task[str | None]]:
    """A task that knows in the end which ignore file, if any, was in ripgrep's way, and has ended ripgrep for it."""
    watch = asyncio.create_task(_watch(process, query))
    try:
        yield watch
    finally:
        watch.cancel()
        await asyncio.wait((watch,))


async def _watch(process: Process, query: SearchQuery) -> str | None:
    if query.file_name is not None:
        # For a file that is named no rules are read.
        return None
    await asyncio.sleep(SECONDS_UNWATCHED)
    words = await in_thread(lambda flag: endless_rules(query.folder, flag))
    if words is not None and process.returncode is None:
        process.kill()
    return words


def _stream(stream: asyncio.StreamReader | None) -> asyncio.StreamReader:
    if stream is None:
        raise WorkspaceError("ripgrep was started without a pipe to read from.")
    return stream
