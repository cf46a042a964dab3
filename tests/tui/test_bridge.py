"""From events to blocks and to the state of the frame: every kind of event, one by one and in whole turns."""

from __future__ import annotations

from types import SimpleNamespace
from typing import get_args

import pytest

from code_assistant.events import (
    MAIN,
    AgentActivityChanged,
    AgentFinished,
    AgentSpawned,
    AgentStatusChanged,
    BlockAdded,
    BudgetExhausted,
    Choice,
    Compacted,
    CompactionFailed,
    CompactionStarted,
    ContextMeasured,
    DelayEnded,
    Display,
    Event,
    FilesRestored,
    GuidanceAdded,
    MessageDelivered,
    ModeChanged,
    ModelChanged,
    Notice,
    Origin,
    OutputAdded,
    PermissionRefused,
    PermissionRequested,
    PermissionResolved,
    PlanPresented,
    PlanResolved,
    PromptFinished,
    PromptQueued,
    PromptReturned,
    PromptStarted,
    PromptWithdrawn,
    QuestionAsked,
    QuestionResolved,
    ReferenceRetry,
    RequestDelayed,
    RequestStarted,
    ResponseAdded,
    ResponseCut,
    ResponseStarted,
    Rewound,
    TextDelta,
    ThinkingDelta,
    TodoChanged,
    TodoItem,
    ToolFinished,
    ToolProgress,
    ToolResultsAdded,
    ToolStarted,
    UsageAdded,
)
from code_assistant.messages import Image, Message, Response, Text, Thinking, ToolCall, Usage
from code_assistant.secrets import MASK, Masker
from code_assistant.tui.bridge import RETRY_HINT, WAITING_FOR_MODEL, Bridge
from code_assistant.tui.clean_text import CleanText
from code_assistant.tui.state import ScreenState
from code_assistant.tui.transcript.blocks import AnswerBlock, NoticeBlock, PersonBlock, ThinkingBlock, ToolBlock
from code_assistant.tui.transcript.transcript import Transcript
from tests.tui.hostile import HOSTILE, is_safe

KEY = "sk-test-0123456789"
SAID = Message("user", (Text("How?"),))
ANSWERED = Response("r", "m", Message("assistant", (Text("So."),)), "end_turn", Usage())


class Desk:
    """A bridge with a clock that the test sets."""

    def __init__(self) -> None:
        self.now = 10.0
        self.transcript = Transcript()
        self.state = ScreenState("shop", "m", "ask")
        self.bridge = Bridge(self.transcript, self.state, CleanText(Masker((KEY,))), lambda: self.now)

    def take(self, *events: Event) -> None:
        for event in events:
            self.bridge.take(event)

    @property
    def tool(self) -> ToolBlock:
        block = self.transcript.blocks[-1]
        assert isinstance(block, ToolBlock)
        return block


@pytest.fixture
def desk() -> Desk:
    return Desk()


def started(prompt_id: str = "p", message: Message = SAID) -> PromptStarted:
    return PromptStarted(MAIN, prompt_id, message)


def finished(**changes: object) -> PromptFinished:
    values = {"origin": MAIN, "prompt_id": "p", "outcome": "completed", "answer": "", "turns": 1, "duration": 1.0}
    return PromptFinished(**{**values, **changes})  # type: ignore[arg-type]


def tool_started(call_id: str = "t", title: str = "Reading a.py") -> ToolStarted:
    return ToolStarted(MAIN, call_id, "read_files", {"paths": ["a.py"]}, title)


def permission(call_id: str = "t") -> PermissionRequested:
    return PermissionRequested(MAIN, f"ask {call_id}", call_id, "edit", "edit a.py", "+x", "diff", None)


