"""Changes that can be made, as they are shown before they are: the exact bytes, and what differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from code_assistant.errors import ToolError
from code_assistant.workspace.changes import ContentChange, apply_content, content_to_change
from code_assistant.workspace.diff_text import NOTHING_THERE, bounded_diff, marked_diff
from code_assistant.workspace.diffs import added_and_removed, hunks_of
from code_assistant.workspace.file_text import NEW_FILE, FileText, file_text
from code_assistant.workspace.ledger import FileLedger, FileVersion
from code_assistant.workspace.names import plain_name, plain_size
from code_assistant.workspace.opening import FileMissing
from code_assistant.workspace.replacing import FileChanged
from code_assistant.workspace.rewriting import rewritten
from code_assistant.workspace.snapshots import MAXIMUM_BYTES
from code_assistant.workspace.text_edits import Replacement, TextEdit, applied, replacements_for
from code_assistant.workspace.threads import NOBODY_STOPS, StopFlag
from code_assistant.workspace.witness import Witness
from code_assistant.workspace.workspace import ResolvedPath

MAXIMUM_SHOWN_CHARACTERS = 20_000
MAXIMUM_DIFF_CHARACTERS = 12_000_000


@dataclass(frozen=True, slots=True)
class Proposal:
    """`diff` is whole, `short_diff` for looking back at it; `places` is how many pieces of the text are replaced.

    `is_known` when the agent has read the file, so that its own change is no surprise to it; `knows_all` when it knows
    the whole content that the file will have.
    """

    change: ContentChange
    is_known: bool
    knows_all: bool
    diff: str
    short_diff: str
    added: int
    removed: int
    places: int

    @property
    def shown(self) -> str:
        return self.change.shown

    @property
    def is_new(self) -> bool:
        return self.change.before is None

    @property
    def summary(self) -> str:
        return f"+{self.added} \N{MINUS SIGN}{self.removed}"


def proposed_edits(
    target: ResolvedPath, edits: Sequence[TextEdit], ledger: FileLedger, flag: StopFlag = NOBODY_STOPS
) -> Proposal:
    """All of the edits; raises ToolError or WorkspaceError when not every one of them can be made."""
    shown = plain_name(target.shown)
    before = content_to_change(target.path, shown)
    seen = ledger.seen(target.path)
    if seen is not None and seen != FileVersion.of(before):
        raise FileChanged(f"{shown} has changed since it was read; read it again.")
    text = file_text(before, shown)
    replacements = replacements_for(text, edits, shown)
    flag.check()
    _require_fitting(len(text.body) + sum(len(each.new) - each.end + each.start for each in replacements), shown)
    after = text.data(applied(text.body, replacements))
    if after == before:
        raise ToolError(f"{shown} would not be changed by that: its line ends are kept, and nothing else differs.")
    change = ContentChange(target.path, shown, before, after)
    knows_all = ledger.knows_all(target.path)
    return _proposal(change, text, replacements, flag, is_known=seen is not None, knows_all=knows_all)


def proposed_content(
    target: ResolvedPath, content: str, ledger: FileLedger, flag: StopFlag = NOBODY_STOPS
) -> Proposal | None:
    """A new file, or another content for one that this agent knows; None for a file that has just this content."""
    shown = plain_name(target.shown)
    try:
        before = content_to_change(target.path, shown)
    except FileMissing:
        change = ContentChange(target.path, shown, None, content.encode())
        _require_fitting(len(change.after), shown)
        return _proposal(change, NEW_FILE, [Replacement(0, 0, change.after)], flag)
    text = file_text(before, shown)
    _require_fitting(len(content), shown)
    body = rewritten(text, content)
    flag.check()
    after = text.data(body)
    version = FileVersion.of(before)
    if after == before:
        ledger.note(target.path, version)
        return None
    _require_known(ledger.seen(target.path), version, before, shown)
    if before and not ledger.knows_all(target.path):
        raise FileChanged(f"You have read only a part of {shown}. Read all of it first, or use edit to change a part.")
    change = ContentChange(target.path, shown, before, after)
    return _proposal(change, text, [Replacement(0, len(text.body), body)], flag)


def carry_out(
    proposal: Proposal, ledger: FileLedger, flag: StopFlag, witness: Witness | None = None, *, only_name: bool = False
) -> None:
    """Make the change that was shown; raises WorkspaceError when the file is no longer what it was then."""
    apply_content(replace(proposal.change, only_name=only_name), flag, witness)
    if proposal.is_known:
        ledger.note(proposal.change.path, FileVersion.of(proposal.change.after), is_whole=proposal.knows_all)


def _require_known(seen: FileVersion | None, version: FileVersion, before: bytes, shown: str) -> None:
    # In an empty file there is nothing to lose.
    if seen == version or not before:
        return
    if seen is None:
        raise FileChanged(
            f"{shown} exists and you have not read it. Read it first, or use edit to change a part of it."
        )
    raise FileChanged(f"{shown} has changed since it was read; read it again.")


def _require_fitting(size: int, shown: str) -> None:
    if size > MAXIMUM_BYTES:
        raise ToolError(f"{shown} would be larger than {plain_size(MAXIMUM_BYTES)}, too large to be written as text.")


def _proposal(
    change: ContentChange,
    text: FileText,
    replacements: Sequence[Replacement],
    flag: StopFlag,
    *,
    is_known: bool = True,
    knows_all: bool = True,
) -> Proposal:
    hunks = hunks_of(text.body, replacements, flag)
    old_name = NOTHING_THERE if change.before is None else change.shown
    added, removed = added_and_removed(hunks)
    diff = marked_diff(hunks, old_name, change.shown, text.shown)
    if len(diff) > MAXIMUM_DIFF_CHARACTERS:
        raise ToolError(
            f"The change of {change.shown} is too large to be looked through ({len(diff):,} characters of diff). "
            "Make smaller ones, or use a command."
        )
    return Proposal(
        change,
        is_known,
        knows_all,
        diff,
        bounded_diff(hunks, old_name, change.shown, text.shown, MAXIMUM_SHOWN_CHARACTERS),
        added,
        removed,
        len(replacements),
    )
