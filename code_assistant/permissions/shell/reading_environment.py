"""What a command that was proved to read only is run with, where no wall keeps it from writing."""

from __future__ import annotations

from collections.abc import Sequence

# Of git: nothing is started, nothing is fetched, the index is not written again.
_GIT_SETTINGS = (
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.untrackedCache", "false"),
    ("diff.autoRefreshIndex", "false"),
    ("safe.bareRepository", "explicit"),
    ("submodule.recurse", "false"),
    ("status.submoduleSummary", "false"),
    ("diff.ignoreSubmodules", "all"),
    ("diff.submodule", "short"),
    ("log.showSignature", "false"),
    *((f"gpg.{kind}program", "/bin/false") for kind in ("", "openpgp.", "ssh.", "x509.")),
)
_FIXED = {
    # How a text is cut into words, what a range of letters holds, and where `cd` leads must be what was looked at.
    "LC_ALL": "C.UTF-8",
    "CDPATH": "",
    "BASH_ENV": "",
    "RIPGREP_CONFIG_PATH": "",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    # One object could be shown in the place of another.
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "PAGER": "cat",
}


def reading_environment(folders: Sequence[str] = ()) -> dict[str, str]:
    """To be laid over a command's environment; with the system's `folders`, those are all that programs come from."""
    settings = {
        name: value
        for number, (key, setting) in enumerate(_GIT_SETTINGS)
        for name, value in ((f"GIT_CONFIG_KEY_{number}", key), (f"GIT_CONFIG_VALUE_{number}", setting))
    }
    path = {"PATH": ":".join(folders)} if folders else {}
    return {**_FIXED, "GIT_CONFIG_COUNT": str(len(_GIT_SETTINGS)), **settings, **path}
