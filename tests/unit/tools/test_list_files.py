"""list_files: what a listing looks like, and what it leaves out, says and cuts."""

from __future__ import annotations

import os

import pytest

from code_assistant.errors import WorkspaceError
from code_assistant.tools.list_files import ListFiles
from tests.unit.tools.support import Bench


async def test_folders_come_first_and_files_have_their_sizes(bench: Bench) -> None:
    bench.write("zebra/x.txt")
    bench.write("a.txt", "12345")
    bench.write("B.bin", bytes(1_234_567))
    bench.write(".hidden", "")
    bench.write(".git/config", "")
    output = await bench.run(ListFiles())
    assert output.display.detail == "./\n  zebra/\n  .hidden  0 B\n  B.bin  1.2 MB\n  a.txt  5 B"
    assert (output.display.title, output.display.summary) == ("Listed ./", "4 entries")


async def test_depth_lists_what_is_below_indented(bench: Bench) -> None:
    bench.write("src/deep/er/x.py", "x")
    bench.write("src/a.py", "x")
    assert await bench.text(ListFiles(), path="src") == "src/\n  deep/\n  a.py  1 B"
    expected = "./\n  src/\n    deep/\n      er/\n    a.py  1 B"
    assert await bench.text(ListFiles(), depth=3) == expected
    output = await bench.run(ListFiles(), path="src/deep/", depth=5)
    assert output.display.detail == "src/deep/\n  er/\n    x.py  1 B"
    assert output.display.title == "Listed src/deep/"


async def test_links_are_shown_and_not_followed(bench: Bench) -> None:
    bench.write("real/x.txt", "x")
    (bench.root / "link").symlink_to("real")
    (bench.root / "out").symlink_to("../outside/secret.txt")
    (bench.root / "broken").symlink_to("nowhere")
    expected = "./\n  real/\n    x.txt  1 B\n  broken -> nowhere\n  link -> real\n  out -> ../outside/secret.txt"
    assert await bench.text(ListFiles(), depth=2) == expected


async def test_ignored_entries_are_left_out_and_counted(bench: Bench) -> None:
    bench.write(".gitignore", "node_modules/\n*.pyc\n")
    bench.write("node_modules/x/y.js")
    bench.write("a.pyc")
    bench.write("src/b.pyc")
    text = await bench.text(ListFiles(), depth=2)
    assert text == ("./\n  src/\n  .gitignore  20 B\n3 ignored entries left out; include_ignored=true lists them.")
    text = await bench.text(ListFiles(), depth=2, include_ignored=True)
    assert text == "./\n  node_modules/\n    x/\n  src/\n    b.pyc  0 B\n  .gitignore  20 B\n  a.pyc  0 B"
    text = await bench.text(ListFiles(), path="src")
    assert text.startswith("src/\n  (nothing but ignored entries)\n1 ignored entry left out;")


async def test_an_empty_folder_is_said_to_be_empty(bench: Bench) -> None:
    (bench.root / "empty").mkdir()
    assert await bench.text(ListFiles(), path="empty") == "empty/\n  (empty)"


async def test_more_than_500_entries_are_cut_upper_levels_first(bench: Bench) -> None:
    for number in range(40):
        for inner in range(20):
            bench.write(f"folder_{number:02}/{inner:02}.txt")
    output = await bench.run(ListFiles(), depth=2)
    text = output.display.detail
    lines = text.splitlines()
    assert [line.split("  (")[0] for line in lines if line.startswith("  f")] == [
        f"  folder_{n:02}/" for n in range(40)
    ]
    assert sum(line.startswith("    ") and not line.startswith("    …") for line in lines) == 460
    assert "  folder_39/  (not listed)" in lines
    assert lines[-1].startswith("Cut after 500 entries: list a folder marked as not listed by its own path;")
    assert output.display.summary == "500 entries, cut"


async def test_one_folder_with_too_many_entries_says_how_many_more(bench: Bench) -> None:
    for number in range(520):
        bench.write(f"{number:03}.txt")
    assert "\n  … 20 more entries\n" in await bench.text(ListFiles())


async def test_special_files_and_strange_names_stay_one_line_each(bench: Bench) -> None:
    os.mkfifo(bench.root / "fifo")
    bench.write("new\nline", "")
    bench.write(os.fsdecode(b"caf\xe9"), "")
    text = await bench.text(ListFiles())
    assert text == "./\n  caf\ufffd  0 B\n  fifo  (named pipe)\n  new\\nline  0 B"
    text.encode()


@pytest.mark.parametrize(
    ("path", "words"),
    [("a.txt", "a.txt is a file, not a folder; use read_files to read it."), ("nowhere", "nowhere does not exist.")],
)
async def test_what_is_no_folder_is_an_error(bench: Bench, path: str, words: str) -> None:
    bench.write("a.txt")
    with pytest.raises(WorkspaceError) as caught:
        await bench.run(ListFiles(), path=path)
    assert str(caught.value) == words


def test_the_title_while_it_runs() -> None:
    tool = ListFiles()
    assert tool.title(tool.Input(path="src")) == "Listing src/"
