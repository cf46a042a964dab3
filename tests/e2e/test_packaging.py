"""A newcomer's path: the wheel in a fresh environment, and `make run` in a fresh clone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from code_assistant import __version__
from tests.fakes.script import call, text, turn
from tests.fakes.server import ScriptedServer

ROOT = Path(__file__).parents[2]
# These tests may themselves be run by make; what it tells its children is not for the one that is tested.
OUTER_MAKE = {"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "ARGS"}


def run(*command: str | Path, cwd: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        # Compiling everything takes longer than what little of it is run.
        env={
            **{name: value for name, value in os.environ.items() if name not in OUTER_MAKE},
            "PIP_NO_COMPILE": "1",
            **environ,
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


def clone(target: Path) -> Path:
    """The project as a newcomer gets it: without an environment, caches, or anything built."""
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", cwd=ROOT).stdout
    for name in filter(None, listed.split("\0")):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target / name)
    return target


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    source = clone(folder / "source")
    build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder, source]
    run(*build, cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_everything_it_needs(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    themes = {f"code_assistant/themes/{path.name}" for path in (ROOT / "themes").glob("*.toml")}
    assert themes
    assert themes <= names
    prompts = {str(path.relative_to(ROOT)) for path in (ROOT / "code_assistant").rglob("*.md")}
    assert {"code_assistant/tools/read_files.md", "code_assistant/agent/system_prompt.md"} <= prompts
    assert prompts <= names
    assert not [name for name in names if name.startswith(("tests/", "benchmarks/"))]


@pytest.mark.timeout(420)
def test_make_run_in_a_fresh_clone_and_the_wheel_in_that_environment(
    wheel: Path, tmp_path: Path, server: ScriptedServer
) -> None:
    """One environment for both, since making it is most of the work."""
    folder = clone(tmp_path / "clone")
    # Plain python3 and pip, as on a machine that has nothing else.
    path = os.pathsep.join(
        folder
        for folder in os.environ["PATH"].split(os.pathsep)
        if not (Path(folder) / "uv").exists() and not Path(folder).is_relative_to(sys.prefix)
    )
    done = run("make", "run", "ARGS=--help", cwd=folder, PATH=path, VIRTUAL_ENV="")
    assert "usage: code-assistant" in done.stdout
    again = run("make", "run", "ARGS=--version", cwd=folder, PATH=path, VIRTUAL_ENV="")
    assert again.stdout == f"code-assistant {__version__}\n"
    check_wheel(folder / ".venv" / "bin", wheel, tmp_path, server)


def check_wheel(programs: Path, wheel: Path, folder: Path, server: ScriptedServer) -> None:
    """Instead of the clone, which is gone; all that the wheel says it needs is there, and without an index."""
    run(programs / "python", "-m", "pip", "uninstall", "--quiet", "--yes", "code-assistant", cwd=folder)
    shutil.rmtree(folder / "clone" / "code_assistant")
    run(programs / "python", "-m", "pip", "install", "--quiet", "--no-index", wheel, cwd=folder)
    program = programs / "code-assistant"
    assert run(program, "--version", cwd=folder).stdout == f"code-assistant {__version__}\n"
    server.script_default([turn(call("list_files", {})), turn(text("It works."))])
    answer = run(program, "-p", "hi", cwd=folder, ANTHROPIC_BASE_URL=server.url, ANTHROPIC_API_KEY="test-key-1")
    assert answer.stdout == "It works.\n"
    found = "from code_assistant.config.paths import themes_folder; print(themes_folder())"
    themes = Path(run(programs / "python", "-c", found, cwd=folder).stdout.strip())
    assert themes.is_relative_to(programs.parent)
    assert list(themes.glob("*.toml"))
    assert server.problems == []
