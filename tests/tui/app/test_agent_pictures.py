"""Pictures of sub-agents, in three widths and two themes."""

from __future__ import annotations

from pathlib import Path

from code_assistant.events import MAIN, Event, TextDelta
from tests.fakes.server import ScriptedServer
from tests.tui.agents.child import ChildEvents
from tests.tui.app.harness import Scene, scene
from tests.tui.app.pictures import check_pictures
from tests.tui.app.test_pictures import asked, told

ANSWER = """\
Tax is computed **once**, for the whole cart:

- `shop/tax.py:12` multiplies by the rate
- `shop/cart.py:40` calls it

```python
return net * RATE
```
"""


def a_busy_one() -> list[Event]:
    one = ChildEvents(1, label="Find the tax computation")
    return [
        *one.spawned(),
        *one.call(1),
        *one.called(1, 'Searched "def .*tax" in shop/', "14 matches, 5 files"),
        *one.call(2),
        *one.called(2, "Read shop/tax.py:1-80", ""),
        *one.call(3, "Reading shop/missing.py"),
        *one.called(3, "Read shop/missing.py", "failed: there is no file shop/missing.py", "error"),
        *one.requested(),
        *one.requested(),
        *one.used(8_100),
        *one.call(4, "Reading shop/cart.py"),
    ]


async def one_waits(s: Scene) -> None:
    two = ChildEvents(2, label="Find the tests")
    await began(
        s,
        *two.spawned(),
        *two.call(1),
        *two.called(1, "Found tests/**/test_*tax*.py", "3 files"),
        *two.call(2, "Fetching docs.example.org"),
        *a_finished_one(),
    )
    await told(s, *two.asks(2, "fetch a page", "GET https://docs.example.org/tax/rounding"))
    await s.until_prompt()


def a_finished_one() -> list[Event]:
    three = ChildEvents(3, label="Who calls compute_tax")
    return [*three.spawned(), *three.call(1), *three.called(1), *three.call(2), *three.called(2), *three.finished()]


async def began(s: Scene, *events: Event) -> None:
    await asked(s)
    await told(s, TextDelta(MAIN, "I'll look at both at the same time."), *events)
    s.clock.now += 12
    s.app._tick()


async def test_three_at_work(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        four = ChildEvents(4, label="漢字 Wer ruft é compute_tax auf, und mit welchen Werten?")
        writing = [*four.spawned(), *four.wrote("I have looked at all of the callers. There are **three** of them:")]
        await began(s, *a_busy_one(), *writing, *ChildEvents(5, label="Find the rates").spawned("queued"))
        await check_pictures(s, "agents")


async def test_one_that_waits_for_the_person(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await one_waits(s)
        await check_pictures(s, "agent-waiting")


async def test_one_that_waits_with_the_focus_in_its_prompt(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        await one_waits(s)
        await s.press("f8")
        await check_pictures(s, "agent-waiting-focused")


async def test_how_they_end(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        ends: list[Event] = []
        for number, (status, warning, error) in enumerate(
            (
                ("completed", None, None),
                ("completed_with_warning", "These references could not be verified: shop/tax.py:99", None),
                ("failed", None, "The server is overloaded (529), and stayed so for 5 attempts."),
                ("cancelled", None, None),
                ("timed_out", None, "It took longer than 60 s."),
                ("turn_limit_reached", None, "It reached its limit of 10 turns."),
                ("budget_exhausted", None, "It used 5,000 input tokens of 4,000."),
            ),
            start=1,
        ):
            one = ChildEvents(number, label=f"Part {number} of the work")
            ends += [*one.spawned(), *one.call(1), *one.called(1)]
            ends += one.finished(status, warning=warning, error=error)  # type: ignore[arg-type]
        await began(s, *ends)
        await check_pictures(s, "agents-ended")


async def test_a_finished_one_unfolded(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        one = ChildEvents(1, label="Find the tax computation")
        work = [event for number in range(1, 12) for event in (*one.call(number), *one.called(number))]
        await began(s, *one.spawned(), *work, *one.finished(answer=ANSWER, warning="shop/cart.py:40 was not read."))
        s.app.view.toggle(s.agent())
        await s.painted()
        await s.press("alt+up", "down", "down", "down")
        await check_pictures(s, "agent-unfolded")


async def test_a_nested_one_that_is_cancelled(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path) as s:
        one = ChildEvents(1, label="Find the tax computation")
        two = ChildEvents(2, "helper-1", label="Look into the tests", parent=one.origin)
        await began(s, *one.spawned(), *two.spawned(), *two.has("shutting_down"))
        await s.press("tab", "tab")
        await check_pictures(s, "agent-nested")
