"""write_file: a new file, or another content for one that the agent has read, under permission for exactly this."""

from __future__ import annotations

from pydantic import Field

from code_assistant.events import Display
from code_assistant.messages import Text
from code_assistant.tools.changing import display_of, make_change, require_may_look
from code_assistant.tools.scopes import CHANGING_SCOPES
from code_assistant.tools.tool import Tool, ToolContext, ToolOutput
from code_assistant.tools.tool_input import ToolInput
from code_assistant.workspace.names import counted, plain_name
from code_assistant.workspace.threads import in_thread


class WriteFileInput(ToolInput):
    path: str = Field(description="File to create or to replace; missing folders are made")
    content: str = Field(description="The whole content of the file")


class WriteFile(Tool[WriteFileInput]):
    name = "write_file"
    scopes = CHANGING_SCOPES
    Input = WriteFileInput

    def title(self, arguments: WriteFileInput) -> str:
        return f"Writing {arguments.path}"

    async def run(self, arguments: WriteFileInput, context: ToolContext) -> ToolOutput:
        from code_assistant.workspace.proposals import proposed_content
        from code_assistant.workspace.text_edits import require_text

        require_text(arguments.content, "content")
        target = context.workspace.resolve(arguments.path)
        await require_may_look(self.name, (target,), context)
        ledger = context.services.ledger
        proposal = await in_thread(lambda flag: proposed_content(target, arguments.content, ledger, flag))
        if proposal is None:
            shown = plain_name(target.shown)
            words = f"{shown} has exactly this content already; nothing was written."
            return ToolOutput((Text(words),), Display(f"Wrote {shown}", "unchanged"))
        await make_change(self.name, "create" if proposal.is_new else "overwrite", target, proposal, context)
        if proposal.is_new:
            words = f"Created {proposal.shown} ({counted(proposal.added, 'line')})."
            return ToolOutput((Text(words),), display_of("Created", proposal))
        return ToolOutput((Text(f"Wrote {proposal.shown}: {proposal.summary} lines."),), display_of("Wrote", proposal))