CHILD = Origin("agent_1", "explore-1", 2, "main", "t", 3)
EXAMPLES: tuple[Event, ...] = (
    PromptQueued(MAIN, "p", "later"),
    PromptWithdrawn(MAIN, "p"),
    started(),
    RequestStarted(MAIN, 1, "m"),
    ResponseStarted(MAIN, "r", "m"),
    TextDelta(MAIN, "text"),
    ThinkingDelta(MAIN, "thought"),
    BlockAdded(MAIN, Text("text")),
    UsageAdded(MAIN, "m", Usage(1, 2), 0.1),
    ResponseAdded(MAIN, ANSWERED),
    tool_started(),
    ToolProgress(MAIN, "t", "half"),
    OutputAdded(MAIN, "t", "line\n"),
    ToolFinished(MAIN, "t", "read_files", "success", Display("Read a.py"), 1.0),
    permission(),
    PermissionResolved(MAIN, "ask t", "t", "once"),
    PermissionRefused(MAIN, "t", "edit", "no"),
    QuestionAsked(MAIN, "q", "t", "Which?", (Choice("a"),), False),
    QuestionResolved(MAIN, "q", "t", "answered", "a"),
    PlanPresented(MAIN, "l", "t", "# Plan"),
    PlanResolved(MAIN, "l", "t", "approved", "ask"),
    TodoChanged(MAIN, (TodoItem("x", "pending"),)),
    ToolResultsAdded(MAIN, SAID),
    ResponseCut(MAIN, None),
    RequestDelayed(MAIN, 2.0, 2, 8, "busy", False, 503),
    DelayEnded(MAIN),
    GuidanceAdded(MAIN, "go on"),
    ContextMeasured(MAIN, 10, 100),
    CompactionStarted(MAIN, "asked", 10),
    Compacted(MAIN, "asked", 10, 5, ("a summary",), "All of it.", (SAID,)),
    CompactionFailed(MAIN, "no summary"),
    FilesRestored(MAIN, ("p",), ("a.py",), "Took back."),
    Notice(MAIN, "info", "mind"),
    ModeChanged(MAIN, "plan"),
    ModelChanged(MAIN, "other", 1000),
    AgentSpawned(CHILD, "Find it", "Find the code.", "read_only", "explore", "m", 10),
    AgentStatusChanged(CHILD, "running"),
    AgentActivityChanged(CHILD, "responding"),
    BudgetExhausted(MAIN, "total", 2, 1),
    ReferenceRetry(CHILD, 1, ("a.py:3: no such line",)),
    MessageDelivered(CHILD, "person", "look at b.py"),
    AgentFinished(CHILD, "completed", "found", 1, 0, Usage(1, 2), 0.1, 2.0),
    PromptReturned(MAIN, "p", ()),
    Rewound(MAIN, "p"),
    finished(),
)


def test_there_is_an_example_of_every_event() -> None:
    assert {type(each) for each in EXAMPLES} == set(get_args(Event))


@pytest.mark.parametrize("event", EXAMPLES, ids=lambda event: type(event).__name__)
def test_every_event_is_taken_at_any_time(event: Event, desk: Desk) -> None:
    """Alone, after everything else, and twice: a screen never fails because of what it is told."""
    desk.take(event)
    desk.take(*EXAMPLES, event, event)


def test_an_unknown_event_is_a_fault(desk: Desk) -> None:
    with pytest.raises(AssertionError):
        desk.take(SimpleNamespace(origin=MAIN))  # type: ignore[arg-type]


def test_a_prompt_from_the_queue_to_its_answer(desk: Desk) -> None:
    state = desk.state
    desk.take(PromptQueued(MAIN, "p", "How?\nSo?"), PromptQueued(MAIN, "later", "x"))
    assert state.queue == [("p", "How?␊So?"), ("later", "x")]
    desk.now = 20.0
    desk.take(started())
    assert (state.queue, state.working_since, state.activity) == ([("later", "x")], 20.0, WAITING_FOR_MODEL)
    desk.take(PromptWithdrawn(MAIN, "later"), RequestStarted(MAIN, 1, "m"), ResponseStarted(MAIN, "r", "m"))
    assert state.queue == []
    desk.take(ThinkingDelta(MAIN, "hm"))
    assert state.activity == "Thinking"
    desk.take(TextDelta(MAIN, "So"))
    assert state.activity == "Writing"
    desk.take(BlockAdded(MAIN, Text("So.")), ResponseAdded(MAIN, ANSWERED), finished(answer="So."))
    assert (state.working_since, state.activity, desk.bridge.last_answer) == (None, "", "So.")
    assert [type(block) for block in desk.transcript.blocks] == [PersonBlock, ThinkingBlock, AnswerBlock]


