"""ripgrep as a process: found safely, fed nothing of the person's, bounded, and gone when nobody waits for it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from code_assistant.errors import WorkspaceError
from code_assistant.workspace import processes, ripgrep
from code_assistant.workspace.ripgrep import find_ripgrep, search_with_ripgrep
from code_assistant.workspace.search import SearchQuery, SearchResult


async def search(query: SearchQuery) -> SearchResult:
    program = find_ripgrep()
    assert program is not None
    return await search_with_ripgrep(program, query)


def processes_with(argument: str) -> list[str]:
    """The processes that have this in their command line, zombies included by their names."""
    found: list[str] = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                command = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if argument.encode() in command:
                found.append(folder.name)
    return found


def program(folder: Path, text: str = "#!/bin/sh\nexit 3\n") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "rg"
    file.write_text(text)
    file.chmod(0o755)
    return file


def test_ripgrep_is_found_beside_the_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert find_ripgrep() == Path(os.path.realpath(Path(sys.executable).parent / "rg"))


def test_ripgrep_is_found_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nowhere" / "python"))
    (tmp_path / "first" / "rg").mkdir(parents=True)
    expected = program(tmp_path / "second")
    monkeypatch.setenv("PATH", f"{tmp_path}/first{os.pathsep}{tmp_path}/second")
    assert find_ripgrep() == expected
    (tmp_path / "linked").symlink_to(tmp_path / "second")
    monkeypatch.setenv("PATH", f"{tmp_path}/linked")
    assert find_ripgrep() == expected
    expected.chmod(0o644)
    assert find_ripgrep() is None


def test_safe_b4_a_ripgrep_that_lies_in_the_workspace_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nowhere" / "python"))
    planted = program(tmp_path / "workspace" / "bin")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "rg").symlink_to(planted)
    monkeypatch.chdir(tmp_path / "workspace" / "bin")
    for path in (str(planted.parent), ".", "", str(tmp_path / "bin")):
        monkeypatch.setenv("PATH", path)
        assert find_ripgrep([tmp_path / "workspace"]) is None


async def test_a_cancelled_search_ends_ripgrep(tmp_path: Path) -> None:
    """With a stand-in for ripgrep that says when it runs and never ends by itself."""
    started = tmp_path / "started"
    os.mkfifo(started)
    stand_in = tmp_path / "rg"
    stand_in.write_text(f"#!/bin/sh\necho running > {started}\nexec sleep 1000.03125\n")
    stand_in.chmod(0o755)
    task = asyncio.create_task(search_with_ripgrep(stand_in, SearchQuery(tmp_path, "x")))
    assert await asyncio.to_thread(started.read_text) == "running\n"
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert processes_with("1000.03125") == []


@pytest.mark.timeout(30)
async def test_safe_e4_a_search_that_takes_too_long_is_ended_with_all_its_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ripgrep, "MAXIMUM_SECONDS", 0.3)
    endless = program(tmp_path / "bin", "#!/bin/sh\nsleep 1000.0625 & sleep 1000.0625\n")
    with pytest.raises(WorkspaceError, match=r"ended after 0\.3 seconds; narrow it"):
        await search_with_ripgrep(endless, SearchQuery(tmp_path, "x"))
    assert processes_with("1000.0625") == []


@pytest.mark.timeout(30)
async def test_safe_e4_a_pipe_held_by_a_process_that_left_the_group_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ripgrep, "MAXIMUM_SECONDS", 0.3)
    monkeypatch.setattr(processes, "SECONDS_TO_DRAIN", 0.1)
    escaped = program(tmp_path / "bin", f"#!/bin/sh\nsetsid sleep 1000 & echo $! > {tmp_path}/pid\nwait\n")
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(WorkspaceError, match="ended after"):
        await search_with_ripgrep(escaped, SearchQuery(tmp_path, "x"))
    for _ in range(10):
        await asyncio.sleep(0)
    assert len(os.listdir("/proc/self/fd")) <= before + 2
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)


async def test_safe_e4_files_over_32_mb_are_searched_only_by_name(tmp_path: Path) -> None:
    for name, size in (("large.txt", (32 << 20) + 1), ("small.txt", 100)):
        (tmp_path / name).write_text(f"needle\n{'x' * (size - 8)}\n")
    assert [file.path for file in (await search(SearchQuery(tmp_path, "needle"))).files] == ["small.txt"]
    assert (await search(SearchQuery(tmp_path, "needle", file_name="large.txt"))).all_matches == 1


async def test_no_process_and_no_pipe_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ripgrep, "MAXIMUM_OUTPUT_BYTES", 1_000_000)
    (tmp_path / "unmistakable.txt").write_text("needle in a long enough line\n" * 200_000)

    async def open_files() -> int:
        # Closing a pipe takes the loop a few rounds.
        for _ in range(10):
            await asyncio.sleep(0)
        return len(os.listdir("/proc/self/fd"))

    query = SearchQuery(tmp_path, "needle", file_name="unmistakable.txt")
    await search(query)
    before = await open_files()
    for _ in range(5):
        assert not (await search(query)).is_complete
        with pytest.raises(WorkspaceError):
            await search(SearchQuery(tmp_path, "("))
    assert await open_files() == before
    assert processes_with("unmistakable.txt") == []


async def test_too_much_output_is_cut_in_path_order_and_ripgrep_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ripgrep, "MAXIMUM_OUTPUT_BYTES", 100_000)
    for number in range(40):
        line_end = "\r\n" if number % 2 else "\n"
        lines = [f"file {number} needle {line}" for line in range(1000)]
        (tmp_path / f"{number:02}.txt").write_text(line_end.join(lines) + line_end, newline="")
    result = await search(SearchQuery(tmp_path, "needle", limit=3, offset=999))
    assert not result.is_complete
    assert [(file.path, [line.text for line in file.lines]) for file in result.files] == [
        ("00.txt", ["file 0 needle 999"]),
        ("01.txt", ["file 1 needle 0", "file 1 needle 1"]),
    ]
    again = await search(SearchQuery(tmp_path, "needle", limit=3, offset=999, context=1))
    assert [line.text for line in again.files[1].lines if line.is_match] == ["file 1 needle 0", "file 1 needle 1"]
    assert result.all_matches > 1002


async def test_one_file_with_too_much_output_is_still_shown_from_its_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ripgrep, "MAXIMUM_OUTPUT_BYTES", 300_000)
    (tmp_path / "a.txt").write_text("".join(f"needle {line}\n" for line in range(100_000)))
    result = await search(SearchQuery(tmp_path, "needle", limit=2))
    assert [line.text for line in result.files[0].lines] == ["needle 0", "needle 1"]
    assert not result.is_complete


async def test_settings_of_the_person_do_not_change_a_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = tmp_path / "settings"
    settings.write_text("--ignore-case\n--max-count=1\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(settings))
    (tmp_path / "a.txt").write_text("needle\nNEEDLE\nneedle\n")
    result = await search(SearchQuery(tmp_path, "needle", file_name="a.txt"))
    assert [line.number for line in result.files[0].lines] == [1, 3]


@pytest.mark.parametrize("pattern", ["--version", "-e", "--pre=touch x", "-- x"])
async def test_safe_a_pattern_is_never_an_option(tmp_path: Path, pattern: str) -> None:
    (tmp_path / "a.txt").write_text(f"{pattern}\n")
    result = await search(SearchQuery(tmp_path, pattern))
    assert result.all_matches == 1
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("name", ["-x.txt", "--help", "a b.txt", "new\nline.txt", "*.txt", "ü.txt"])
async def test_safe_a_file_name_is_never_an_option(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("needle\n")
    (tmp_path / "other.md").write_text("needle\n")
    result = await search(SearchQuery(tmp_path, "needle", file_name=name))
    assert [file.path for file in result.files] == [name.replace("\n", "\\n")]


async def test_a_glob_is_never_an_option(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("needle\n")
    assert (await search(SearchQuery(tmp_path, "needle", glob="--hidden"))).all_matches == 0


async def test_what_ripgrep_does_not_understand_is_said_in_its_words(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="unclosed group"):
        await search(SearchQuery(tmp_path, "fo(o"))


async def test_a_ripgrep_that_breaks_is_an_error(tmp_path: Path) -> None:
    broken = program(tmp_path / "bin", "#!/bin/sh\necho oh no >&2\nexit 3\n")
    with pytest.raises(WorkspaceError, match="ripgrep failed with status 3: oh no"):
        await search_with_ripgrep(broken, SearchQuery(tmp_path, "x"))
    broken.write_text("no program\n")
    with pytest.raises(WorkspaceError, match=r"could not be started|failed with status"):
        await search_with_ripgrep(broken, SearchQuery(tmp_path, "x"))


async def test_files_that_cannot_be_read_are_said(tmp_path: Path) -> None:
    # Root may read everything, so a stand-in says what ripgrep says then.
    stand_in = program(tmp_path / "bin", "#!/bin/sh\nprintf './a.txt\\0001:1:0:needle\\n'\nexit 2\n")
    result = await search_with_ripgrep(stand_in, SearchQuery(tmp_path, "needle"))
    assert result.all_matches == 1
    assert result.remarks == ("Some files could not be read.",)
