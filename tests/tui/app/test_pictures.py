"""Pictures of the main scenes, in three widths and two themes."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest

from code_assistant.context_report import ContextPart, ContextReport
from code_assistant.events import (
    MAIN,
    Choice,
    Compacted,
    CompactionFailed,
    CompactionStarted,
    ContextMeasured,
    Display,
    Event,
    Notice,
    OutputAdded,
    PermissionRequested,
    PlanPresented,
    PromptFinished,
    PromptQueued,
    PromptStarted,
    QuestionAsked,
    TextDelta,
    ThinkingDelta,
    TodoChanged,
    TodoItem,
    ToolFinished,
    ToolStarted,
    UsageAdded,
)
from code_assistant.messages import Message, Text, Usage
from code_assistant.tui.transcript.blocks import ToolBlock
from tests.fakes.server import ScriptedServer
from tests.tui.app.harness import Scene, scene
from tests.tui.app.pictures import SIZES, SNAPSHOTS, check_pictures, problems_of

SCENES = (
    *("start", "answer", "tools", "tools-unfolded", "permission", "permission-focused", "question", "plan"),
    *("working", "help", "models", "doctor", "error", "context", "compacted"),
    *("agents", "agent-waiting", "agent-waiting-focused", "agents-ended", "agent-unfolded", "agent-nested"),
    *("agent-view", "agent-view-waits", "agent-view-ended", "agents-list", "references", "file-lines"),
)
QUESTION = "How is tax computed at checkout, and is it tested?"
ANSWER = """\
## Tax

