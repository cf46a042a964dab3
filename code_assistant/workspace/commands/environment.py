"""What commands know of the person's environment: an allow list, in which no key of a provider can be."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import PurePosixPath

from code_assistant.secrets import is_secret

PASSED = frozenset(
    {
        *("HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "SSH_AUTH_SOCK"),
        *("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"),
        *("XDG_CONFIG_DIRS", "XDG_DATA_DIRS"),
        *("VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "PYENV_ROOT", "NVM_DIR", "NVM_BIN", "JAVA_HOME"),
        *("GOPATH", "GOROOT", "CARGO_HOME", "RUSTUP_HOME", "DOTNET_ROOT", "ANDROID_HOME"),
        *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR"),
    }
)
PASSED_PREFIX = "LC_"
# Nobody can page, answer a question or see colours.
FIXED = {"TERM": "dumb", "PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0", "NO_COLOR": "1"}
SYSTEM_FOLDERS = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin", "/sbin")


def command_environment(environ: Mapping[str, str], secrets: Collection[str] = ()) -> dict[str, str]:
    """The whole environment of commands. A variable that holds one of the secrets is left out, whatever its name."""
    passed = {
        name: value
        for name, value in environ.items()
        if (name in PASSED or name.startswith(PASSED_PREFIX)) and not _tells(value, secrets)
    }
    return {**passed, **FIXED, "PATH": _fixed_path(environ.get("PATH", ""), secrets)}


def _tells(value: str, secrets: Collection[str]) -> bool:
    # Within other text only what cannot be an ordinary word: a key "home" must not cost the variable HOME.
    return any(secret == value or (is_secret(secret) and secret in value) for secret in secrets)


def _fixed_path(path: str, secrets: Collection[str]) -> str:
    """The person's order; without what depends on the folder a command runs in."""
    own = (entry for entry in path.split(":") if PurePosixPath(entry).is_absolute() and not _tells(entry, secrets))
    return ":".join(dict.fromkeys((*own, *SYSTEM_FOLDERS)))
