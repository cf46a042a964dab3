"""edit: replace exact pieces of text in a file, all of them or none, under permission for exactly this diff."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from code_assistant.errors import ToolError
from code_assistant.messages import Text
from code_assistant.tools.changing import display_of, make_change, require_may_look
from code_assistant.tools.scopes import CHANGING_SCOPES
from code_assistant.tools.tool import Tool, ToolContext, ToolOutput
from code_assistant.tools.tool_input import ToolInput
from code_assistant.workspace.names import counted
from code_assistant.workspace.opening import FileMissing
from code_assistant.workspace.suggestions import similar_paths
from code_assistant.workspace.threads import StopFlag, in_thread
from code_assistant.workspace.workspace import ResolvedPath

if TYPE_CHECKING:
    from code_assistant.workspace.proposals import Proposal
    from code_assistant.workspace.text_edits import TextEdit


class OneEdit(ToolInput):
    old_text: str = Field(description="The text to replace, exactly as it is in the file, without line numbers")
    new_text: str = Field(description="What comes in its place; may be empty")
    replace_all: bool = Field(default=False, description="Replace every occurrence instead of the only one")


class EditInput(ToolInput):
    path: str = Field(description="File to change")
    edits: list[OneEdit] = Field(min_length=1, max_length=50, description="All of them are made, or none")


class Edit(Tool[EditInput]):
    name = "edit"
    scopes = CHANGING_SCOPES
    Input = EditInput

    def title(self, arguments: EditInput) -> str:
        return f"Editing {arguments.path}"

    async def run(self, arguments: EditInput, context: ToolContext) -> ToolOutput:
        from code_assistant.workspace.text_edits import TextEdit, require_sensible

        edits = [TextEdit(each.old_text, each.new_text, each.replace_all) for each in arguments.edits]
        require_sensible(edits)
        target = context.workspace.resolve(arguments.path)
        await require_may_look(self.name, (target,), context)
        proposal = await in_thread(lambda flag: _proposed(target, edits, context, flag))
        await make_change(self.name, "edit", target, proposal, context)
        words = f"Edited {proposal.shown}: {counted(proposal.places, 'replacement')}, {proposal.summary} lines."
        return ToolOutput((Text(words),), display_of("Edited", proposal))


def _proposed(target: ResolvedPath, edits: list[TextEdit], context: ToolContext, flag: StopFlag) -> Proposal:
    from code_assistant.workspace.proposals import proposed_edits

    try:
        return proposed_edits(target, edits, context.services.ledger, flag)
    except FileMissing as error:
        similar = similar_paths(target, context.workspace, flag, context.services.gate.unseen(context.workspace.root))
        hint = f"Similar: {', '.join(similar)}." if similar else "Use write_file to create it."
        raise ToolError(f"{error} {hint}") from error
