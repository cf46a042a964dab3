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

# Below the home folder, where one of these folders may be opened alone: what starts by itself or with a program, and
# what is found by its name. Where home itself is opened, all that is under a name with a dot is taken for such.
HOME_PLACES = (
    *("bin", "go/bin", ".local/bin", ".local/lib", ".local/pipx", ".cargo/bin", ".cargo/config", ".cargo/config.toml"),
    *(".cargo/env", ".config/autostart", ".config/environment.d", ".config/systemd", ".config/plasma-workspace"),
    *(".config/fish", ".config/bash", ".config/zsh", ".config/nushell", ".config/powershell", ".config/starship.toml"),
    *(".config/direnv", ".config/mise", ".config/git", ".config/gh", ".config/jj", ".config/tmux", ".config/zellij"),
    *(".config/kitty", ".config/alacritty", ".config/wezterm", ".config/ghostty", ".config/foot", ".config/ranger"),
    *(".config/nvim", ".config/vim", ".config/emacs", ".config/doom", ".config/helix", ".config/micro", ".config/zed"),
    *(".config/Code", ".config/VSCodium", ".config/Cursor", ".config/JetBrains", ".config/sublime-text"),
    *(".config/i3", ".config/sway", ".config/hypr", ".config/awesome", ".config/bspwm", ".config/sxhkd"),
    *(".config/openbox", ".config/qtile", ".config/xmonad", ".config/mpv", ".config/pip", ".config/npm"),
    *(".config/yarn", ".config/pnpm", ".config/nix", ".config/nixpkgs", ".config/home-manager", ".config/containers"),
    *(".local/share/applications", ".local/share/systemd", ".local/share/dbus-1", ".local/share/fish"),
    *(".local/share/bash-completion", ".local/share/nvim", ".local/share/gnome-shell", ".local/share/nautilus-python"),
)
# Of the program's own, in its folder of settings: keys of providers.
KEYS_FILE = "keys.json"

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
