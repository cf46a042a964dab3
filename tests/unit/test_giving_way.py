"""However much comes at once, everybody else in the event loop gets a turn in between (R7): by order, not by time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import httpx

from code_assistant.channel import MOST_CHARACTERS, Channel
from code_assistant.events import MAIN, Event, Notice, TextDelta, ThinkingDelta
from code_assistant.llm.event_data import json_events
from code_assistant.llm.monitor import StreamMonitor
from code_assistant.llm.stream import open_event_stream
from code_assistant.slices import ITEM, Slices


class Ticker:
    """Somebody else in the loop: counts their turns."""

    def __init__(self) -> None:
        self.turns = 0

    async def __aenter__(self) -> Ticker:
        self._task = asyncio.create_task(self._tick())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])

    async def _tick(self) -> None:
        while True:
            self.turns += 1
            await asyncio.sleep(0)


async def _all_at_once(items: Sequence[list[bytes]]) -> AsyncIterator[list[bytes]]:
    for item in items:
        yield item


def test_work_is_counted_by_its_size() -> None:
    slices = Slices(10 * ITEM)
    assert [slices.is_over() for _ in range(21)] == ([False] * 9 + [True]) * 2 + [False]
    assert slices.is_over(10 * ITEM)


async def test_safe_r7_many_events_in_one_batch() -> None:
    batch = [b'{"type":"ping"}'] * 20_000
    async with Ticker() as ticker:
        seen = [event async for event in json_events(_all_at_once([batch]))]
    assert len(seen) == 20_000
    assert ticker.turns > 50


async def test_safe_r7_after_a_large_event_before_it_is_worked_on() -> None:
    async with Ticker() as ticker:
        async for _ in json_events(_all_at_once([[b'{"a":"%s"}' % (b"x" * 500_000)]])):
            assert ticker.turns == 1


class _ManyChunks(httpx.AsyncByteStream):
    """All of them are there already, so that nobody would have to wait."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for _ in range(20_000):
            yield b"\n"
        yield b"data: {}\n\n"


async def test_safe_r7_many_chunks_of_nothing() -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, stream=_ManyChunks())

    monitor = StreamMonitor(lambda: 0.0)
    async with Ticker() as ticker, httpx.AsyncClient(transport=httpx.MockTransport(answer)) as http:
        async with open_event_stream(http, "http://model.test", {}, b"", monitor, "X") as batches:
            before = ticker.turns
            assert [batch async for batch in batches] == [[b"{}"]]
        assert ticker.turns - before > 50


async def test_safe_r7_a_large_delta_comes_in_pieces() -> None:
    whole = "".join(f"word {number} " for number in range(50_000))
    channel = Channel()
    merged = channel.subscribe("merged")
    channel.publish(TextDelta(MAIN, "a "))
    channel.publish(TextDelta(MAIN, whole))
    channel.publish(Notice(MAIN, "info", "between"))
    channel.publish(ThinkingDelta(MAIN, "hm"))
    channel.close()
    seen: list[Event] = []
    turns: list[int] = []
    async with Ticker() as ticker:
        async for event in merged:
            seen.append(event)
            if isinstance(event, TextDelta) and len(event.text) == MOST_CHARACTERS:
                turns.append(ticker.turns)
    pieces = [event.text for event in seen if isinstance(event, TextDelta)]
    assert "".join(pieces) == "a " + whole
    assert max(map(len, pieces)) <= MOST_CHARACTERS
    assert seen[-2:] == [Notice(MAIN, "info", "between"), ThinkingDelta(MAIN, "hm")]
    assert len(turns) > 30
    # Nobody gives more than two whole pieces in one go.
    assert max(turns.count(turn) for turn in turns) <= 2


async def test_safe_r7_many_small_deltas_are_joined_up_to_a_piece() -> None:
    channel = Channel()
    merged = channel.subscribe("merged")
    for _ in range(20_000):
        channel.publish(TextDelta(MAIN, "ab "))
    channel.close()
    sizes = [len(event.text) async for event in merged if isinstance(event, TextDelta)]
    assert sum(sizes) == 60_000
    assert len(sizes) == 60_000 // MOST_CHARACTERS + 1


async def test_safe_r7_who_is_cancelled_while_giving_way_has_lost_nothing() -> None:
    channel = Channel()
    merged = channel.subscribe("merged")
    channel.publish(TextDelta(MAIN, "x" * 10 * MOST_CHARACTERS))
    channel.close()
    seen: list[Event] = []

    async def take() -> None:
        async for event in merged:
            seen.append(event)  # noqa: PERF401 (what was taken before the cancellation counts)

    task = asyncio.create_task(take())
    await asyncio.sleep(0)
    assert seen
    task.cancel()
    await asyncio.wait([task])
    assert len(seen) < 10
    await take()
    assert sum(len(event.text) for event in seen if isinstance(event, TextDelta)) == 10 * MOST_CHARACTERS
