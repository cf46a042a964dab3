"""Names that are not like others, for those who ask about reading and editing, and for the sandbox.

Where a changed file makes programs run or rules change; and where keys and tokens are.
"""

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

PROTECTED_NAMES = frozenset((*NEVER_CREATED, *NEVER_CHANGED, *STARTUP_FILES, *ASKED_ABOUT))

# Below the home folder: what nobody has any business with but the programs that keep it there.
SECRET_PLACES = (
    *(".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".netrc", "_netrc", ".pgpass", ".my.cnf"),
    *(".git-credentials", ".config/git/credentials", ".config/gh", ".config/hub", ".config/glab-cli"),
    *(".config/gcloud", ".config/op", ".config/doctl", ".config/rclone", ".config/sops", ".config/github-copilot"),
    *(".config/containers/auth.json", ".composer/auth.json", ".s3cfg", ".boto", ".npmrc", ".yarnrc.yml", ".pypirc"),
    *(".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".1password", ".config/1Password"),
    *(".m2/settings.xml", ".gradle/gradle.properties", ".terraform.d/credentials.tfrc.json", ".vault-token"),
    *(".password-store", ".local/share/keyrings", ".local/share/kwalletd", ".mozilla", ".thunderbird"),
    *(".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".Xauthority", ".ICEauthority"),
    *(".anthropic", ".config/anthropic", ".claude/.credentials.json", ".claude.json", ".codex/auth.json"),
    *(".bash_history", ".zsh_history", ".python_history", ".psql_history", ".mysql_history"),
    *(".node_repl_history", ".local/share/fish/fish_history"),
)
