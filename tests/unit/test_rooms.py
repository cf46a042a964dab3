"""Who may import whom: the rooms of the house, kept by walking the imports."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

from tests.rows import each_row

PACKAGE = Path(__file__).parents[2] / "code_assistant"

# What everybody may use. It imports nothing of ours beyond itself.
GROUND = {
    "events",
    "event_parts",
    "agent_events",
    "context_events",
    "file_events",
    "context_report",
    "messages",
    "errors",
    "channel",
    "sanitize",
    "secrets",
    "slices",
    "sandbox_kind",
    "secret_beginnings",
    "secret_formats",
    "secret_values",
    "secret_words",
    "stored_secrets",
    "message_json",
    "own_texts",
    "event_json",
    "json_forms",
    "exit_codes",
    "globs",
    "private_files",
    "protected_names",
    "file_references",
}
# Each room and the rooms it may look into.
ROOMS: dict[str, set[str]] = {
    "config": set(),
    "llm": set(),
    "workspace": set(),
    # What belongs to a session is copied with it.
    "session": {"checkpoints"},
    "permissions": set(),
    "web": set(),
    "checkpoints": {"workspace"},
    "tools": {"workspace", "permissions", "web", "checkpoints"},
    "agent": {"config", "llm", "workspace", "permissions", "tools", "session", "checkpoints"},
    "subagents": {"config", "llm", "workspace", "permissions", "tools", "session", "agent"},
    "resuming": {"session", "agent", "subagents"},
    "exporting": {"session"},
    # Which model would start is decided where the program is put together.
    "doctor": {"config", "llm", "workspace", "model_choice"},
    "headless": {"agent"},
    # Of permission only the names of modes and answers, which commands to the session are made of.
    "tui": {"agent", "permissions", "doctor", "session", "checkpoints", "cli"},
}
# A front end sees of the agent only the live session.
NARROW = {
    ("headless", "agent"): {"code_assistant.agent.session"},
    ("tui", "agent"): {"code_assistant.agent.session"},
    ("tui", "doctor"): {"code_assistant.doctor.finding"},
    ("tui", "checkpoints"): {
        "code_assistant.checkpoints.checkpoints",
        "code_assistant.checkpoints.differences",
        "code_assistant.checkpoints.restoring",
    },
    # Of sessions on disk what stands in them; who writes them is none of its business.
    ("tui", "session"): {
        "code_assistant.session.lines",
        "code_assistant.session.lock",
        "code_assistant.session.not_found",
        "code_assistant.session.past",
        "code_assistant.session.search",
        "code_assistant.session.summary",
        "code_assistant.session.view_state",
    },
    ("tui", "permissions"): {
        "code_assistant.permissions.modes",
        "code_assistant.permissions.answers",
        "code_assistant.permissions.listed_rules",
    },
}
ENTRY = {
    "__main__": {"cli"},
    "cli": {"launch", "one_prompt", "check_setup", "sessions_command", "trust_command", "config", "permissions"},
    "sessions_command": {"cli", "launch", "session_choice", "config", "session", "exporting"},
    "trust_command": {"config"},
    "debug_log": {"config"},
    "tapes": {"config", "llm"},
}
# Where the program is put together: these may see everything.
ROOT = {"assembly", "launch", "check_setup", "main_agent", "model_access", "model_choice", "one_prompt", "rule_layers"}
ROOT |= {"screen_session", "session_choice", "session_plan", "session_services"}
HEAVY = {"anthropic", "textual", "mcp", "openai", "httpx2", "tree_sitter", "tree_sitter_bash"}


@functools.cache
def imports(path: Path) -> list[tuple[str, bool]]:
    """Every imported module, and whether it is imported only when a function runs, or never."""
    tree = ast.parse(path.read_text())
    lazy = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or _is_for_types_only(node)
        for inner in ast.walk(node)
    }
    found: list[tuple[str, bool]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, node in lazy) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append((node.module, node in lazy))
    return found


def _is_for_types_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def room_of(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if parts[0] == "code_assistant" and len(parts) > 1 else None


MODULES = sorted(PACKAGE.rglob("*.py"))


@each_row("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_rooms_import_only_what_they_may(path: Path) -> None:
    here = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if here in {*ROOT, "__init__"}:
        return
    allowed = GROUND | {here} if here in GROUND else GROUND | {here} | ROOMS.get(here, set()) | ENTRY.get(here, set())
    for module, _ in imports(path):
        room = room_of(module)
        assert room is None or room in allowed, f"{path} imports {module}"
        if room is not None and (here, room) in NARROW:
            assert module in NARROW[here, room], f"{path} imports {module}"


@each_row("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_heavy_packages_are_imported_only_on_use(path: Path) -> None:
    heavy = HEAVY - {"textual"} if path.relative_to(PACKAGE).parts[0] == "tui" else HEAVY
    for module, lazy in imports(path):
        assert lazy or module.split(".")[0] not in heavy, f"{path} imports {module} at its top"


def test_only_the_sdk_transport_imports_the_sdk() -> None:
    users = [path for path in MODULES if any(module.split(".")[0] == "anthropic" for module, _ in imports(path))]
    assert users == [PACKAGE / "llm" / "anthropic" / "sdk.py"]


def test_every_room_is_known() -> None:
    rooms = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name not in {"__pycache__", "themes"}}
    assert rooms == set(ROOMS)
