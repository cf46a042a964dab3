"""The session behind the screen: what is sent before it is there, what is taken back, how it ends."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from code_assistant.channel import Channel
from code_assistant.errors import CredentialError
from code_assistant.events import MAIN, Event, Notice
from code_assistant.tui.composer.draft import Draft
from code_assistant.tui.core import Core, Failure
from code_assistant.tui.start import OpenedSession
from tests.hang_guard import HANG_GUARD


class FakeSession:
    def __init__(self) -> None:
        self.id = "session-1"
        self.channel = Channel()
        self.sent: list[str] = []
        self.waiting: list[str] = []
        self.is_entered = False
        self.closed = 0

    async def __aenter__(self) -> FakeSession:
        self.is_entered = True
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def send(self, text: str, images: tuple[object, ...]) -> str:
        assert self.is_entered
        self.sent.append(text)
        self.waiting.append(f"id of {text}")
        return f"id of {text}"

    def run_shell(self, command: str) -> str:
        return self.send(f"$ {command}", ())

    def take_back(self) -> tuple[str, ...]:
        taken, self.waiting = tuple(self.waiting), []
        return taken

    async def close(self) -> None:
        self.closed += 1
        self.channel.close()


class Stage:
    """Opens sessions when the test lets it."""

    def __init__(self) -> None:
        self.may_open = asyncio.Event()
        self.sessions: list[FakeSession] = []
        self.error: Exception | None = None
        self.opened: list[OpenedSession | Failure] = []
        self.events: list[Event] = []
        self.core = Core(self, self.events.append, self.opened.append)  # type: ignore[arg-type]
        self.task: asyncio.Task[None] | None = None

    async def open_session(self, mode: str, model: str | None, held: object = None) -> OpenedSession:
        await self.may_open.wait()
        if self.error is not None:
            raise self.error
        session: Any = FakeSession()
        self.sessions.append(session)
        return OpenedSession(session, session.channel.subscribe("merged"), f"{model} in {mode}", 1000)

    def start(self) -> None:
        self.task = asyncio.create_task(self.core.run("ask", "sonnet"))

    async def open(self) -> FakeSession:
        self.start()
        self.may_open.set()
        await self.until(lambda: bool(self.opened))
        return self.sessions[-1]

    async def until(self, is_so: Any) -> None:
        async with asyncio.timeout(HANG_GUARD):
            while not is_so():  # noqa: ASYNC110 (there is no event to wait for)
                await asyncio.sleep(0)


@pytest.fixture
async def stage() -> Stage:
    return Stage()


async def closed(stage: Stage) -> None:
    async with asyncio.timeout(HANG_GUARD):
        await stage.core.close()
        if stage.task is not None:
            await stage.task


async def test_what_is_sent_early_goes_out_in_order_once_the_session_is_there(stage: Stage) -> None:
    stage.start()
    for text in ("one", "!two", "three"):
        assert stage.core.send(Draft(text), ())
    assert [draft.text for draft in stage.core.early] == ["one", "!two", "three"]
    stage.may_open.set()
    await stage.until(lambda: stage.opened)
    assert stage.core.send(Draft("four"), ())
    assert stage.sessions[0].sent == ["one", "$ two", "three", "four"]
    assert stage.core.early == ()
    await closed(stage)


async def test_events_are_handed_on_in_order(stage: Stage) -> None:
    session = await stage.open()
    told: list[Event] = [Notice(MAIN, "info", str(number)) for number in range(5)]
    for event in told:
        session.channel.publish(event)
    await stage.until(lambda: len(stage.events) == 5)
    assert stage.events == told
    await closed(stage)


async def test_without_a_session_drafts_are_kept_and_given_back(stage: Stage) -> None:
    stage.error = CredentialError("There is no key.")
    stage.start()
    assert stage.core.send(Draft("one"), ())
    stage.may_open.set()
    await stage.until(lambda: stage.opened)
    assert stage.opened == [Failure("There is no key.")]
    assert stage.core.failure == Failure("There is no key.")
    assert not stage.core.send(Draft("two"), ())
    assert [draft.text for draft in stage.core.take_back()] == ["one"]
    assert stage.core.take_back() == ()
    await closed(stage)


async def test_a_fault_while_opening_is_told_as_well(stage: Stage) -> None:
    stage.error = OSError("the disk is gone")
    stage.start()
    stage.may_open.set()
    await stage.until(lambda: stage.opened)
    failure = stage.opened[0]
    assert isinstance(failure, Failure)
    assert "the disk is gone" in failure.words
    await closed(stage)


async def test_taking_back_gives_drafts_the_oldest_first_and_only_once(stage: Stage) -> None:
    session = await stage.open()
    for text in ("one", "!two", "three"):
        stage.core.send(Draft(text), ())
    session.waiting.remove("id of one")
    assert stage.core.forget("id of one") == Draft("one")
    assert [draft.text for draft in stage.core.take_back()] == ["!two", "three"]
    assert stage.core.take_back() == ()
    assert stage.core.forget("id of three") is None
    await closed(stage)


async def test_after_a_fault_all_that_had_not_begun_is_given_back(stage: Stage) -> None:
    session = await stage.open()
    for text in ("one", "two", "three"):
        stage.core.send(Draft(text), ())
    stage.core.forget("id of one")

    def fails(event: Event) -> None:
        raise RuntimeError("a fault")

    stage.core._take = fails
    session.waiting.clear()
    session.channel.publish(Notice(MAIN, "info", ""))
    await stage.until(lambda: stage.core.failure is not None)
    assert [draft.text for draft in stage.core.take_back()] == ["two", "three"]
    assert stage.core.take_back() == ()
    await closed(stage)


async def test_what_is_sent_while_a_session_closes_waits_for_the_next(stage: Stage) -> None:
    session = await stage.open()
    closing = asyncio.create_task(stage.core.close())
    await asyncio.sleep(0)
    assert stage.core.send(Draft("late"), ())
    assert session.sent == []
    await closing
    stage.opened.clear()
    session = await stage.open()
    await stage.until(lambda: session.sent == ["late"])
    await closed(stage)


async def test_what_fails_to_be_sent_early_is_not_lost(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> str:
        raise RuntimeError("it is not open")

    monkeypatch.setattr(FakeSession, "send", fails)
    stage.start()
    for text in ("one", "two"):
        stage.core.send(Draft(text), ())
    stage.may_open.set()
    await stage.until(lambda: stage.core.failure is not None)
    assert [draft.text for draft in stage.core.take_back()] == ["one", "two"]
    await closed(stage)


async def test_closing_ends_the_session_and_waits_for_it(stage: Stage) -> None:
    session = await stage.open()
    await closed(stage)
    assert session.closed >= 1
    assert stage.core.session is None
    assert stage.task is not None
    assert stage.task.done()


async def test_closing_while_the_session_is_opened_ends_it_as_soon_as_it_is_there(stage: Stage) -> None:
    stage.start()
    closing = asyncio.create_task(stage.core.close())
    await asyncio.sleep(0)
    assert not closing.done()
    stage.may_open.set()
    async with asyncio.timeout(HANG_GUARD):
        await closing
    assert stage.sessions[0].closed == 1
    assert stage.opened == []
    assert stage.core.session is None


async def test_closing_what_was_never_opened_is_nothing(stage: Stage) -> None:
    await closed(stage)


async def test_after_closing_another_session_can_be_opened(stage: Stage) -> None:
    stage.error = CredentialError("There is no key.")
    stage.start()
    stage.may_open.set()
    await stage.until(lambda: stage.opened)
    await closed(stage)
    stage.error = None
    stage.opened.clear()
    session = await stage.open()
    assert stage.core.failure is None
    assert stage.core.send(Draft("again"), ())
    assert session.sent == ["again"]
    await closed(stage)


async def test_a_session_that_ends_by_itself_is_over(stage: Stage) -> None:
    session = await stage.open()
    session.channel.close()
    async with asyncio.timeout(HANG_GUARD):
        assert stage.task is not None
        await stage.task
    assert stage.core.session is None
    await closed(stage)
