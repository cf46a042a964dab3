"""`code-assistant doctor` and /doctor: the checks of the set-up, put together and printed."""

from __future__ import annotations

import asyncio
import io
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from code_assistant.config.credentials import possible_secrets
from code_assistant.config.folder_trust import FolderTrust
from code_assistant.config.paths import themes_folder
from code_assistant.debug_log import quieten_libraries
from code_assistant.doctor.examination import SetUp, examine
from code_assistant.doctor.finding import Finding
from code_assistant.doctor.terminal import TerminalFacts
from code_assistant.doctor.themes import ThemesSeen
from code_assistant.exit_codes import ExitCode
from code_assistant.launch import say
from code_assistant.sanitize import sanitize_line
from code_assistant.secrets import Masker

COLOURS = {"ok": "\x1b[32m", "note": "\x1b[33m", "problem": "\x1b[1;31m"}
PLAIN = "\x1b[0m"
LEVEL_WIDTH, TITLE_WIDTH = 9, 15


def run_doctor(folder: Path, environ: Mapping[str, str]) -> int:
    """Print all findings; the exit code says whether anything is in the way."""
    quieten_libraries()
    cast("io.TextIOWrapper[Any]", sys.stdout).reconfigure(errors="replace")
    findings = asyncio.run(check_setup(folder, environ))
    masker = Masker(possible_secrets(environ))
    is_coloured = sys.stdout.isatty() and "NO_COLOR" not in environ and environ.get("TERM", "dumb") != "dumb"
    say("".join(f"{_line(each, masker, is_coloured=is_coloured)}\n" for each in findings) + f"{_sum(findings)}\n")
    return ExitCode.FAILED if any(each.level == "problem" for each in findings) else ExitCode.DONE


async def check_setup(
    folder: Path, environ: Mapping[str, str], trust: FolderTrust | None = None, *, is_without_sandbox: bool = False
) -> tuple[Finding, ...]:
    """`is_without_sandbox` when the program that asks was started so, whatever the settings say."""
    return await examine(SetUp(environ, folder, _terminal(), _see_themes, trust, is_without_sandbox))


def _see_themes(config_folder: Path) -> ThemesSeen:
    from code_assistant.tui.themes.loading import load_themes

    loaded = load_themes(themes_folder(), config_folder / "themes")
    return ThemesSeen(loaded.themes, loaded.problems)


def _terminal() -> TerminalFacts:
    # The real one: while the screen is open, Textual has put something else in its place.
    stream = sys.__stdout__
    if stream is None or not stream.isatty():
        return TerminalFacts(None, "")
    size = os.get_terminal_size(stream.fileno())
    return TerminalFacts((size.columns, size.lines), stream.encoding)


def _line(finding: Finding, masker: Masker, *, is_coloured: bool) -> str:
    level = finding.level.ljust(LEVEL_WIDTH)
    begin, end = (COLOURS[finding.level], PLAIN) if is_coloured else ("", "")
    words = sanitize_line(masker.mask(" ".join(finding.words.split())))
    return f"{begin}{level}{end}{finding.title.ljust(TITLE_WIDTH)}{words}"


def _sum(findings: Sequence[Finding]) -> str:
    counts = Counter(each.level for each in findings)
    if counts["problem"] == 0:
        return "Nothing is in the way."
    return "1 problem." if counts["problem"] == 1 else f"{counts['problem']} problems."
