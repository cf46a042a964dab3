"""The tools that rules can be about, under our own names and under those that other programs have for them."""

from __future__ import annotations

READ_TOOLS = frozenset({"read_files", "list_files", "glob_files", "search_files"})
EDIT_TOOLS = frozenset({"edit", "write_file", "delete_files"})
# For a single file, which stays.
FILE_TOOLS = EDIT_TOOLS - {"delete_files"}
COMMAND_TOOLS = frozenset({"execute_command"})
FETCH_TOOLS = frozenset({"web_fetch"})
SPAWN_TOOLS = frozenset({"spawn_agent"})
OTHER_TOOLS = frozenset({"web_search", "todo", "ask_user", "present_plan", "command_output", "stop_command"})
OWN_TOOLS = READ_TOOLS | EDIT_TOOLS | COMMAND_TOOLS | FETCH_TOOLS | SPAWN_TOOLS | OTHER_TOOLS
NAMES: dict[str, frozenset[str]] = {
    **dict.fromkeys(("Read", "Grep", "Glob", "LS"), READ_TOOLS),
    **dict.fromkeys(("Edit", "Write", "MultiEdit"), EDIT_TOOLS),
    "EditFile": FILE_TOOLS,
    "Bash": COMMAND_TOOLS,
    "WebFetch": FETCH_TOOLS,
    **dict.fromkeys(("Agent", "Task"), SPAWN_TOOLS),
    "WebSearch": frozenset({"web_search"}),
    "TodoWrite": frozenset({"todo"}),
    "AskUserQuestion": frozenset({"ask_user"}),
    "ExitPlanMode": frozenset({"present_plan"}),
    "BashOutput": frozenset({"command_output"}),
    "KillShell": frozenset({"stop_command"}),
    **{name: frozenset({name}) for name in OWN_TOOLS},
}
