"""Files of a project are read through ProjectFiles and by nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import code_assistant
from code_assistant.agent.memory import load_memory
from code_assistant.config.load import load_settings
from code_assistant.config.project_files import ProjectFiles
from tests.repositories import make_repository_mark
from tests.unit.agent.memory_guards import memory_guard

PACKAGE = Path(code_assistant.__file__).parent
PROJECT_NAMES = {"AGENTS.md", "CLAUDE.md", ".code-assistant"}
OPENERS = {"open", "fdopen", "read_text", "read_bytes", "read_descriptor"}


def names_project_files(tree: ast.Module) -> bool:
    """Whether code, not prose, holds one of the names or a path that ends in one."""
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return any(" " not in text and PROJECT_NAMES & set(text.split("/")) for text in texts)


def calls(tree: ast.Module) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def called_name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def modules_that_name_project_files() -> dict[str, ast.Module]:
    trees = {
        str(path.relative_to(PACKAGE)): ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")
    }
    return {name: tree for name, tree in trees.items() if names_project_files(tree)}


def test_safe_t1_modules_that_name_project_files_open_nothing_themselves() -> None:
    modules = modules_that_name_project_files()
    assert {"agent/memory.py", "config/project_files.py"} <= set(modules)
    for name, tree in modules.items():
        if name != "config/project_files.py":
            assert not OPENERS & {called_name(call) for call in calls(tree)}, f"{name} opens files itself"


def test_safe_t1_settings_and_memory_read_by_two_functions_only() -> None:
    for name in ("config/load.py", "agent/memory.py"):
        tree = ast.parse((PACKAGE / name).read_text(encoding="utf-8"))
        assert not OPENERS & {called_name(call) for call in calls(tree)}
        readers = [call for call in calls(tree) if "read" in called_name(call)]
        for call in readers:
            by_project = called_name(call).startswith("read") and "project" in ast.unparse(call.func)
            assert by_project or called_name(call) in ("read_user_file", "_read"), ast.unparse(call)


def test_safe_t1_every_project_file_passes_the_trust_question(tmp_path: Path) -> None:
    root, config = tmp_path / "project", tmp_path / "config"
    make_repository_mark(root)
    for folder in (root / ".code-assistant", root / "sub", config):
        folder.mkdir(parents=True)
    (root / ".code-assistant" / "config.toml").write_text("limits.max_turns = 7")
    (root / "AGENTS.md").write_text("root words @notes.md")
    (root / "notes.md").write_text("note words")
    (root / "sub" / "CLAUDE.md").write_text("sub words")
    (config / "AGENTS.md").write_text(f"own words @{root}/notes.md")
    asked: list[str] = []

    def load(answer: bool) -> tuple[int, str]:
        def trusted(path: Path) -> bool:
            asked.append(str(path.relative_to(root.resolve())))
            return answer

        project = ProjectFiles(root, trusted)
        loaded = load_settings(environ={}, project=project, config_folder=config, flags={})
        guard = memory_guard(root / "sub", config, home=tmp_path / "home")
        memory = load_memory(guard, project, max_bytes=9000)
        return loaded.settings.limits.max_turns, memory.text

    turns, text = load(answer=False)
    assert turns == 0
    assert "own words" in text
    assert not any(words in text for words in ("root words", "note words", "sub words"))
    asked.clear()
    turns, text = load(answer=True)
    assert turns == 7
    assert all(words in text for words in ("own words", "root words", "note words", "sub words"))
    assert set(asked) == {".code-assistant/config.toml", "AGENTS.md", "notes.md", "sub/CLAUDE.md"}
