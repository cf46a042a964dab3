"""The system prompt: how to work, facts about the place, and the memory files. Fixed for a session.

It must not change while a conversation goes on: caches and the models' own thinking depend on it.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from code_assistant.config.project_files import ProjectFiles, holds_repository
from code_assistant.own_texts import own_text
from code_assistant.workspace.workspace import Workspace

NOTES_HEADING = "Project notes, written by the developer and the project for you:"


@dataclass(frozen=True, slots=True)
class Environment:
    """Facts about the place that the model cannot see by itself."""

    working_folder: Path
    extra_folders: tuple[Path, ...]
    repository: Path | None
    branch: str | None
    system: str
    today: date
    model: str


def read_environment(workspace: Workspace, project: ProjectFiles, model: str) -> Environment:
    """Look at the place without running anything, git included."""
    is_repository = holds_repository(project.root)
    return Environment(
        working_folder=workspace.root,
        extra_folders=workspace.folders[1:],
        repository=project.root if is_repository else None,
        branch=project.branch() if is_repository else None,
        system=f"{platform.system()} {platform.release()}".strip(),
        today=date.today(),
        model=model,
    )


def system_prompt(environment: Environment, memory: str) -> str:
    how_to_work = own_text("agent", "system_prompt.md").strip()
    return f"{how_to_work}\n\n{surroundings(environment, memory)}"


def surroundings(environment: Environment, memory: str) -> str:
    """What every agent should know of the place, whatever its task."""
    if not memory:
        return _facts(environment)
    return f"{_facts(environment)}\n\n{NOTES_HEADING}\n\n{memory}"


def _facts(environment: Environment) -> str:
    lines = [f"- Working folder: {environment.working_folder}"]
    lines += [f"- Also open: {folder}" for folder in environment.extra_folders]
    if environment.repository is None:
        lines.append("- Not a git repository")
    else:
        branch = f", branch {environment.branch}" if environment.branch else ""
        lines.append(f"- Git repository: {environment.repository}{branch}")
    lines.append(f"- System: {environment.system}")
    lines.append(f"- Date at the start: {environment.today.isoformat()}")
    lines.append(f"- Model: {environment.model}")
    return "Where you are\n" + "\n".join(lines)
