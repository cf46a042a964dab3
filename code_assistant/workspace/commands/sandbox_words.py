"""What is said to a model whose command may have met the walls of the sandbox."""

from __future__ import annotations

from code_assistant.workspace.commands.ending import Ending
from code_assistant.workspace.commands.running import Command

# Of bubblewrap itself, before the command has begun.
SETTING_UP = "bwrap: "
SIGNS = (
    "read-only file system",
    "permission denied",
    "operation not permitted",
    "device or resource busy",
    "network is unreachable",
    "could not resolve host",
    "temporary failure in name resolution",
    "name or service not known",
)
NOT_SET_UP = "The sandbox could not be set up, so the command was not run."
ASK = (
    "If the command is needed all the same, ask the person with outside_sandbox=true; folders that are needed often, "
    "such as caches, the person can open in sandbox.writable."
)
MAYBE = (
    "This may be the sandbox: only the workspace and /tmp can be written, not its .git/config, .git/hooks, .claude and "
    f"the like, and keys in the home folder cannot be read. {ASK}"
)
MAYBE_READ_ONLY = "This may be the sandbox: nothing can be written but /tmp, and there is no network."
# Landlock hides nothing and gives no /tmp of its own.
MAYBE_LANDLOCK = f"This may be the sandbox: only the workspace and the folder in $TMPDIR can be written. {ASK}"
MAYBE_LANDLOCK_READ_ONLY = (
    "This may be the sandbox: nothing can be written but the folder in $TMPDIR, and there is no network."
)


def sandbox_remarks(command: Command, ending: Ending, printed: str) -> tuple[str, ...]:
    """None for a command that went well, or that ran without a sandbox."""
    sandbox = command.sandbox
    if sandbox is None or sandbox.kind == "none" or ending.is_good:
        return ()
    if sandbox.kind == "bubblewrap" and ending.status == 1 and printed.startswith(SETTING_UP):
        return (NOT_SET_UP,)
    lowered = printed.lower()
    if not any(sign in lowered for sign in SIGNS):
        return ()
    if sandbox.kind == "landlock":
        return (MAYBE_LANDLOCK_READ_ONLY if command.is_read_only else MAYBE_LANDLOCK,)
    return (MAYBE_READ_ONLY,) if command.is_read_only else (MAYBE,)