The tax is computed by `compute_tax` in [shop/tax.py](https://docs.example.org/tax) and **rounded** to whole cents, \
*half to even*. ~~Twice.~~

1. The cart adds up the net prices.
2. `compute_tax` is called once:
   - with the rate of the country
   - without discounts

> Rounding each line and then the sum gives other results.

```python
@cache
def compute_tax(net: Decimal, rate: str = "0.2") -> Decimal:
    return (net * Decimal(rate)).quantize(CENT)  # half to even
```

| Country | Rate | Where it is set |
| :-- | --: | :-: |
| Germany | 19 % | `rates.toml` |
| Switzerland | 8.1 % | `rates.toml`, and once more in the tests |
"""
DIFF = """\
--- a/shop/tax.py
+++ b/shop/tax.py
@@ -98,3 +98,6 @@ def compute_tax(net):
 def compute_tax(net):
-    return round(net * RATE)
+    if not net:
+        return ZERO
+    return (net * RATE).quantize(CENT)  # half to even, as the tax office wants it
+
 def total(cart):
"""
OUTPUT = "============ test session starts ============\ncollected 4 items\n\ntests/test_tax.py ....  [100%]\n"


async def told(s: Scene, *events: Event) -> None:
    for event in events:
        s.app._take(event)
    await s.painted()


async def asked(s: Scene) -> None:
    state = s.app.state
    state.branch, state.changed_files, state.context_window = "main", 3, 200_000
    # There is no such repository, so nobody looks how many files differ.
    s.app.changed_files.look = lambda: None  # type: ignore[method-assign]
    await told(
        s,
        PromptStarted(MAIN, "prompt", Message("user", (Text(QUESTION),))),
        UsageAdded(MAIN, "m", Usage(24_000, 1_234), 0.0427),
        ContextMeasured(MAIN, 25_234, 200_000),
    )


async def finished(s: Scene, **changes: str) -> None:
    values = {"outcome": "completed", "answer": "", **changes}
    await told(s, PromptFinished(MAIN, "prompt", turns=1, duration=1.0, **values))  # type: ignore[arg-type]


def called(number: int, name: str, title: str, **arguments: object) -> ToolStarted:
    return ToolStarted(MAIN, f"call-{number}", name, arguments, title)


async def test_an_empty_start(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await check_pictures(s, "start")


async def test_an_answer(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await asked(s)
        await told(s, ThinkingDelta(MAIN, "The person wants to know about tax."))
        s.clock.now += 4
        await told(s, TextDelta(MAIN, ANSWER))
        await finished(s)
        await check_pictures(s, "answer")


async def tools(s: Scene) -> None:
    await asked(s)
    edited = Display("Edited shop/tax.py", "+3 −1", DIFF, "diff")
    ran = Display("Ran pytest -q tests/test_tax.py", "exit 0 · 1.2 s", OUTPUT, "output")
    failed = Display("Read shop/missing.py", "failed: there is no file shop/missing.py", "There is no such file.")
    denied = Display("Run rm -rf build", "denied: not needed")
    await told(
        s,
        TextDelta(MAIN, "I'll look at both at the same time."),
        called(1, "read_files", "Reading shop/missing.py", paths=["shop/missing.py"]),
        called(2, "execute_command", "Running rm -rf build", command="rm -rf build"),
        called(3, "edit", "Editing shop/tax.py", path="shop/tax.py"),
        called(4, "execute_command", "Running pytest", command="pytest -q tests/test_tax.py"),
        called(5, "execute_command", "Running make docs", command="make docs"),
        ToolFinished(MAIN, "call-1", "read_files", "error", failed, 0.1),
        ToolFinished(MAIN, "call-2", "execute_command", "denied", denied, 0.1),
        ToolFinished(MAIN, "call-3", "edit", "success", edited, 0.1),
        ToolFinished(MAIN, "call-4", "execute_command", "success", ran, 1.2),
        OutputAdded(MAIN, "call-5", "reading sources\nwriting pages 10%\rwriting pages 50%"),
    )


async def test_tools(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await tools(s)
        await check_pictures(s, "tools")


async def test_tools_with_their_details(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await tools(s)
        for block in s.tools[2:4]:
            s.app.view.toggle(block)
        await s.press("alt+up", "alt+up")
        await check_pictures(s, "tools-unfolded")


async def permission(s: Scene) -> None:
    await asked(s)
    request = PermissionRequested(
        MAIN, "request", "call-1", "edit", "edit shop/tax.py", DIFF, "diff", "Edit(/shop/tax.py)"
    )
    await told(s, called(1, "edit", "Editing shop/tax.py", path="shop/tax.py"), request)
    await s.until_prompt()


async def test_a_permission_prompt(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await permission(s)
        await check_pictures(s, "permission")


async def test_a_permission_prompt_that_has_the_focus(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await permission(s)
        await s.press("f8")
        await check_pictures(s, "permission-focused")


async def test_a_question(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await asked(s)
        choices = (
            Choice("Half to even", "what the tax office of most countries wants"),
            Choice("Half up"),
            Choice("Do not round", "sums stay exact until they are shown, and invoices may be one cent off"),
        )
        question = QuestionAsked(MAIN, "request", "call-1", "How shall the tax be rounded?", choices, False)
        await told(s, called(1, "ask_user", "Asking how to round"), question)
        await s.until_prompt()
        await s.press("f8", "down")
        await check_pictures(s, "question")


async def test_a_plan(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, "--permission-mode", "plan") as s:
        await asked(s)
        plan = "# Rounding\n\n1. Add `CENT` to **shop/money.py**\n2. Use it in `compute_tax`\n3. Test both ways\n"
        await told(s, called(1, "present_plan", "Presenting a plan"), PlanPresented(MAIN, "request", "call-1", plan))
        await s.until_prompt()
        await s.press("f8")
        await check_pictures(s, "plan")


async def test_work_with_a_todo_list_and_a_queue(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await asked(s)
        items = (
            TodoItem("Find where tax is computed", "completed"),
            TodoItem("Find where it is rounded, in all of the countries that we know of", "in_progress"),
            TodoItem("Write a test", "pending"),
        )
        await told(
            s,
            TodoChanged(MAIN, items),
            PromptQueued(MAIN, "second", "And discounts?"),
            PromptQueued(MAIN, "third", "Then write down how all of it works, in a few words and with an example."),
            TextDelta(MAIN, "The tax is comp"),
        )
        s.clock.now += 83
        s.app.composer.put("a draft of\ntwo lines")
        await check_pictures(s, "working")


async def test_the_help(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await s.send("/help")
        await s.until_dialog()
        await check_pictures(s, "help")


async def test_what_fills_the_window(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        parts = {
            "system prompt": 2_100,
            "project notes": 1_400,
            "tools": 7_900,
            "summary": 3_000,
            "your messages": 2_500,
            "the model's messages": 18_300,
            "tool results": 89_000,
        }
        report = ContextReport(
            "claude-sonnet-5-5",
            200_000,
            sum(parts.values()),
            20_000,
            170_000,
            tuple(ContextPart(name, tokens) for name, tokens in parts.items()),
            (ContextPart("read_files", 61_000), ContextPart("search_files", 22_000), ContextPart("list_files", 900)),
        )
        session = s.app.core.session
        assert session is not None
        with patch.object(type(session), "context", lambda _: report):
            await s.send("/context")
            await s.until_dialog()
        await check_pictures(s, "context")


async def test_compactions(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await asked(s)
        summary = "## Goal\n\nHow tax is computed, **exactly**.\n\n## Files\n\n- `shop/tax.py`: not changed"
        kept = ("a summary", "your last 2 messages", "the last tool results")
        await told(
            s,
            called(1, "read_files", "Reading shop/tax.py", paths=["shop/tax.py"]),
            ToolFinished(MAIN, "call-1", "read_files", "success", Display("Read shop/tax.py", "80 lines"), 0.1),
            CompactionStarted(MAIN, "nearly_full", 171_000),
            Compacted(MAIN, "nearly_full", 171_000, 12_300, kept, summary, ()),
            ContextMeasured(MAIN, 12_300, 200_000),
            CompactionStarted(MAIN, "nearly_full", 171_000),
            CompactionFailed(MAIN, "The service is overloaded: try later. Try again."),
            CompactionStarted(MAIN, "too_long", 171_000),
        )
        block = s.blocks[-3]
        assert isinstance(block, ToolBlock)
        block.is_expanded = True
        s.app.transcript.touch(block)
        await check_pictures(s, "compacted")


async def test_the_models(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await s.send("/model")
        await s.until_dialog()
        await s.press("down")
        await check_pictures(s, "models")


async def test_an_error(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await asked(s)
        await told(s, Notice(MAIN, "warning", "The server is busy (529). Trying again in 4 s, attempt 2 of 5."))
        await finished(s, outcome="failed", error="The key was not accepted (401). Check ANTHROPIC_API_KEY.")
        await s.type("next")
        await check_pictures(s, "error")


def test_a_picture_that_differs_is_told_readably(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UPDATE_PICTURES", raising=False)
    stored = tmp_path / "x.txt"
    assert problems_of(stored, "one\n")[0] == "x.txt is new (UPDATE_PICTURES=1 keeps it):"
    monkeypatch.setenv("UPDATE_PICTURES", "1")
    assert problems_of(stored, "one\n") == []
    monkeypatch.delenv("UPDATE_PICTURES")
    assert problems_of(stored, "one\n") == []
    assert problems_of(stored, "two\n")[-2:] == ["-one", "+two"]


def test_all_pictures_belong_to_a_scene() -> None:
    stored = {file.name for file in SNAPSHOTS.iterdir()}
    assert stored == {f"{name}-{width}.txt" for name in SCENES for width, _ in SIZES}
