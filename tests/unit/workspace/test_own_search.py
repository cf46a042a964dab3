"""Our own search in a thread or in a process: the same results, a sure end, and nothing left behind."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from code_assistant.errors import WorkspaceError
from code_assistant.workspace import own_search
from code_assistant.workspace.fallback_search import search_without_ripgrep
from code_assistant.workspace.own_search import search_in_process, search_on_our_own
from code_assistant.workspace.search import SearchQuery, SearchResult
from code_assistant.workspace.threads import StopFlag
from tests.processes import until

HOSTILE = [
    (".*.*.*.*.*[#]", "a" * 400),
    ("(a|a){1,30}[#]", "a" * 60),
    ("(a?){40}(a){40}", "a" * 39),
    ("x*x*x*[y]", "x" * 20_000),
    (r"\w*\d*\w*\d*\w*[#]", "1" * 2000),
    ("(a+)+[b]", "a" * 5000),
    ("a?" * 40 + "[a]" * 40, "a" * 39),
    ("(a|a)" * 40 + "[b]", "a" * 100),
    ("[^b]*[b]", "a" * 3_000_000),
]


async def search(query: SearchQuery) -> SearchResult:
    return await search_on_our_own(query, lambda _: None)


def children() -> list[str]:
    """The processes that we started and that are still there, zombies included."""
    found: list[str] = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            except OSError:
                continue
            if parent == str(os.getpid()):
                found.append((folder / "cmdline").read_text())
    return [command for command in found if "own_search" in command or not command]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "tax.py").write_text("def sales_tax(order):\n    return order\n\ndef no_tax():\n    pass\n")
    (tmp_path / "größe.txt").write_text("Größe tax\nTAX\n" + "x" * 5000 + "tax\n")
    (tmp_path / "dos.txt").write_bytes(b"tax one\r\ntwo\r\n")
    (tmp_path / os.fsdecode(b"latin-\xe9.txt")).write_bytes(b"caf\xe9 tax\n")
    return tmp_path


@pytest.mark.parametrize(
    "pattern",
    ["tax", "^$", "x*", r"def \w+_tax\(", r".*_.*\(", r"(\w+\s?)+:", "(a|t)+x", "Gr..e", "(?i)TAX", "no such thing"],
)
async def test_the_process_finds_what_the_thread_finds(shop: Path, pattern: str) -> None:
    for query in (
        SearchQuery(shop, pattern),
        SearchQuery(shop, pattern, ignore_case=True, context=2, limit=3, offset=1),
        SearchQuery(shop, pattern, mode="counts", glob="*.{py,txt}"),
        SearchQuery(shop, pattern, file_name="tax.py"),
    ):
        expected = search_without_ripgrep(query, StopFlag(), lambda _: None)
        assert await search_in_process(query) == expected
        assert await search(query) == expected


async def test_a_search_that_is_quick_for_certain_starts_no_process(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_search, "MAXIMUM_SECONDS", 0.0)
    for pattern in ("tax", r"def \w+_tax\(", "sales|no"):
        assert (await search(SearchQuery(shop, pattern, glob="*.py"))).all_matches
    with pytest.raises(WorkspaceError):
        await search(SearchQuery(shop, ".*.*tax"))


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("pattern", "line"), HOSTILE, ids=[pattern[:20] for pattern, _ in HOSTILE])
async def test_safe_e4_a_pattern_that_takes_for_ever_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, line: str
) -> None:
    monkeypatch.setattr(own_search, "MAXIMUM_SECONDS", 0.5)
    (tmp_path / "a.txt").write_text(f"{line}\n")
    with pytest.raises(WorkspaceError, match=r"takes longer than 0\.5 seconds .* simpler pattern .* install ripgrep"):
        await search(SearchQuery(tmp_path, pattern))
    assert children() == []


@pytest.mark.timeout(60)
async def test_safe_e4_a_cancelled_search_kills_its_process(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a" * 5000 + "\n")
    task = asyncio.create_task(search(SearchQuery(tmp_path, "(a+)+[b]")))
    await until(lambda: bool(children()))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert children() == []


async def test_no_pipe_is_left_behind(shop: Path) -> None:
    async def open_files() -> int:
        for _ in range(10):
            await asyncio.sleep(0)
        return len(os.listdir("/proc/self/fd"))

    await search_in_process(SearchQuery(shop, "tax"))
    before = await open_files()
    for _ in range(3):
        await search_in_process(SearchQuery(shop, "tax"))
    assert await open_files() == before


async def test_errors_of_the_process_are_said(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(WorkspaceError, match="is not a regular expression"):
        await search_in_process(SearchQuery(shop, "fo(o"))
    monkeypatch.setattr(own_search, "MAXIMUM_ANSWER_BYTES", 10)
    with pytest.raises(WorkspaceError, match="found too much"):
        await search_in_process(SearchQuery(shop, "tax"))
    monkeypatch.setattr(own_search, "PROGRAM", "raise SystemExit(7)")
    with pytest.raises(WorkspaceError, match="ended with status 7"):
        await search_in_process(SearchQuery(shop, "tax"))


async def test_safe_t1_the_process_imports_nothing_from_the_working_folder(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it is in sys.path for who started us with `python -m`."""
    monkeypatch.chdir(shop)
    monkeypatch.syspath_prepend(str(shop))
    (shop / "pickle.py").write_text("raise RuntimeError")
    (shop / "linked").symlink_to(shop)
    monkeypatch.syspath_prepend(str(shop / "linked"))
    assert (await search_in_process(SearchQuery(shop, "tax"))).all_matches > 0


async def test_safe_the_process_sees_no_secrets_and_nothing_of_the_current_folder(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_KEY", "secret")
    monkeypatch.chdir(shop)
    monkeypatch.syspath_prepend("")
    (shop / "pickle.py").write_text("raise RuntimeError")
    program = "import os, pickle, sys; pickle.dump((sorted(os.environ), os.getcwd()), sys.stdout.buffer)"
    monkeypatch.setattr(own_search, "PROGRAM", program)
    with pytest.raises(WorkspaceError) as caught:
        await search_in_process(SearchQuery(shop, "tax"))
    assert "SECRET_KEY" not in str(caught.value)
    assert str(caught.value).endswith("'/')")
