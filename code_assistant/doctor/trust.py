"""Whether the folder is trusted, and what that means for what is read of it."""

from __future__ import annotations

from code_assistant.config.folder_trust import FolderTrust
from code_assistant.doctor.finding import Finding, note, ok

UNTRUSTED = "{0} is not trusted, so of its own only rules that deny or ask count. To trust it: code-assistant trust"
CHANGED = "{0} is no longer trusted, for this has changed: {1}. To trust it again: code-assistant trust"


def check_trust(trust: FolderTrust) -> tuple[Finding, ...]:
    if trust.is_trusted:
        return (ok("trust", f"{trust.root} is trusted"),)
    standing = trust.standing
    words = (
        CHANGED.format(trust.root, ", ".join(standing.changed)) if standing.changed else UNTRUSTED.format(trust.root)
    )
    return (note("trust", words), *(note("trust", each) for each in (*standing.problems, *standing.notices)))