def test_what_the_person_said_is_shown_with_its_images(desk: Desk) -> None:
    desk.take(started("a", Message("user", (Image("image/png", ""), Image("image/png", ""), Text("look")))))
    desk.take(started("b", Message("user", (Image("image/png", ""), Text("look")))))
    desk.take(started("c", Message("user", ())))
    texts = [block.text for block in desk.transcript.blocks if isinstance(block, PersonBlock)]
    assert texts == ["look\n[2 images]", "look\n[1 image]"]


@pytest.mark.parametrize(
    ("outcome", "error", "expected"),
    [
        ("completed", None, None),
        ("interrupted", None, ("info", "Interrupted.")),
        ("failed", "No line.", ("error", f"No line. {RETRY_HINT}")),
        ("refused", "It refused.", ("warning", "It refused.")),
        ("turn_limit_reached", "Too many turns.", ("warning", "Too many turns.")),
    ],
)
def test_how_a_prompt_ends(outcome: str, error: str | None, expected: tuple[str, str] | None, desk: Desk) -> None:
    desk.take(started(), TextDelta(MAIN, "half an ans"), finished(outcome=outcome, error=error))
    answer = desk.transcript.blocks[1]
    assert isinstance(answer, AnswerBlock)
    assert answer.is_finished
    notices = [(each.level, each.text) for each in desk.transcript.blocks if isinstance(each, NoticeBlock)]
    assert notices == ([expected] if expected else [])


def test_an_empty_answer_does_not_replace_the_last_one(desk: Desk) -> None:
    desk.take(finished(answer="First."), finished(answer=" \n"))
    assert desk.bridge.last_answer == "First."


def test_usage_adds_up(desk: Desk) -> None:
    desk.take(
        started(), UsageAdded(MAIN, "m", Usage(100, 20, 30, 40), 0.25), UsageAdded(MAIN, "m", Usage(200, 10), 0.5)
    )
    state = desk.state
    assert state.usage == Usage(300, 30, 30, 40)
    # Not all that was used is in the window: the summary of a conversation is asked for beside it.
    assert (state.context_tokens, state.turn_tokens, state.cost) == (0, 30, 0.75)
    desk.take(started("next"))
    assert state.turn_tokens == 0


def test_the_context_is_what_was_measured_last(desk: Desk) -> None:
    desk.take(ContextMeasured(MAIN, 210, 1000))
    assert desk.state.context_percent == 21
    desk.take(ModelChanged(MAIN, "other", 500))
    assert desk.state.context_percent == 42
    desk.take(ContextMeasured(MAIN, 50, 500))
    assert desk.state.context_percent == 10


def test_a_compaction_is_a_line_that_unfolds_to_its_summary(desk: Desk) -> None:
    desk.take(started(), CompactionStarted(MAIN, "nearly_full", 170_000))
    assert desk.state.activity == "Compacting the conversation"
    assert (desk.tool.state, desk.tool.title) == ("running", "Compacting the conversation")
    desk.take(
        Compacted(MAIN, "nearly_full", 170_000, 12_300, ("a summary", "your last message"), "## Goal\nIt.", (SAID,))
    )
    assert (desk.tool.state, desk.tool.title) == ("success", "Compacted the conversation")
    assert desk.tool.summary == "170k → 12.3k tok · kept: a summary, your last message"
    assert desk.tool.detail == "Kept: a summary, your last message.\n\n## Goal\nIt."
    desk.take(CompactionStarted(MAIN, "asked", 12_300), CompactionFailed(MAIN, f"The key {KEY} is refused."))
    assert (desk.tool.state, desk.tool.title) == ("error", "The conversation was not compacted")
    assert KEY not in desk.tool.summary + desk.tool.detail
    desk.take(CompactionStarted(MAIN, "asked", 12_300), CompactionFailed(MAIN, None))
    assert (desk.tool.state, desk.tool.summary) == ("interrupted", "interrupted")
    assert len(desk.transcript.blocks) == 4


