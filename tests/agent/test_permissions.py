"""Permission through the loop: who is asked, what a no does, plan mode from its first line to the approved plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from code_assistant.agent.news import PLAN_LINE, PLAN_OVER_LINE
from code_assistant.agent.rule_keeping import RuleKeeping
from code_assistant.config.kept_rules import KeptRules
from code_assistant.errors import UsageError
from code_assistant.events import (
    GuidanceAdded,
    ModeChanged,
    PermissionRefused,
    PermissionRequested,
    PermissionResolved,
    PlanPresented,
    PlanResolved,
    QuestionAsked,
    QuestionResolved,
    TodoChanged,
    TodoItem,
    ToolFinished,
)
from code_assistant.messages import Text, ToolResult
from code_assistant.permissions.answers import PermissionAnswer
from code_assistant.permissions.person import NOBODY_TO_ANSWER, NOBODY_TO_APPROVE
from code_assistant.resuming.conversation import messages_of
from code_assistant.tools.builtin import builtin_tools
from code_assistant.tools.registry import ToolRegistry
from code_assistant.tools.scopes import MAIN_ONLY, Scope
from tests.agent.harness import Harness, running
from tests.agent.tools import Asking, Echo, registry
from tests.fakes.script import call, text, turn
from tests.fakes.server import ScriptedServer


def results(harness: Harness) -> list[ToolResult]:
    return [block for message in harness.messages for block in message.content if isinstance(block, ToolResult)]


def words(result: ToolResult) -> str:
    return "".join(part.text for part in result.content if isinstance(part, Text))


def asking_twice(server: ScriptedServer) -> None:
    server.script_default(
        [turn(call("asking", {"note": "x"})), turn(call("asking", {"note": "x"})), turn(text("Done."))]
    )


async def answer_next(harness: Harness, answer: PermissionAnswer, reason: str = "", number: int = 1) -> None:
    asked = await harness.until(PermissionRequested, number)
    assert harness.session.answer_permission(asked.request_id, answer, reason)


async def test_a_yes_counts_once(server: ScriptedServer) -> None:
    asking_twice(server)
    async with running(server, asks_broker=True) as harness:
        harness.session.send("go")
        await answer_next(harness, "once")
        await answer_next(harness, "once", number=2)
        await harness.session.idle()
        assert [each.is_error for each in results(harness)] == [False, False]


@pytest.mark.parametrize("answer", ["agent", "session"])
async def test_always_is_asked_only_once(server: ScriptedServer, answer: PermissionAnswer) -> None:
    asking_twice(server)
    async with running(server, asks_broker=True) as harness:
        harness.session.send("go")
        await answer_next(harness, answer)
        await harness.session.idle()
        assert [each.resolution for each in harness.of(PermissionResolved)] == [answer]
        assert [each.is_error for each in results(harness)] == [False, False]


async def test_a_no_with_its_reason_goes_back_to_the_model_which_goes_on(server: ScriptedServer) -> None:
    server.script_default([turn(call("asking", {"note": "x"}), call("echo", {"note": "y"})), turn(text("Fine."))])
    async with running(server, asks_broker=True) as harness:
        harness.session.send("go")
        await answer_next(harness, "deny", "use the other folder")
        await harness.session.idle()
        denied, echoed = results(harness)
        assert denied.is_error
        assert "the person said no: use the other folder" in words(denied)
        assert not echoed.is_error
        assert [each.status for each in harness.of(ToolFinished)] == ["denied", "success"]
        assert [each.tool_name for each in harness.of(PermissionRefused)] == ["asking"]
        assert harness.messages[-1].text == "Fine."


async def test_the_prompt_comes_before_its_answer_and_both_before_the_end_of_the_call(server: ScriptedServer) -> None:
    server.script_default([turn(call("asking", {"note": "x"})), turn(text("Fine."))])
    async with running(server, asks_broker=True) as harness:
        harness.session.send("go")
        await answer_next(harness, "once")
        await harness.session.idle()
        kinds = [type(each) for each in harness.events]
        order = [kinds.index(kind) for kind in (PermissionRequested, PermissionResolved, ToolFinished)]
        assert order == sorted(order)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({}, "nobody is there"),
        ({"deny": ("TodoWrite",), "mode": "yolo"}, "the rule TodoWrite denies it"),
    ],
)
async def test_denials_without_a_person(server: ScriptedServer, options: dict[str, Any], reason: str) -> None:
    tool, arguments = ("todo", {"items": []}) if "deny" in options else ("asking", {"note": "x"})
    server.script_default([turn(call(tool, arguments)), turn(text("I could not."))])
    tools = ToolRegistry((*builtin_tools().offered("main"), Asking()))
    async with running(server, tools=tools, **options) as harness:
        finished = await harness.ask()
        assert finished.answer == "I could not."
        assert reason in words(results(harness)[0])
        assert harness.of(ToolFinished)[0].status == "denied"


async def test_plan_mode_ends_with_an_approved_plan(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default(
        [turn(call("present_plan", {"plan": "# Do it"})), turn(call("todo", {"items": []})), turn(text("Done."))]
    )
    async with running(server, tools=builtin_tools(), folder=tmp_path, asks_broker=True, mode="plan") as harness:
        harness.session.send("go")
        presented = await harness.until(PlanPresented)
        assert presented.plan == "# Do it"
        assert not harness.session.answer_permission(presented.request_id, "once")
        assert harness.session.approve_plan(presented.request_id, "accept-edits")
        assert not harness.session.approve_plan(presented.request_id, "ask")
        await harness.session.idle()
        assert harness.session.mode == "accept-edits"
        assert [each.mode for each in harness.of(ModeChanged)] == ["accept-edits"]
        assert [(each.resolution, each.mode) for each in harness.of(PlanResolved)] == [("approved", "accept-edits")]
        assert [each.text for each in harness.of(GuidanceAdded)] == [PLAN_LINE, PLAN_OVER_LINE]
        assert words(results(harness)[0]).startswith("The plan is approved.")
        assert harness.messages == messages_of(harness.events)
    assert server.problems == []


async def test_a_plan_that_is_not_approved_stays_in_plan_mode(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(call("present_plan", {"plan": "# Do it"})), turn(text("Again."))])
    async with running(server, tools=builtin_tools(), folder=tmp_path, asks_broker=True, mode="plan") as harness:
        harness.session.send("go")
        presented = await harness.until(PlanPresented)
        assert harness.session.reject_plan(presented.request_id, "add tests")
        await harness.session.idle()
        assert harness.session.mode == "plan"
        assert "add tests" in words(results(harness)[0])
        assert [each.text for each in harness.of(GuidanceAdded)] == [PLAN_LINE]


async def test_a_plan_without_a_person_becomes_the_answer(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(call("present_plan", {"plan": "# Do it"})), turn(text("# Do it"))])
    async with running(server, tools=builtin_tools(), folder=tmp_path, mode="plan") as harness:
        finished = await harness.ask()
        assert (finished.outcome, finished.answer) == ("completed", "# Do it")
        assert words(results(harness)[0]) == NOBODY_TO_APPROVE


async def test_presenting_a_plan_outside_plan_mode_is_an_error(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(call("present_plan", {"plan": "# Do it"})), turn(text("Fine."))])
    async with running(server, tools=builtin_tools(), folder=tmp_path) as harness:
        await harness.ask()
        assert "Plan mode is not on" in words(results(harness)[0])
        assert harness.of(GuidanceAdded) == []


async def test_changing_into_plan_mode_is_told_at_the_next_request(server: ScriptedServer) -> None:
    server.script_default([turn(text("One.")), turn(text("Two.")), turn(text("Three."))])
    async with running(server) as harness:
        await harness.ask()
        harness.session.set_mode("plan")
        await harness.ask()
        harness.session.set_mode("ask")
        await harness.ask()
        assert [each.text for each in harness.of(GuidanceAdded)] == [PLAN_LINE, PLAN_OVER_LINE]
        assert harness.messages == messages_of(harness.events)
    assert server.problems == []


async def test_a_question_waits_for_its_answer(server: ScriptedServer, tmp_path: Path) -> None:
    asked = {"question": "Which one?", "choices": [{"label": "A"}, {"label": "B", "description": "the other"}]}
    server.script_default([turn(call("ask_user", asked)), turn(text("A it is."))])
    async with running(server, tools=builtin_tools(), folder=tmp_path, asks_broker=True) as harness:
        harness.session.send("go")
        question = await harness.until(QuestionAsked)
        assert [choice.label for choice in question.choices] == ["A", "B"]
        assert harness.session.answer_question(question.request_id, "A")
        assert not harness.session.dismiss_question(question.request_id)
        await harness.session.idle()
        assert words(results(harness)[0]) == "The person answers: A"
        assert [(each.resolution, each.answer) for each in harness.of(QuestionResolved)] == [("answered", "A")]


async def test_a_question_without_a_person_is_answered_at_once(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(call("ask_user", {"question": "Which?"})), turn(text("I assumed A."))])
    async with running(server, tools=builtin_tools(), folder=tmp_path) as harness:
        finished = await harness.ask()
        assert finished.outcome == "completed"
        assert words(results(harness)[0]) == NOBODY_TO_ANSWER
        assert harness.of(QuestionAsked) == []


async def test_an_interrupted_question_is_withdrawn(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(call("ask_user", {"question": "Which?"})), turn(text("Fine."))])
    async with running(server, tools=builtin_tools(), folder=tmp_path, asks_broker=True) as harness:
        harness.session.send("go")
        question = await harness.until(QuestionAsked)
        harness.session.interrupt()
        await harness.session.idle()
        assert not harness.session.answer_question(question.request_id, "too late")
        assert [each.resolution for each in harness.of(QuestionResolved)] == ["withdrawn"]


async def test_the_todo_list_reaches_the_person_whole(server: ScriptedServer, tmp_path: Path) -> None:
    items = [{"text": "find", "status": "completed"}, {"text": "mend", "status": "in_progress"}, {"text": "test"}]
    server.script_default([turn(call("todo", {"items": items})), turn(text("Fine."))])
    async with running(server, tools=builtin_tools(), folder=tmp_path) as harness:
        await harness.ask()
        expected = (TodoItem("find", "completed"), TodoItem("mend", "in_progress"), TodoItem("test", "pending"))
        assert [each.items for each in harness.of(TodoChanged)] == [expected]
        assert "[>] mend" in words(results(harness)[0])


class MainOnlyEcho(Echo):
    scopes = MAIN_ONLY


@pytest.mark.parametrize(("scope", "runs"), [("main", True), ("sub_agent_read_only", False)])
async def test_a_tool_of_another_scope_is_neither_offered_nor_run(
    server: ScriptedServer, scope: Scope, runs: bool
) -> None:
    server.script_default([turn(call("echo", {"note": "x"})), turn(text("Fine."))])
    tools = ToolRegistry((MainOnlyEcho(), *registry(Asking()).offered("main")[1:]))
    async with running(server, tools=tools, scope=scope) as harness:
        finished = await harness.ask()
        assert finished.answer == "Fine."
        offered = {tool["name"] for tool in server.requests[0].body["tools"]}
        assert ("echo" in offered) is runs
        assert results(harness)[0].is_error is not runs
        if not runs:
            assert "There is no tool named 'echo'" in words(results(harness)[0])


async def test_why_something_is_asked_and_all_that_would_be_stored_is_told(
    server: ScriptedServer, tmp_path: Path
) -> None:
    command = call("execute_command", {"command": "touch a && touch b; ls"})
    server.script_default([turn(command), turn(command), turn(text("Done."))])
    async with running(server, tools=builtin_tools(), folder=tmp_path, asks_broker=True) as harness:
        harness.session.send("go")
        asked = await harness.until(PermissionRequested)
        assert (asked.rule, asked.more_rules) == ("Bash(touch a)", ("Bash(touch b)",))
        assert asked.reason == "it is not known that touch only reads"
        assert harness.session.answer_permission(asked.request_id, "session")
        await harness.session.idle()
        assert len(harness.of(PermissionRequested)) == 1
        assert [each.is_error for each in results(harness)] == [False, False]
        assert [each.matched for each in harness.session.rules] == [1, 1]


async def test_a_rule_that_asks_beats_one_that_allows_and_what_only_reads(
    server: ScriptedServer, tmp_path: Path
) -> None:
    server.script_default([turn(call("execute_command", {"command": "ls"})), turn(text("Done."))])
    async with running(
        server, tools=builtin_tools(), folder=tmp_path, asks_broker=True, allow=["Bash(ls)"], ask=["Bash(ls:*)"]
    ) as harness:
        harness.session.send("go")
        asked = await harness.until(PermissionRequested)
        assert (asked.rule, asked.reason) == (None, "the rule Bash(ls:*) says so")
        assert harness.session.answer_permission(asked.request_id, "deny")
        await harness.session.idle()


async def test_plan_mode_runs_commands_that_only_read(server: ScriptedServer, tmp_path: Path) -> None:
    commands = [call("execute_command", {"command": command}) for command in ("ls", "touch a")]
    server.script_default([turn(*commands), turn(text("Done."))])
    async with running(server, tools=builtin_tools(), folder=tmp_path, mode="plan", allow=["Bash"]) as harness:
        await harness.ask()
        looked, touched = results(harness)
        assert not looked.is_error
        assert "it is not known that touch only reads" in words(touched)
        assert not (tmp_path / "a").exists()


async def test_rules_that_change_count_from_the_next_request_on(server: ScriptedServer, tmp_path: Path) -> None:
    server.script_default([turn(call("execute_command", {"command": "touch a"})), turn(text("Done."))] * 3)
    async with running(server, tools=builtin_tools(), folder=tmp_path) as harness:
        book = harness.services.gate._rules
        keeping = RuleKeeping(book, KeptRules(tmp_path / "config"), tmp_path)
        assert "Did you mean Bash?" in keeping.problem("Bsh")
        added = await keeping.add("Bash(touch:*)", "allow", "session")
        await harness.ask()
        kept = await keeping.keep(added.id, "folder")
        await harness.ask()
        await keeping.remove(kept.id)
        await harness.ask()
        assert [each.is_error for each in results(harness)] == [False, False, True]
        with pytest.raises(UsageError, match="no longer there"):
            await keeping.remove(kept.id)
