"""The real app over a session that only publishes what it is ordered to. `python -m benchmarks.screen.stage`."""

from __future__ import annotations

import asyncio
import gc
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from benchmarks.screen.control import Obeying, Order
from benchmarks.screen.sample import SECTION, text_of, tokens
from code_assistant.channel import Channel
from code_assistant.config.paths import themes_folder
from code_assistant.errors import WorkspaceError
from code_assistant.events import (
    MAIN,
    AgentSpawned,
    AgentStatusChanged,
    BlockAdded,
    Display,
    Event,
    Origin,
    OutputAdded,
    PromptFinished,
    PromptStarted,
    TextDelta,
    ToolFinished,
    ToolStarted,
)
from code_assistant.messages import Image, Message, Text
from code_assistant.permissions.modes import PermissionMode
from code_assistant.secrets import Masker
from code_assistant.session.past import Past
from code_assistant.session.search import Found
from code_assistant.session.summary import SessionSummary
from code_assistant.tui.app import CodeAssistantApp
from code_assistant.tui.start import FileLines, HeldPast, OpenedSession, Start, TrustAnswer, TrustDecided, TrustQuestion

if TYPE_CHECKING:
    from code_assistant.agent.session import Session
    from code_assistant.doctor.finding import Finding

TOKENS_PER_SECOND = 200
TOOLS = 8
LINES_PER_SECOND = 5
SECONDS_BETWEEN_EVENTS = 0.005
TOOL_EVERY = 10
SECRET = "a-key-that-is-masked"


