"""The whole app over a real session and the scripted server, driven by Pilot; its clock moves only by hand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from textual import message as textual_message
from textual.pilot import Pilot
from textual.worker import Worker, WorkerState

from code_assistant.cli import Arguments, parse
from code_assistant.config.folder_trust import FolderTrust
from code_assistant.config.paths import themes_folder
from code_assistant.launch import ScreenBackstage, trust_question
from code_assistant.llm import local_servers
from code_assistant.permissions.modes import PermissionMode
from code_assistant.secrets import Masker
from code_assistant.subagents import live
from code_assistant.subagents.child import Child
from code_assistant.tui.agents import cancel_button
from code_assistant.tui.agents.cancel_button import CancelButton
from code_assistant.tui.app import CodeAssistantApp
from code_assistant.tui.painter import Painter
from code_assistant.tui.pickers.dialog import Dialog
from code_assistant.tui.prompts.panel import PromptPanel
from code_assistant.tui.start import Backstage, HeldPast, OpenedSession, Start
from code_assistant.tui.transcript.agent_block import AgentBlock
from code_assistant.tui.transcript.blocks import Block, NoticeBlock, ToolBlock
from tests.fakes.server import ScriptedServer
from tests.hang_guard import HANG_GUARD
from tests.trusting import trust_folder

KEY = "test-key-1"
TAX = "RATE = 0.2\n\n\ndef compute_tax(net):\n    return round(net * RATE)\n"


# An address that nobody listens at: no test may find what runs on somebody's machine.
NOBODY = "http://127.0.0.1:9"


def write_models(home: Path, local: str) -> None:
    folder = home / ".config" / "code-assistant"
    folder.mkdir(parents=True, exist_ok=True)
    addresses = {"ollama": local, "lmstudio": NOBODY, "llamacpp": NOBODY, "vllm": NOBODY}
    lines = [f'[providers.{name}]\nbase_url = "{url}/v1"\n' for name, url in addresses.items()]
    (folder / "models.toml").write_text("\n".join(lines))


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class SceneApp(CodeAssistantApp):
    """Faults in workers, which would pass unseen, are kept, and so is what goes to the terminal."""

    def __init__(self, start: Start, backstage: Backstage, clock: Clock) -> None:
        super().__init__(start, backstage, clock)
        # When to paint is left to real time; everything else is what the clock says.
        self.painter = Painter(self._paint)
        self.faults: list[BaseException] = []
        self.copied: list[str] = []
        self.rung = 0

    def on_worker_state_changed(self, message: Worker.StateChanged) -> None:
        if message.state is WorkerState.ERROR and message.worker.error is not None:
            self.faults.append(message.worker.error)

    def copy_to_clipboard(self, text: str) -> None:
        super().copy_to_clipboard(text)
        self.copied.append(text)

    def bell(self) -> None:
        self.rung += 1


class HeldBackstage(ScreenBackstage):
    """Opens a session only when the test lets it."""

    def __init__(
        self, arguments: Arguments, environ: Mapping[str, str], may_open: asyncio.Event, trust: FolderTrust
    ) -> None:
        super().__init__(arguments, environ, (), trust=trust)
        self._may_open = may_open
        self.is_opening = asyncio.Event()

    async def open_session(
        self, mode: PermissionMode, model: str | None, held: HeldPast | None = None
    ) -> OpenedSession:
        self.is_opening.set()
        await self._may_open.wait()
        return await super().open_session(mode, model, held)


class Scene:
    """What a test holds: the app, its pilot, and words for what a person does and sees."""

    def __init__(self, app: SceneApp, pilot: Pilot[None], server: ScriptedServer, folder: Path, clock: Clock) -> None:
        self.app = app
        self.pilot = pilot
        self.server = server
        self.folder = folder
        self.clock = clock

    # What a person does

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def type(self, text: str) -> None:
        """Key by key, as a person does."""
        named = {"\n": "enter", " ": "space"}
        await self.pilot.press(*(named.get(character, character) for character in text))

    async def send(self, text: str) -> None:
        self.app.composer.focus()
        self.app.composer.put(text)
        await self.pilot.press("enter")

    async def wait(self, seconds: float) -> None:
        """Time passes for everything but the painter, and nobody does anything."""
        self.clock.now += seconds
        self.app.desk.composer_changed()
        self.app.desk._timer.look()
        await self.pilot.pause()

    async def answer(self, *keys: str) -> None:
        """Go to the oldest prompt after having seen it for a while, and press keys there."""
        await self.until_prompt()
        await self.painted()
        await self.wait(0.5)
        await self.press("f8")
        await self.press(*keys)

    async def answer_hidden(self, *keys: str) -> None:
        """Bring back the oldest prompt, look at it for a while, and press keys there."""
        await self.press("f8")
        await self.answer(*keys)

    async def click_on(self, text: str) -> None:
        """With the mouse, on the first place where a text is shown."""
        await self.painted()
        for y, row in enumerate(self.rows):
            if text in row:
                # Pilot hands its mouse to the screen, past the app that would have taken note of it.
                self.app.desk._safe_typing.mouse_pressed(self.clock.now)
                await self.pilot.click(offset=(row.index(text) + 1, y))
                return
        raise AssertionError(f"{text!r} is not shown\n" + "\n".join(self.rows))

    # What comes to be

    async def until(self, is_so: Callable[[], object], what: str = "") -> None:
        """Wait for something to become true; the hang guard says what never did."""
        try:
            async with asyncio.timeout(HANG_GUARD):
                while not is_so():
                    await self.pilot.pause(0.01)
        except TimeoutError:
            raise AssertionError(f"never: {what}\n" + "\n".join(self.rows)) from None

    async def until_shown(self, text: str) -> None:
        """And until all that comes with it is painted, too: rows are drawn from what is known, at any moment."""
        await self.until(lambda: self.shows(text), f"{text!r} is shown")
        await self.painted()

    async def until_gone(self, text: str) -> None:
        await self.until(lambda: not self.shows(text), f"{text!r} is gone")
        await self.painted()

    async def until_idle(self) -> None:
        """Until what was sent is done: on its way to the session, in it, and on its way back."""
        await self.until(lambda: self.is_idle, "idle")
        await self.painted()

    @property
    def has_begun(self) -> bool:
        """Whether there is a session, or none, and the screen was told so."""
        opened, state = self.app.core._opened, self.app.state
        if opened is None:
            return self.app.core.failure is not None
        return (state.model, state.context_window) == (opened.model, opened.context_window)

    @property
    def is_idle(self) -> bool:
        state, core = self.app.state, self.app.core
        if state.working_since is not None or state.queue or core.early:
            return False
        if any(worker.group == "sending" and not worker.is_finished for worker in self.app.workers):
            return False
        opened = core._opened
        return opened is None or (opened.session._idle.is_set() and not opened.events._pending)

    async def until_prompt(self, number: int = 1) -> PromptPanel:
        """Until so many can be answered, and each stands where it stays."""

        def are_there() -> bool:
            return len(self.open_panels) >= number and all(panel.region for panel in self.open_panels)

        await self.until(are_there, f"{number} prompts are there")
        await self.painted()
        return self.open_panels[0]

    async def until_dialog(self, kind: type[Dialog[Any]] | None = None) -> Dialog[Any]:
        await self.until(lambda: isinstance(self.app.screen, kind or Dialog), "a window is open")
        await self.pilot.pause()
        screen = self.app.screen
        assert isinstance(screen, Dialog)
        return screen

    async def painted(self) -> None:
        """Twice: what is painted may move what is around it."""
        for _ in range(2):
            self.app._paint()
            await self.pilot.pause()

    # What is to be seen

    @property
    def panels(self) -> list[PromptPanel]:
        return list(self.app.main.query(PromptPanel))

    @property
    def open_panels(self) -> list[PromptPanel]:
        """Those that are neither answered nor hidden, and so will not go by themselves."""
        return [panel for panel in self.panels if not panel.is_closed and not panel._pruning]

    @property
    def rows(self) -> list[str]:
        """The screen as text, row by row."""
        size = self.app.size
        strips = self.app.screen._compositor.render_strips(size)
        return [strip.text.rstrip() for strip in strips]

    def shows(self, text: str) -> bool:
        return any(text in row for row in self.rows)

    @property
    def transcript_rows(self) -> list[str]:
        view = self.app.view
        return [strip.text.rstrip() for strip in view.render_lines(view.size.region)]

    @property
    def blocks(self) -> list[Block]:
        return self.app.transcript.blocks

    @property
    def notices(self) -> list[str]:
        return [block.text for block in self.blocks if isinstance(block, NoticeBlock)]

    @property
    def tools(self) -> list[ToolBlock]:
        return [block for block in self.blocks if isinstance(block, ToolBlock)]

    def tool(self, number: int = -1) -> ToolBlock:
        return self.tools[number]

    @property
    def agents(self) -> list[AgentBlock]:
        return [block for block in self.blocks if isinstance(block, AgentBlock)]

    def agent(self, number: int = 0) -> AgentBlock:
        return self.agents[number]

    @property
    def buttons(self) -> list[CancelButton]:
        """Those that can be seen."""
        return [button for button in self.app.main.query(CancelButton) if button.region]


@asynccontextmanager
async def scene(
    server: ScriptedServer,
    tmp_path: Path,
    *arguments: str,
    size: tuple[int, int] = (100, 30),
    key: str = KEY,
    theme: str = "harbor-dark",
    keys: dict[str, str] | None = None,
    warnings: tuple[str, ...] = (),
    may_open: asyncio.Event | None = None,
    collapses: bool = True,
    local: str = NOBODY,
    variables: dict[str, str] | None = None,
    branch: str | None = None,
    trusts: bool = True,
) -> AsyncIterator[Scene]:
    """With `may_open` the test begins before there is a session. `local` is where an Ollama of the test's own runs.

    The folder has been trusted before, unless the test says that nobody has.
    """
    folder = tmp_path / "shop"
    home = tmp_path / "home"
    folder.mkdir(exist_ok=True)
    home.mkdir(exist_ok=True)
    if not (folder / "tax.py").exists():
        (folder / "tax.py").write_text(TAX)
        (folder / "README.md").write_text("# Shop\n")
    write_models(home, local)
    environ = {"HOME": str(home), "ANTHROPIC_BASE_URL": server.url, "PATH": "/usr/bin:/bin", **(variables or {})}
    if key:
        environ["ANTHROPIC_API_KEY"] = key
    if trusts:
        trust_folder(folder, environ)
    parsed = parse([str(folder), *arguments])
    trust = FolderTrust(folder, environ, is_given=parsed.trust)
    start = Start(
        folder=folder,
        masker=Masker((key,)),
        mode=parsed.permission_mode,
        model=parsed.model or "sonnet",
        theme=theme,
        state_folder=home / ".local/state/code-assistant",
        themes_folder=themes_folder(),
        own_themes_folder=home / "themes",
        keys=keys or {},
        warnings=warnings,
        branch=branch,
        collapse_finished_agents=collapses,
        resume=parsed.resume,
        fork=parsed.fork,
        trust=trust_question(trust),
    )
    is_held = may_open is not None
    may_open = may_open or asyncio.Event()
    if not is_held:
        may_open.set()
    clock = Clock()
    app = SceneApp(start, HeldBackstage(parsed, environ, may_open, trust), clock)
    # Keys and clicks happen when the clock says so.
    time_of_events = patch.object(textual_message, "_time", SimpleNamespace(get_time=clock))
    # How long an agent worked is on the screen, too.
    time_of_agents = patch.object(live, "Child", partial(Child, clock=clock))
    time_of_buttons = patch.object(cancel_button, "time", SimpleNamespace(monotonic=clock))
    # How long a server of the test's own may take on a busy machine is not what a test is about.
    seconds = local_servers.ANSWER_SECONDS if local == NOBODY else HANG_GUARD
    with patch.object(local_servers, "ANSWER_SECONDS", seconds):
        async with app.run_test(size=size) as pilot:
            held = Scene(app, pilot, server, folder, clock)
            if not is_held and trust.is_trusted:
                await held.until(lambda: held.has_begun or isinstance(app.screen, Dialog), "a session")
                await held.painted()
            with time_of_events, time_of_buttons, time_of_agents:
                yield held
            may_open.set()
            await app.leave()
    assert app.faults == []
    assert server.problems == []
