"""The whole app over a real session and the scripted server, driven by Pilot."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from code_assistant.cli import parse
from code_assistant.config.paths import themes_folder
from code_assistant.launch import ScreenBackstage
from code_assistant.secrets import Masker
from code_assistant.tui.app import CodeAssistantApp
from code_assistant.tui.prompts.panel import PromptPanel
from code_assistant.tui.start import Start
from tests.fakes.server import ScriptedServer

HANG_GUARD = 20


class Clock:
    """A clock that the test moves by hand; it starts at the real one because key events carry real times."""

    def __init__(self) -> None:
        import time

        self._real = time.monotonic
        self.ahead = 0.0

    def __call__(self) -> float:
        return self._real() + self.ahead


class Scene:
    """What a test holds: the app, its pilot, and words for what a person does and sees."""

    def __init__(self, app: CodeAssistantApp, pilot: Pilot[None], server: ScriptedServer, folder: Path) -> None:
        self.app = app
        self.pilot = pilot
        self.server = server
        self.folder = folder

    async def type(self, text: str) -> None:
        """Key by key, as a person does."""
        for character in text:
            await self.pilot.press("enter" if character == "\n" else "space" if character == " " else character)

    async def send(self, text: str) -> None:
        self.app.composer.put(text)
        await self.pilot.press("enter")

    async def until(self, is_so: Callable[[], bool], what: str = "") -> None:
        """Wait for something to become true; the hang guard says what never did."""
        try:
            async with asyncio.timeout(HANG_GUARD):
                while not is_so():
                    await self.pilot.pause(0.01)
        except TimeoutError:
            raise AssertionError(f"never: {what}\n" + "\n".join(self.rows)) from None

    async def until_shown(self, text: str) -> None:
        await self.until(lambda: self.shows(text), f"{text!r} is shown")

    async def until_idle(self) -> None:
        await self.until(lambda: self.app.state.working_since is None and not self.app.state.queue, "idle")
        self.app.painter.request()
        await self.pilot.pause(0.15)

    async def until_prompt(self) -> PromptPanel:
        await self.until(lambda: bool(self.app.query(PromptPanel)), "a prompt is there")
        return self.app.query(PromptPanel).first()

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


@asynccontextmanager
async def scene(
    server: ScriptedServer,
    tmp_path: Path,
    *arguments: str,
    size: tuple[int, int] = (100, 30),
    key: str = "test-key",
    theme: str = "harbor-dark",
    keys: dict[str, str] | None = None,
) -> AsyncIterator[Scene]:
    folder = tmp_path / "shop"
    folder.mkdir(exist_ok=True)
    if not (folder / "tax.py").exists():
        (folder / "tax.py").write_text("RATE = 0.2\n\n\ndef compute_tax(net):\n    return round(net * RATE)\n")
        (folder / "README.md").write_text("# Shop\n")
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    environ = {"HOME": str(home), "ANTHROPIC_API_KEY": key, "ANTHROPIC_BASE_URL": server.url, "PATH": "/usr/bin:/bin"}
    parsed = parse([str(folder), *arguments])
    state = home / ".local/state/code-assistant"
    start = Start(
        folder=folder,
        masker=Masker((key,)),
        mode=parsed.permission_mode,
        model="sonnet",
        theme=theme,
        state_folder=state,
        themes_folder=themes_folder(),
        own_themes_folder=home / "themes",
        keys=keys or {},
    )
    app = CodeAssistantApp(start, ScreenBackstage(parsed, environ, ()), Clock())
    async with app.run_test(size=size) as pilot:
        held = Scene(app, pilot, server, folder)
        await held.until(lambda: app.core.session is not None or app.core.failure is not None, "a session")
        yield held
        await app.leave()
    assert server.problems == []
