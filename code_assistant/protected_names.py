"""Names where a changed file makes programs run or rules change; for those who ask about edits, and for the sandbox."""

from __future__ import annotations

GIT = ".git"
# A command cannot even make these: programs take orders from them as soon as they are there.
NEVER_CREATED = (GIT, ".code-assistant", ".claude", ".agents", ".mcp.json", ".vscode", ".idea")
# A command cannot change these where they are.
NEVER_CHANGED = (".gitmodules", ".husky", ".githooks", ".envrc", ".devcontainer", ".cursor")
# In a home folder: what shells, git and other programs read whenever they start.
STARTUP_FILES = (
    *(".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".kshrc", ".cshrc"),
    *(".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".xprofile", ".vimrc"),
    *(".gitconfig", ".ssh", ".netrc", ".npmrc"),
)
# Edits of these are asked about, no more: commands of every day write them.
ASKED_ABOUT = ("agents.md", "claude.md", ".github", ".gitlab-ci.yml", ".pre-commit-config.yaml")

# Of the program's own, in its folder of settings: keys of providers.
KEYS_FILE = "keys.json"

PROTECTED_NAMES = frozenset((*NEVER_CREATED, *NEVER_CHANGED, *STARTUP_FILES, *ASKED_ABOUT))
