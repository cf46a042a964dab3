"""execute_command: run a shell command to its end, or in the background, under permission for exactly this command."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from pydantic import Field, field_validator

from code_assistant.errors import ToolError
from code_assistant.events import Display
from code_assistant.messages import Text
from code_assistant.permissions.access import ToolAccess
from code_assistant.permissions.approver import PermissionRequest
from code_assistant.tools.command_text import COVERED, detail_of, joined
from code_assistant.tools.scopes import CHANGING_SCOPES
from code_assistant.tools.tool import Tool, ToolContext, ToolOutput
from code_assistant.tools.tool_input import ToolInput
from code_assistant.workspace.commands.ending import plain_duration
from code_assistant.workspace.commands.live_output import LiveOutput
from code_assistant.workspace.commands.names import short_command
from code_assistant.workspace.commands.result_text import output_for_people, result_text
from code_assistant.workspace.commands.running import Command
from code_assistant.workspace.commands.sandbox_words import sandbox_remarks
from code_assistant.workspace.commands.table import Finished
from code_assistant.workspace.names import plain_name
from code_assistant.workspace.opening import require_folder
from code_assistant.workspace.workspace import ResolvedPath

if TYPE_CHECKING:
    from code_assistant.tools.command_proof import Proof
    from code_assistant.tools.services import ToolServices

READ_ONLY_LIMITS = "It runs read-only (but for a /tmp of its own), without network."
NO_WALLS = "There is no sandbox: it can do all that you can."
ENDING_WORDS = "Ending it with everything it has started …"


class ExecuteCommandInput(ToolInput):
    command: str = Field(min_length=1, max_length=30_000, description="What bash is to run, exactly as it is")
    cwd: str = Field(default=".", description="Folder to run it in, relative to the workspace root")
    timeout_s: float = Field(default=120, ge=1, le=3600, description="Seconds until it is ended; not in the background")
    background: bool = Field(default=False, description="Return at once and let it run; gives an id")
    outside_sandbox: bool = Field(
        default=False, description="Ask the person to let it run outside of the sandbox, after it failed because of it"
    )

    @field_validator("command")
    @classmethod
    def _can_be_given_to_a_program(cls, command: str) -> str:
        if "\0" in command:
            raise ValueError("a command cannot hold a NUL character")
        try:
            command.encode("utf-8")
        except UnicodeEncodeError:
            raise ValueError("a command cannot hold half of a character (a lone surrogate)") from None
        return command


class ExecuteCommand(Tool[ExecuteCommandInput]):
    name = "execute_command"
    scopes = CHANGING_SCOPES
    Input = ExecuteCommandInput

    def title(self, arguments: ExecuteCommandInput) -> str:
        return f"Running {short_command(arguments.command)}"

    async def run(self, arguments: ExecuteCommandInput, context: ToolContext) -> ToolOutput:
        folder = await context.readable(self.name, arguments.cwd, "work in", f"to run there: {arguments.command}")
        require_folder(folder.path, folder.shown)
        where = "" if folder.shown == "." else f" in {plain_name(folder.shown)}"
        leaves = await self._leaves_sandbox(arguments, context)
        how = f"{' in the background' if arguments.background else ''}{' OUTSIDE of the sandbox' if leaves else ''}"
        proof = await self._proof(arguments.command, folder, context)
        access = replace(proof.access, leaves_sandbox=leaves)
        services = context.services
        action, limits = f"run a command{how}{where}", _limits(services)
        decision = await context.require_permission(self.name, access, action, detail=arguments.command, limits=limits)
        is_read_only = services.is_read_only or access.is_read_only or services.gate.mode == "plan"
        sandbox = None if leaves else services.sandbox
        # Whoever was asked has said yes to the very text.
        is_proved = decision.on_proof or access.is_read_only
        script, remark = (proof.script, proof.remark) if is_proved else ("", "")
        command = Command(arguments.command, folder.path, sandbox, is_read_only, proof.variables, script, remark)
        if services.checkpoints is not None and not is_read_only:
            await asyncio.to_thread(services.checkpoints.command_ran)
        return await self.perform(command, arguments, folder, context)

    async def _proof(self, command: str, folder: ResolvedPath, context: ToolContext) -> Proof:
        # Not at the top: a parser comes with it, which nobody should wait for before the first command.
        from code_assistant.tools.command_proof import Prover

        request = PermissionRequest(context.origin, context.tool_call_id, self.name, ToolAccess(), "")
        return await Prover(command, folder.path, context, request).prove()

    async def _leaves_sandbox(self, arguments: ExecuteCommandInput, context: ToolContext) -> bool:
        """Whether it wants out of a sandbox that there is. Raises ToolError where an agent has no commands at all."""
        services = context.services
        kind = await services.sandbox.find_out() if services.sandbox is not None else "none"
        if services.is_read_only and kind != "bubblewrap":
            raise ToolError("You work read-only, and there is no sandbox here that would keep a command to that.")
        if services.is_read_only and arguments.outside_sandbox:
            raise ToolError("You work read-only: your commands run in a sandbox that they cannot leave.")
        return arguments.outside_sandbox and kind != "none"

    async def perform(
        self, command: Command, arguments: ExecuteCommandInput, folder: ResolvedPath, context: ToolContext
    ) -> ToolOutput:
        """Run it; whoever calls this has the permission, or is the person."""
        if arguments.background:
            return await self._start(command, folder, context)
        live = LiveOutput(context.show_output)
        try:
            finished = await context.services.commands.run(
                command, context.services.spill, live.add, arguments.timeout_s, lambda: context.report(ENDING_WORDS)
            )
        finally:
            live.finish()
        return _output(finished, command, folder, arguments.timeout_s)

    async def _start(self, command: Command, folder: ResolvedPath, context: ToolContext) -> ToolOutput:
        started = await context.services.commands.start_in_background(command, context.services.spill)
        text = (
            f"Started in the background as {started.name}. See its output with command_output, "
            "end it with stop_command; you are told when it ends."
        )
        title = f"Started {short_command(command.text)}"
        return ToolOutput(
            (Text(text),),
            Display(title, f"{started.name}{_place(folder)}", detail_of(command, folder.shown, ""), "output", COVERED),
        )


def _output(finished: Finished, command: Command, folder: ResolvedPath, seconds: float) -> ToolOutput:
    ending = finished.ending
    printed = result_text(finished.output.parts, finished.output)
    duration = plain_duration(ending.duration)
    remarks = [*ending.remarks, *sandbox_remarks(command, ending, printed)]
    if command.remark:
        remarks.append(command.remark)
    words = ending.words
    if finished.timed_out:
        words = "timed out"
        remarks.insert(0, f"The command took longer than {seconds:g} s and was ended with everything it had started.")
    text = joined(printed, *remarks, f"{words} · {duration}")
    summary = f"{words.replace('exit code', 'exit')} · {duration}{_place(folder)}"
    display = Display(
        f"Ran {short_command(command.text)}",
        summary,
        detail_of(command, folder.shown, joined(output_for_people(finished.output), *remarks)),
        "output",
        COVERED,
    )
    return ToolOutput((Text(text),), display, failed=finished.timed_out or not ending.is_good)


def _limits(services: ToolServices) -> str:
    """What a yes does not open, or that nothing is closed."""
    if services.is_read_only:
        return READ_ONLY_LIMITS
    return NO_WALLS if services.sandbox is None or services.sandbox.kind == "none" else ""


def _place(folder: ResolvedPath) -> str:
    return "" if folder.shown == "." else f" · in {folder.shown}"
