"""Plans are replayed from a conversation, and end whatever was called or may be called."""

from __future__ import annotations

from code_assistant.llm.offline.steps import MOST_ROUNDS, Call, Outcome, Plan, Round, Step, advance

FIRST, SECOND, OTHER = Call("a", {}), Call("b", {"x": 1}), Call("c", {})
TOOLS = frozenset("abc")


def plan() -> Plan:
    first = yield Step((FIRST,), "I look.")
    nothing = yield Step(())
    second = yield Step((SECOND, OTHER))
    return " ".join(each.text for each in (*first, *nothing, *second))


def done(*calls: Call) -> Round:
    return Round(calls, tuple(Outcome((f"from {call.tool}",)) for call in calls))


def test_step_by_step() -> None:
    assert advance(plan(), (), TOOLS, allow_tools=True) == Step((FIRST,), "I look.")
    assert advance(plan(), (done(FIRST),), TOOLS, allow_tools=True) == Step((SECOND, OTHER))
    both = (done(FIRST), done(SECOND, OTHER))
    assert advance(plan(), both, TOOLS, allow_tools=True) == "from a from b from c"


def test_without_tools_it_answers_with_what_it_has() -> None:
    answer = advance(plan(), (done(FIRST),), TOOLS, allow_tools=False)
    assert answer == "from a no more tool calls were allowed no more tool calls were allowed"


def test_tools_that_are_not_there_are_not_called() -> None:
    here = frozenset("ab")
    assert advance(plan(), (done(FIRST),), here, allow_tools=True) == Step((SECOND,))
    answer = advance(plan(), (done(FIRST), done(SECOND)), here, allow_tools=True)
    assert answer == "from a from b the tool c is not available here"


def test_calls_of_somebody_else_are_no_results_of_ours() -> None:
    assert advance(plan(), (done(OTHER),), TOOLS, allow_tools=True) == Step((FIRST,), "I look.")


def test_it_does_not_call_for_ever_where_results_never_fit() -> None:
    answer = advance(plan(), (done(OTHER),) * MOST_ROUNDS, TOOLS, allow_tools=True)
    assert isinstance(answer, str)
