"""What the tools that change files share: when they may look at a file, when they ask, and how a change is made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from code_assistant.events import Display
from code_assistant.permissions.access import EditAccess
from code_assistant.tools.tool import ToolContext
from code_assistant.workspace.names import plain_name
from code_assistant.workspace.opening import FileMissing
from code_assistant.workspace.threads import in_thread, in_thread_to_its_end
from code_assistant.workspace.workspace import ResolvedPath

if TYPE_CHECKING:
    from code_assistant.workspace.proposals import Proposal

NAMED_TARGETS = 2
# Arguments that are seen in a diff.
COVERED = ("path", "edits", "content")


async def require_may_look(tool_name: str, targets: Sequence[ResolvedPath], context: ToolContext) -> None:
    """Before a file is touched: what a rule denies is denied now, and what lies outside is not looked at unasked.

    Whether a change can be made tells much about a file, so without this a model could find out what is in it. A rule
    that allows the change allows to look, too.
    """
    for target in targets:
        await context.require_readable(tool_name, target, "look at")


async def make_change(
    tool_name: str, verb: str, target: ResolvedPath, proposal: Proposal, context: ToolContext
) -> None:
    """Ask with the whole diff, then make exactly this change; it is made or not, also when it is cancelled."""
    from code_assistant.workspace.proposals import carry_out

    other_names = not proposal.is_new and await in_thread(lambda _: _has_other_names(target))
    access = EditAccess((context.place(target),), other_names=other_names)
    action = f"{verb} {named((target,))}{' (which has other names, too)' if other_names else ''}"
    await context.require_permission(tool_name, access, action, detail=proposal.diff, form="diff")
    ledger, checkpoints = context.services.ledger, context.services.checkpoints
    await in_thread_to_its_end(lambda flag: carry_out(proposal, ledger, flag, checkpoints, only_name=not other_names))


def _has_other_names(target: ResolvedPath) -> bool:
    """A file with several names changes under all of them, wherever they are."""
    from code_assistant.workspace.changes import has_other_names

    try:
        return has_other_names(target.path, target.shown)
    except FileMissing:
        # Gone since it was looked at, which carrying out the change will say.
        return False


def display_of(done: str, proposal: Proposal) -> Display:
    return Display(f"{done} {proposal.shown}", proposal.summary, proposal.short_diff, "diff", COVERED)


def named(targets: Sequence[ResolvedPath]) -> str:
    """The targets for the person who is asked."""
    outside = "" if all(target.inside for target in targets) else " outside the workspace"
    return f"{listed([plain_name(target.shown) for target in targets])}{outside}"


def listed(names: Sequence[str], most: int = NAMED_TARGETS) -> str:
    more = len(names) - most
    first = ", ".join(names[:most])
    return f"{first} and {more} more" if more > 0 else first
