"""Questions about names, texts, files, folders, topics and changes, through the real loop and the real tools."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from code_assistant.events import PermissionRequested, ToolFinished
from code_assistant.llm.offline.words import KEY_HELP
from tests.agent.offline.support import SHOP, checked, exploring, references, side_by_side, written
from tests.fakes.server import ScriptedServer


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(tmp_path, SHOP)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "where is Cart defined?",
            ["class `Cart` at `src/shop/cart.py:4`", "```python\nclass Cart:", "*who uses Cart?*"],
        ),
        (
            "who uses Cart?",
            ["`src/shop/main.py:3` `from shop.cart import Cart` · also line 7", "`tests/test_cart.py:1`"],
        ),
        ("where is Cart.total used", ["function `total` at `src/shop/cart.py:7`", "`src/shop/main.py:7`"]),
        ("where is art defined", ["`art` stands nowhere as a whole word", "`src/shop/cart.py`"]),
        ("find goods", ["`README.md:5`", "`src/shop/cart.py:5`"]),
        ("find guide", ["`docs/guide.md:1`", "In names of files:"]),
        ("find no_such_text", ["`no_such_text` stands in no text file"]),
        (
            "what does src/shop hold?",
            ["`src/shop/`: 3 files", "`src/shop/cart.py:1` (8 lines): “Carts.” · defines `Cart`"],
        ),
        ("what is in the shop folder?", ["`src/shop/`: 3 files"]),
        (
            "explain src/shop/cart.py",
            ["class `Cart` (`src/shop/cart.py:4`): `total`", "Imports that name it: `src/shop/main"],
        ),
        ("what does cart.py do", ["`src/shop/cart.py`: 8 lines, Python."]),
        ("README.md", ["The shop (`README.md:1`)"]),
        ("Makefile", ["`make run`, `make test` (`Makefile:1-4`)"]),
        ("what is docs/logo.png", ["docs/logo.png"]),
        ("what does nothing.py hold", ["does not exist"]),
        ("Cart", ["class `Cart` at `src/shop/cart.py:4`", "**Used**"]),
        ("what does .. hold", ["I was not allowed to"]),
        ("how is the total computed", ["`total…` in 3 files", "cannot explain", "`src/shop/cart.py:7`"]),
        ("why is the sky blue", ["Nothing in the text files", "`sky` or `blue…`", "**find TEXT**"]),
        (
            "how do I run it?",
            ["`make run`, `make test` (`Makefile:1-4`)", "`src/shop/main.py:10`", "nothing for: needs."],
        ),
        ("fix the total", ["needs a language model", KEY_HELP]),
        ("hello", ["made of rules", KEY_HELP]),
        ("what changed?", ["not allowed to run `git status --short --branch`", "--allow"]),
    ],
)
async def test_answers(server: ScriptedServer, folder: Path, question: str, expected: list[str]) -> None:
    async with exploring(server, folder) as harness:
        answer = checked(await harness.ask(question), folder)
        side_by_side(harness)
    for words in expected:
        assert words in answer


async def test_a_project_that_says_nothing_of_itself(server: ScriptedServer, tmp_path: Path) -> None:
    folder = written(tmp_path, {"a.py": "x = 1\n"})
    async with exploring(server, folder) as harness:
        assert "Nothing at the top of this folder says so" in checked(await harness.ask("how do I run it?"), folder)


async def test_several_names_by_a_sub_agent_each(server: ScriptedServer, folder: Path) -> None:
    async with exploring(server, folder) as harness:
        answer = checked(await harness.ask("where are Cart, main and Nothing defined?"), folder)
        assert side_by_side(harness) == 2
    assert "class `Cart` at `src/shop/cart.py:4`" in answer
    assert "function `main` at `src/shop/main.py:6`" in answer
    assert "`Nothing` stands nowhere" in answer


@pytest.mark.parametrize("question", ["who uses Widget?", "find Widget", "how does a widget work?"])
async def test_what_stands_in_many_places_is_shared_out_by_folder(
    server: ScriptedServer, tmp_path: Path, question: str
) -> None:
    files = {
        f"{part}/m{number}.py": "from widgets import Widget\n" + "x = Widget()\n" * 10
        for part in ("shop", "store", "tests")
        for number in range(12)
    }
    folder = written(tmp_path, {**files, "widgets.py": "class Widget:\n    pass\n"})
    async with exploring(server, folder) as harness:
        answer = checked(await harness.ask(question), folder)
        assert side_by_side(harness) >= 2
    assert {path.split("/")[0] for path, _, _ in references(answer, folder)} >= {"shop", "store"}


async def test_what_changed_when_git_may_run(server: ScriptedServer, folder: Path) -> None:
    committed(folder)
    async with exploring(server, folder, mode="yolo") as harness:
        answer = checked(await harness.ask("what changed?"), folder)
        assert "Nothing has changed since the last commit." in answer
        assert "The shop opens" in answer
        (folder / "Makefile").write_text("run:\n\ttrue\n")
        (folder / "new.py").write_text("x = 1\n")
        answer = checked(await harness.ask("what changed?"), folder)
    assert "On `main`. 2 paths changed since the last commit: 1 changed, 1 new." in answer
    assert " M Makefile\n?? new.py" in answer
    assert "1 file changed" in answer


async def test_what_changed_before_the_first_commit(server: ScriptedServer, folder: Path) -> None:
    git(folder, "init", "-q", "-b", "main")
    async with exploring(server, folder, mode="yolo") as harness:
        answer = checked(await harness.ask("what changed?"), folder)
        assert len(harness.of(ToolFinished)) == 1
    assert "On `main`, which has no commit yet." in answer
    assert "?? src/" in answer


@pytest.mark.parametrize(
    ("is_changed", "missing", "command"),
    [(True, "how many lines changed", "git diff --stat HEAD"), (False, "the last commits", "git log --oneline -n 10")],
)
async def test_what_changed_says_what_is_missing_and_how_to_allow_it(
    server: ScriptedServer, folder: Path, is_changed: bool, missing: str, command: str
) -> None:
    committed(folder)
    if is_changed:
        (folder / "Makefile").write_text("run:\n\ttrue\n")
    async with exploring(server, folder, asks_broker=True, ask=["Bash"]) as harness:
        harness.session.send("what changed?")
        harness.session.answer_permission((await harness.until(PermissionRequested)).request_id, "once")
        harness.session.answer_permission((await harness.until(PermissionRequested, 2)).request_id, "deny")
        await harness.until_so(lambda: bool(harness.finished))
        told = checked(harness.finished[0], folder)
        assert [each.detail for each in harness.of(PermissionRequested)] == ["git status --short --branch", command]
    assert ("1 path changed" if is_changed else "Nothing has changed") in told
    assert f"Missing is {missing}: I was not allowed to run `{command}`." in told
    assert f'--allow "Bash({command})"' in told


async def test_what_changed_without_git(server: ScriptedServer, folder: Path) -> None:
    async with exploring(server, folder, mode="yolo") as harness:
        assert "not in a git repository" in checked(await harness.ask("what changed?"), folder)


async def test_what_changed_asks_the_person_who_may_say_no(server: ScriptedServer, folder: Path) -> None:
    async with exploring(server, folder, asks_broker=True) as harness:
        harness.session.send("what changed?")
        asked = await harness.until(PermissionRequested)
        assert asked.detail == "git status --short --branch"
        harness.session.answer_permission(asked.request_id, "deny")
        await harness.until_so(lambda: bool(harness.finished))
        assert "I was not allowed to run `git status --short --branch`" in checked(harness.finished[0], folder)
        assert [each.status for each in harness.of(ToolFinished)] == ["denied"]


async def test_one_question_after_the_other(server: ScriptedServer, folder: Path) -> None:
    async with exploring(server, folder) as harness:
        for question in ("overview", "where is Cart defined?", "thanks", "overview"):
            checked(await harness.ask(question), folder)
    # The same folder gives the same answer, whatever was asked in between.
    assert harness.finished[0].answer == harness.finished[3].answer


def committed(folder: Path) -> None:
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "The shop opens")


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize(
    "question", ["find goods", "where is Cart defined", "where are Cart and main used", "how do carts work"]
)
async def test_where_searching_is_denied_nothing_is_claimed(
    server: ScriptedServer, folder: Path, question: str
) -> None:
    async with exploring(server, folder, deny=["search_files"]) as harness:
        answer = checked(await harness.ask(question), folder)
    assert "searched for" in answer and "search_files denies it" in answer
    assert "nowhere" not in answer and "around" not in answer
