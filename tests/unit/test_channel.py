"""The channel: raw and merged views, several consumers, nothing lost, order kept, cost linear."""

from __future__ import annotations

import asyncio
from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from code_assistant.channel import Channel, Subscription
from code_assistant.events import MAIN, Event, Notice, Origin, OutputAdded, TextDelta, ThinkingDelta

CHILD = Origin("child-1", "explore-1", 2, "main", "toolu_1")


async def rest(subscription: Subscription) -> list[Event]:
    return [event async for event in subscription]


def text(piece: str, origin: Origin = MAIN) -> TextDelta:
    return TextDelta(origin, piece)


async def test_every_consumer_gets_every_event() -> None:
    channel = Channel()
    first, second = channel.subscribe("raw"), channel.subscribe("raw")
    channel.publish(text("a"))
    channel.publish(text("b"))
    channel.close()
    assert await rest(first) == await rest(second) == [text("a"), text("b")]


async def test_the_merged_view_joins_what_waits_together() -> None:
    channel = Channel()
    merged = channel.subscribe("merged")
    notice = Notice(MAIN, "info", "x")
    for event in (text("a"), text("b"), ThinkingDelta(MAIN, "t"), text("c"), notice, text("d"), text("e")):
        channel.publish(event)
    channel.close()
    assert await rest(merged) == [text("ab"), ThinkingDelta(MAIN, "t"), text("c"), notice, text("de")]


async def test_output_is_joined_per_tool_call() -> None:
    channel = Channel()
    merged = channel.subscribe("merged")
    output = [OutputAdded(MAIN, call, piece) for call, piece in (("a", "1"), ("a", "2"), ("b", "3"), ("a", "4"))]
    for event in (*output, text("t"), text("u")):
        channel.publish(event)
    channel.close()
    assert await rest(merged) == [OutputAdded(MAIN, "a", "12"), *output[2:], text("tu")]


async def test_a_fast_consumer_gets_pieces_as_they_come() -> None:
    channel = Channel()
    merged = channel.subscribe("merged")
    for piece in "abc":
        channel.publish(text(piece))
        assert await anext(merged) == text(piece)


async def test_agents_that_write_at_the_same_time_are_merged_each_for_itself() -> None:
    channel = Channel()
    merged = channel.subscribe("merged")
    for _ in range(100):
        channel.publish(text("m"))
        channel.publish(text("c", CHILD))
    channel.close()
    assert await rest(merged) == [text("m" * 100), text("c" * 100, CHILD)]


async def test_a_consumer_that_waits_is_woken() -> None:
    channel = Channel()
    subscription = channel.subscribe("merged")
    waiting = asyncio.create_task(rest(subscription))
    await asyncio.sleep(0)
    channel.publish(text("late"))
    await asyncio.sleep(0)
    channel.close()
    assert await waiting == [text("late")]


async def test_leaving_ends_only_that_consumer() -> None:
    channel = Channel()
    leaving, staying = channel.subscribe("raw"), channel.subscribe("raw")
    channel.unsubscribe(leaving)
    channel.publish(text("a"))
    channel.close()
    assert await rest(leaving) == []
    assert await rest(staying) == [text("a")]


async def ready(subscription: Subscription) -> list[Event]:
    """One event if one is waiting, none otherwise."""
    taking = asyncio.ensure_future(anext(subscription))
    await asyncio.sleep(0)
    if taking.done():
        return [taking.result()]
    taking.cancel()
    await asyncio.wait({taking})
    return []


EVENTS = st.lists(
    st.one_of(
        st.builds(TextDelta, st.sampled_from([MAIN, CHILD]), st.text(max_size=3)),
        st.builds(ThinkingDelta, st.sampled_from([MAIN, CHILD]), st.text(max_size=3)),
        st.builds(Notice, st.sampled_from([MAIN, CHILD]), st.just("info"), st.text(max_size=3)),
        st.none(),
    )
)


def by_origin(events: list[Event]) -> dict[str, list[tuple[str, str]]]:
    """Per origin the sequence of kinds with their texts, neighbouring deltas of a kind joined."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for event in events:
        assert isinstance(event, TextDelta | ThinkingDelta | Notice)
        kind, line = type(event).__name__, found[event.origin.agent_id]
        if line and line[-1][0] == kind and not isinstance(event, Notice):
            line[-1] = (kind, line[-1][1] + event.text)
        else:
            line.append((kind, event.text))
    return found


@given(EVENTS)
def test_merged_and_raw_tell_the_same_story(events: list[Event | None]) -> None:
    """None in the list is a moment when the consumer takes what is there."""

    async def scenario() -> None:
        channel = Channel()
        merged = channel.subscribe("merged")
        taken: list[Event] = []
        published: list[Event] = []
        for event in events:
            if event is None:
                taken += await ready(merged)
            else:
                channel.publish(event)
                published.append(event)
        channel.close()
        taken += await rest(merged)
        assert by_origin(taken) == by_origin(published)

    asyncio.run(scenario())