class Play:
    """Stands where a session would: what it is ordered to do it publishes as one would."""

    mode: PermissionMode = "ask"

    def __init__(self) -> None:
        self._channel = Channel()
        self.events = self._channel.subscribe("merged")
        self.id = "the play"
        self._prompts = 0
        self._calls = 0
        self._reports = 0

    async def __aenter__(self) -> Play:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._channel.close()

    async def close(self) -> None:
        self._channel.close()

    def publish(self, *events: Event) -> None:
        for event in events:
            self._channel.publish(event)

    @contextmanager
    def prompt(self) -> Iterator[None]:
        self._prompts += 1
        name = f"prompt-{self._prompts}"
        self.publish(PromptStarted(MAIN, name, Message("user", (Text(f"What about number {self._prompts}?"),))))
        yield
        self.publish(PromptFinished(MAIN, name, "completed", "", 1, 1.0))

    def say(self, pieces: Sequence[str]) -> None:
        """A whole answer, however many pieces it comes in."""
        with self.prompt():
            for piece in pieces:
                self.publish(TextDelta(MAIN, piece))
            self.publish(BlockAdded(MAIN, Text("".join(pieces))))

    async def stream(self, seconds: float) -> None:
        """Text and the output of tools at their rates, as far as possible all of it in sight."""
        with self.prompt():
            first = [self._start_tool() for _ in range(TOOLS // 2)]
            source = tokens()
            self.publish(TextDelta(MAIN, next(source)))
            calls = first + [self._start_tool() for _ in range(TOOLS // 2)]
            began = time.perf_counter()
            said = lines = 0
            while (passed := time.perf_counter() - began) < seconds:
                while said < int(passed * TOKENS_PER_SECOND):
                    said += 1
                    self.publish(TextDelta(MAIN, next(source)))
                if lines < int(passed * LINES_PER_SECOND):
                    lines += 1
                    for call in calls:
                        self.publish(OutputAdded(MAIN, call, f"{call}: line {lines} of what it prints\n"))
                await asyncio.sleep(SECONDS_BETWEEN_EVENTS)

    async def report(self, count: int, rate: int, seconds: float) -> list[float]:
        """So many sub-agents, each with so many events a second; what an event costs, second for second."""
        with self.prompt():
            origins = [self._spawn(number) for number in range(count)]
            costs: list[float] = []
            for _ in range(round(seconds)):
                cpu = time.process_time()
                await self._report_for_a_second(origins, rate)
                costs.append((time.process_time() - cpu) / (count * rate))
        return costs

    async def _report_for_a_second(self, origins: Sequence[Origin], rate: int) -> None:
        began = time.perf_counter()
        done = 0
        while done < rate:
            while done < min(rate, int((time.perf_counter() - began) * rate)):
                done += 1
                for origin in origins:
                    self._report(origin)
            await asyncio.sleep(SECONDS_BETWEEN_EVENTS)

    def _report(self, origin: Origin) -> None:
        """Mostly text; every tenth event begins a tool call that the next one ends."""
        self._reports += 1
        call = f"call-{origin.agent_id}-{self._reports // TOOL_EVERY}"
        match self._reports % TOOL_EVERY:
            case 0:
                self.publish(ToolStarted(origin, call, "read_files", {"paths": ["a.py"]}, f"Reading {call}.py"))
            case 1:
                display = Display(f"Read {call}.py", "80 lines", "1 x = 1")
                self.publish(ToolFinished(origin, call, "read_files", "success", display, 0.1))
            case _:
                self.publish(TextDelta(origin, "some words of it, "))

    def _spawn(self, number: int) -> Origin:
        call = f"spawn-{number}"
        origin = Origin(f"agent-{number}", f"explore-{number}", 2, MAIN.agent_id, call, number % 10)
        self.publish(
            ToolStarted(MAIN, call, "spawn_agent", {"instructions": "Look."}, "Look"),
            AgentSpawned(origin, "Look at one part of it", "Look.", "read_only", "explore", "sonnet", 40),
            AgentStatusChanged(origin, "spawning"),
            AgentStatusChanged(origin, "running"),
        )
        return origin

    def _start_tool(self) -> str:
        self._calls += 1
        call = f"call-{self._calls}"
        self.publish(ToolStarted(MAIN, call, "execute_command", {"command": "make"}, f"Run make {self._calls}"))
        return call


class PlayBackstage:
    def __init__(self, play: Play) -> None:
        self._play = play

    async def open_session(
        self, mode: PermissionMode, model: str | None, held: HeldPast | None = None
    ) -> OpenedSession:
        del mode, held
        return OpenedSession(cast("Session", self._play), self._play.events, model or "", 200_000)

    async def sessions(self) -> Sequence[SessionSummary]:
        return ()

    async def search_sessions(self, words: str) -> Sequence[Found]:
        del words
        return ()

    async def open_past(self, wanted: str, *, is_fork: bool = False) -> HeldPast:
        raise NotImplementedError

    async def read_past(self, session_id: str) -> Past:
        raise NotImplementedError

    async def export_past(self, session_id: str, form: Literal["md", "html"], target: str) -> Path:
        raise NotImplementedError

    async def fork_past(self, session_id: str, before: str | None) -> str:
        raise NotImplementedError

    async def check_setup(self) -> Sequence[Finding]:
        return ()

    @property
    def is_trusted(self) -> bool:
        return True

    async def trust_question(self) -> TrustQuestion | None:
        return None

    async def trust_contents(self) -> Sequence[tuple[str, Sequence[str]]]:
        return ()

    async def decide_trust(self, answer: TrustAnswer) -> TrustDecided:
        raise NotImplementedError

    def list_files(self) -> Sequence[str]:
        return ()

    def keep_key(self, variable: str, key: str) -> str:
        raise NotImplementedError

    def remember_model(self, name: str) -> None:
        raise NotImplementedError

    async def changed_files(self) -> int | None:
        return None

    def read_image(self, path: str) -> Image | None:
        del path
        return None

    def mentioned_images(self, text: str) -> tuple[tuple[Image, ...], tuple[str, ...]]:
        del text
        return (), ()

    def read_lines(self, path: str, first: int, last: int) -> FileLines:
        raise WorkspaceError(f"{path} is not on the stage.")


class Stage(CodeAssistantApp):
    def __init__(self, folder: Path, play: Play, obeying: Obeying) -> None:
        start = Start(
            folder=folder,
            masker=Masker((SECRET,)),
            mode="ask",
            model="sonnet",
            theme="harbor-dark",
            state_folder=folder / "state",
            themes_folder=themes_folder(),
            own_themes_folder=folder / "themes",
        )
        super().__init__(start, PlayBackstage(play))
        self._play = play
        self._obeying = obeying
        self._paints = 0

    def on_ready(self) -> None:
        self._obeying.start(lambda order: cast(None, self.run_worker(self._obey(order))))

    def _paint(self) -> None:
        self._paints += 1
        super()._paint()

    async def _obey(self, order: Order) -> None:
        cpu, paints = time.process_time(), self._paints
        match order:
            case {"word": "say", "tokens": int(count), "end": str(end)}:
                source = tokens()
                self._play.say([*(next(source) for _ in range(count)), end])
            case {"word": "fill", "tokens": int(count), "messages": int(messages)}:
                await self._fill(count, messages)
            case {"word": "append"}:
                self._play.say([SECTION])
            case {"word": "report", "agents": int(agents), "rate": int(rate), "seconds": seconds}:
                costs = await self._play.report(agents, rate, float(seconds))
                self._obeying.answer(costs=costs)
                return
            case {"word": "stream", "seconds": seconds}:
                with profiled(order.get("profile")):
                    await self._play.stream(float(seconds))
            case _:
                pass
        self._obeying.answer(cpu=time.process_time() - cpu, paints=self._paints - paints, total=time.process_time())

    async def _fill(self, count: int, messages: int) -> None:
        """Every prompt and every answer is a message."""
        if count:
            self._play.say([text_of(count)])
        for _ in range(messages // 2):
            self._play.say([SECTION])
        await asyncio.sleep(1)


@contextmanager
def profiled(path: Any) -> Iterator[None]:
    """With a path, the profile of what runs meanwhile is written there: for those who look for the reason."""
    if not isinstance(path, str):
        yield
        return
    from cProfile import Profile

    with Profile() as profile:
        yield
    profile.dump_stats(path)


def main() -> None:
    # As the program does when it starts.
    gc.disable()
    with tempfile.TemporaryDirectory() as folder:
        Stage(Path(folder), Play(), Obeying(sys.argv)).run()


if __name__ == "__main__":
    main()
