"""/doctor: it says at once that it checks, shows what it found, and ends with its window."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from code_assistant.doctor.finding import Finding
from code_assistant.tui.pickers.doctor_screen import CHECKING, DoctorScreen
from tests.fakes.server import ScriptedServer
from tests.tui.app.harness import Scene, scene
from tests.tui.app.pictures import check_pictures


class Checking:
    """A check that the test lets go on, or that ends when nobody wants it any more."""

    def __init__(self, *findings: Finding) -> None:
        self.findings = findings
        self.may_end = asyncio.Event()
        self.is_begun = asyncio.Event()
        self.is_cancelled = asyncio.Event()

    async def __call__(self) -> Sequence[Finding]:
        self.is_begun.set()
        try:
            await self.may_end.wait()
        except asyncio.CancelledError:
            self.is_cancelled.set()
            raise
        return self.findings


def with_check(s: Scene, check: Checking) -> None:
    s.app.backstage.check_setup = check  # pyright: ignore[reportAttributeAccessIssue]


async def test_safe_s4_a_run_without_sandbox_is_told_so(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, "--no-sandbox", size=(110, 40)) as s:
        await s.send("/doctor")
        await s.until_dialog(DoctorScreen)
        await s.until_shown("sandbox: turned off by --no-sandbox")


async def test_the_set_up_of_this_machine(server: ScriptedServer, tmp_path: Path) -> None:
    async with scene(server, tmp_path, size=(110, 40)) as s:
        await s.send("/doctor")
        await s.until_dialog(DoctorScreen)
        await s.until_shown("service: Anthropic answers and takes the key")
        assert any("ok" in row and "keys: ANTHROPIC_API_KEY (environment)" in row for row in s.rows)
        assert not s.shows("test-key-1")
        assert not s.shows(CHECKING)
        await s.press("escape")
        await s.until(lambda: s.app.screen is s.app.main, "the window is closed")


async def test_that_it_checks_is_shown_at_once(server: ScriptedServer, tmp_path: Path) -> None:
    long = "It is \x1b[31mred and the key is test-key-1. " * 20
    check = Checking(Finding("ok", "one", "fine"), Finding("note", "two", long), Finding("problem", "three", "broken"))
    async with scene(server, tmp_path) as s:
        with_check(s, check)
        await s.send("/doctor")
        await s.until_dialog(DoctorScreen)
        await s.until_shown(CHECKING)
        check.may_end.set()
        await s.until_shown("three: broken")
        assert s.shows("one: fine")
        assert s.shows("two: It is ␛[31mred and the key is [key removed].")
        assert not s.shows(CHECKING)


async def test_its_picture(server: ScriptedServer, tmp_path: Path) -> None:
    check = Checking(
        Finding("ok", "program", "code-assistant 1.0, Python 3.12.1, Linux x86_64"),
        Finding("note", "keys", "none is set. Set ANTHROPIC_API_KEY or use a model of this machine."),
        Finding("problem", "service", "Anthropic refuses the key (HTTP 401). Check ANTHROPIC_API_KEY."),
    )
    async with scene(server, tmp_path) as s:
        with_check(s, check)
        check.may_end.set()
        await s.send("/doctor")
        await s.until_shown("refuses the key")
        await check_pictures(s, "doctor")


async def test_closing_it_ends_the_checks(server: ScriptedServer, tmp_path: Path) -> None:
    check = Checking()
    async with scene(server, tmp_path) as s:
        with_check(s, check)
        await s.send("/doctor")
        await s.until_dialog(DoctorScreen)
        await s.until(check.is_begun.is_set, "it checks")
        await s.press("escape")
        await s.until(check.is_cancelled.is_set, "the checks end")
        await s.until(lambda: s.app.screen is s.app.main, "the window is closed")


async def test_one_can_type_again_when_it_is_closed(server: ScriptedServer, tmp_path: Path) -> None:
    check = Checking(*(Finding("ok", f"check {number}", "fine") for number in range(80)))
    async with scene(server, tmp_path) as s:
        with_check(s, check)
        check.may_end.set()
        await s.send("/doctor")
        await s.until_shown("check 0: fine")
        await s.press("end")
        await s.until_shown("check 79: fine")
        await s.press("q")
        await s.until(lambda: s.app.screen is s.app.main, "the window is closed")
        await s.type("hello")
        assert s.app.composer.text == "hello"