def test_an_unknown_price_makes_the_sum_unknown_for_good(desk: Desk) -> None:
    desk.take(UsageAdded(MAIN, "m", Usage(), None), UsageAdded(MAIN, "m", Usage(), 0.5))
    assert desk.state.cost is None


def test_a_tool_from_its_start_to_its_end(desk: Desk) -> None:
    desk.take(tool_started())
    tool = desk.tool
    assert (tool.title, tool.state, tool.arguments) == ("Reading a.py", "running", (("paths", '["a.py"]'),))
    assert desk.state.activity == "Reading a.py"
    stamp = tool.stamp
    desk.take(ToolProgress(MAIN, "t", "half"), OutputAdded(MAIN, "t", "one\ntwo"))
    assert (tool.progress, tool.output.last(5)) == ("half", ["one", "two"])
    assert tool.stamp > stamp
    tool.room = 5
    desk.take(ToolFinished(MAIN, "t", "read_files", "error", Display("Read a.py", "failed", "why", "output"), 1.0))
    assert (tool.state, tool.title, tool.summary, tool.detail, tool.form) == (
        "error", "Read a.py", "failed", "why", "output",
    )  # fmt: skip
    assert tool.room == 0


def test_events_of_a_tool_that_nobody_knows_change_nothing(desk: Desk) -> None:
    desk.take(ToolProgress(MAIN, "x", "half"), OutputAdded(MAIN, "x", "one"))
    desk.take(ToolFinished(MAIN, "x", "read_files", "success", Display("Read"), 1.0))
    assert desk.transcript.blocks == []


def test_a_key_in_the_output_is_masked_also_where_pieces_split_it(desk: Desk) -> None:
    desk.take(tool_started(), OutputAdded(MAIN, "t", f"key {KEY[:9]}"), OutputAdded(MAIN, "t", f"{KEY[9:]} end\r"))
    desk.take(OutputAdded(MAIN, "t", "\nnext"), OutputAdded(MAIN, "t", f"\n{KEY[:9]}"))
    assert desk.tool.output.last(9) == [f"key {MASK} end", "next"]
    desk.take(ToolFinished(MAIN, "t", "execute_command", "success", Display("Ran"), 1.0))
    assert desk.tool.output.last(9) == [f"key {MASK} end", "next", KEY[:9]]


@pytest.mark.parametrize(
    ("asked", "resolved"),
    [
        (permission(), PermissionResolved(MAIN, "ask t", "t", "denied")),
        (QuestionAsked(MAIN, "q", "t", "?", (), False), QuestionResolved(MAIN, "q", "t", "dismissed")),
        (PlanPresented(MAIN, "l", "t", "plan"), PlanResolved(MAIN, "l", "t", "withdrawn")),
    ],
)
def test_what_waits_for_the_person_is_counted_and_marked(asked: Event, resolved: Event, desk: Desk) -> None:
    desk.take(tool_started(), asked)
    assert (desk.tool.state, desk.state.waiting_prompts) == ("waiting", 1)
    assert desk.state.activity == "Asking you"
    desk.take(resolved)
    assert (desk.tool.state, desk.state.waiting_prompts) == ("running", 0)
    assert desk.state.activity == "Reading a.py"


def test_work_goes_on_when_the_last_prompt_was_answered(desk: Desk) -> None:
    desk.take(tool_started(), permission(), tool_started("u", "Reading b.py"), permission("u"))
    assert desk.state.activity == "Asking you"
    desk.take(PermissionResolved(MAIN, "ask t", "t", "once"))
    assert desk.state.activity == "Asking you"
    desk.take(PermissionResolved(MAIN, "ask u", "u", "once"))
    assert desk.state.activity == "Reading b.py"


