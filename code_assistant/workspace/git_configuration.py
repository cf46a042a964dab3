"""The configuration that git acts on, and which of its keys can start a program or lead out of the repository.

Even commands that only read do what the configuration says: `git status` starts what `core.fsmonitor` and filters name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

# Files of the person's own. What stands in any other comes with the repository.
OWN_SCOPES = frozenset({"system", "global"})
# All keys of a section: nearly every one of them names a program, a file to go on with or a way into the network.
SECTIONS = frozenset(
    {
        *("include", "includeif", "filter", "hook", "pager", "credential", "gpg", "protocol", "url", "trace2"),
        # Formats: those that tell of signatures have them checked.
        "pretty",
        *("mergetool", "difftool", "guitool", "browser", "man", "web", "instaweb", "sendemail", "imap", "trailer"),
    }
)
WHOLE_KEYS = frozenset(
    {
        *("core.hookspath", "core.worktree", "core.sshcommand", "core.gitproxy", "core.alternaterefscommand"),
        *("diff.external", "diff.tool", "merge.tool", "interactive.difffilter", "sequence.editor"),
        # Objects that are missing are fetched, by whatever the remote says, when somebody looks at them.
        *("extensions.partialclone", "log.showsignature", "init.templatedir", "uploadpack.packobjectshook"),
        # The same as with formats: an order can be that of signatures.
        *("format.pretty", "branch.sort", "tag.sort", "diff.submodule", "status.submodulesummary"),
        # Files anywhere, of which something is shown or can be found out.
        *("blame.ignorerevsfile", "core.attributesfile", "core.excludesfile", "mailmap.file", "diff.orderfile"),
    }
)
# With whatever stands between: remote.origin.uploadpack.
SECTIONS_AND_WORDS = frozenset(
    {
        *(("remote", word) for word in ("uploadpack", "receivepack", "vcs", "promisor", "partialclonefilter")),
        ("lfs", "customtransfer"),
    }
)
# In whatever section, those that git will know one day included.
WORDS = frozenset(
    {
        *("command", "cmd", "program", "helper", "driver", "textconv", "external", "editor", "pager", "askpass"),
        *("clean", "smudge", "process", "hook", "hookspath", "sshcommand", "defaultkeycommand", "tunnel"),
    }
)
# An alias never stands for a command that git has itself.
HARMLESS_SECTIONS = frozenset({"alias"})
FALSE_WORDS = frozenset({"false", "no", "off", "0", ""})


@dataclass(frozen=True, slots=True)
class ConfigEntry:
    """A key as git gives it; `value` is None where it stands without one, which means true."""

    scope: str
    key: str
    value: str | None

    @property
    def is_own(self) -> bool:
        return self.scope in OWN_SCOPES

    @property
    def section(self) -> str:
        return self.key.partition(".")[0].lower()

    @property
    def middle(self) -> str:
        """What stands between the section and the last word: the name of a remote, a filter, a submodule."""
        return self.key.partition(".")[2].rpartition(".")[0]

    @property
    def word(self) -> str:
        return self.key.rpartition(".")[2].lower()

    @property
    def is_dangerous(self) -> bool:
        """Whether some command of git's may start a program because of it, or work elsewhere."""
        if self.section in HARMLESS_SECTIONS:
            return False
        if self.key.lower() == "core.fsmonitor":
            # True is a program, too: one that stays.
            return self.value is None or self.value.lower() not in FALSE_WORDS
        return (
            self.section in SECTIONS
            or self.word in WORDS
            or self.key.lower() in WHOLE_KEYS
            or (self.section, self.word) in SECTIONS_AND_WORDS
            or self._names_program_in_value
        )

    @property
    def _names_program_in_value(self) -> bool:
        value = self.value or ""
        match self.section, self.word:
            case "remote", "url" | "pushurl":
                return "::" in value
            case "submodule", "update":
                return value.startswith("!")
            case _:
                return False


def parsed_configuration(output: bytes) -> Iterator[ConfigEntry]:
    """What `git config --list --show-scope -z` says: a scope and an entry by turns."""
    fields = output.decode("utf-8", "surrogateescape").split("\0")
    for scope, entry in zip(fields[::2], fields[1::2], strict=False):
        key, has_value, value = entry.partition("\n")
        yield ConfigEntry(scope, key, value if has_value else None)