def test_the_rest_of_the_frame(desk: Desk) -> None:
    items = (TodoItem("x", "completed"), TodoItem("y", "in_progress"))
    desk.take(TodoChanged(MAIN, items), ModeChanged(MAIN, "yolo"), ModelChanged(MAIN, "opus", 5000))
    state = desk.state
    assert (state.todo, state.mode, state.model, state.context_window) == (items, "yolo", "opus", 5000)
    desk.take(Notice(MAIN, "warning", "Mind."))
    notice = desk.transcript.blocks[-1]
    assert isinstance(notice, NoticeBlock)
    assert (notice.level, notice.text) == ("warning", "Mind.")
    desk.take(FilesRestored(MAIN, ("p",), ("a.py",), "Took back the changes to 1 file:\n  a.py"))
    notice = desk.transcript.blocks[-1]
    assert isinstance(notice, NoticeBlock)
    assert (notice.level, notice.text) == ("info", "Took back the changes to 1 file:\n  a.py")


def test_what_is_between_program_and_model_is_not_shown(desk: Desk) -> None:
    desk.take(GuidanceAdded(MAIN, "go on"), ToolResultsAdded(MAIN, SAID), PermissionRefused(MAIN, "t", "edit", "no"))
    assert desk.transcript.blocks == []


def test_blocks_that_came_in_no_pieces_are_shown_whole(desk: Desk) -> None:
    desk.take(BlockAdded(MAIN, Thinking("hm", "")), BlockAdded(MAIN, Text("So.")), BlockAdded(MAIN, Text("And.")))
    desk.take(BlockAdded(MAIN, ToolCall("t", "x", {})), BlockAdded(MAIN, Thinking("", "s")))
    sources = [block.source for block in desk.transcript.blocks if isinstance(block, AnswerBlock | ThinkingBlock)]
    assert sources == ["hm", "So.", "And."]


@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
def test_whatever_a_model_or_a_tool_says_is_made_safe(hostile: str, desk: Desk) -> None:
    text = f"{hostile}{KEY}"
    display = Display(text, text, text)
    desk.take(
        PromptQueued(MAIN, "later", text),
        started("p", Message("user", (Text(text),))),
        ThinkingDelta(MAIN, text),
        TextDelta(MAIN, text),
        ToolStarted(MAIN, "t", "x", {text: text}, text),
        ToolProgress(MAIN, "t", text),
        OutputAdded(MAIN, "t", text),
        ToolFinished(MAIN, "t", "x", "success", display, 1.0),
        Notice(MAIN, "info", text),
        FilesRestored(MAIN, ("p",), (text,), text),
        ModelChanged(MAIN, text, 1),
        finished(outcome="failed", error=text),
    )
    shown = [*(text for _, text in desk.state.queue), desk.state.model]
    for block in desk.transcript.blocks:
        match block:
            case PersonBlock() | NoticeBlock():
                shown.append(block.text)
            case AnswerBlock() | ThinkingBlock():
                shown.append(block.source)
            case ToolBlock():
                shown += [block.title, block.summary, block.detail, block.progress, *block.output.last(99)]
                shown += [part for pair in block.arguments for part in pair]
    for each in shown:
        assert is_safe(each.replace("\n", "").replace("\t", ""))
        assert KEY not in each


def test_tokens_are_estimated_while_a_response_is_written() -> None:
    desk = Desk()
    desk.take(started(), RequestStarted(MAIN, 1, "m"), TextDelta(MAIN, "x" * 40), ThinkingDelta(MAIN, "yy"))
    assert (desk.state.turn_tokens, desk.state.open_characters) == (0, 42)
    desk.take(UsageAdded(MAIN, "m", Usage(input=5, output=11), 0.1))
    assert (desk.state.turn_tokens, desk.state.open_characters) == (11, 0)


def test_nobody_is_told_to_try_again_with_a_key_that_is_refused() -> None:
    desk = Desk()
    desk.take(started(), finished(outcome="failed", error="The key is refused.", error_kind="credential"))
    notice = desk.transcript.blocks[-1]
    assert isinstance(notice, NoticeBlock)
    assert notice.text == "The key is refused."


@pytest.mark.parametrize(("outcome", "is_cut"), [("completed", False), ("interrupted", True), ("failed", True)])
def test_whether_the_last_answer_is_whole(outcome: str, is_cut: bool) -> None:
    desk = Desk()
    desk.take(started(), finished(outcome=outcome, answer="It is"))
    assert (desk.bridge.last_answer, desk.bridge.is_last_cut) == ("It is", is_cut)
