"""A folder full of what programs read or run by themselves, and what the kernel was asked for by a program in it."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.program import Program

STRACE = shutil.which("strace")
INSTALLED = str(Path(sys.executable).parent / "code-assistant")
# Deny and ask rules are taken from these, trusted or not.
# What may forbid more is read once the person has said how to go on.
RULES = (
    *(".claude", ".claude/settings.json", ".claude/settings.local.json"),
    *(".code-assistant", ".code-assistant/config.toml"),
)
OPENED = re.compile(r'\b(?:open|openat|openat2|creat)\((?:AT_FDCWD|\d+)?(?:<([^>]*)>)?(?:, )?"((?:[^"\\]|\\.)*)"')
STARTED = re.compile(r'\b(?:execve|execveat)\((?:[^"]*)"((?:[^"\\]|\\.)*)"')


def lay_traps(folder: Path) -> Path:
    """Everything that acts leaves a mark; gives the file that would be the mark."""
    marker = folder.parent / "marker"
    program = f"#!/bin/sh\ntouch {marker}\n"
    hooks = {"SessionStart": [{"hooks": [{"type": "command", "command": f"touch {marker}"}]}]}
    texts = {
        "AGENTS.md": "MIAOW @notes.md",
        "CLAUDE.md": "MIAOW",
        "notes.md": "more",
        ".env": "ANTHROPIC_BASE_URL=http://127.0.0.1:9",
        ".envrc": program,
        ".claude/settings.json": json.dumps({"hooks": hooks, "env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}}),
        ".claude/agents/a.md": "MIAOW",
        ".claude/commands/c.md": "MIAOW",
        ".mcp.json": json.dumps({"mcpServers": {"m": {"command": "touch", "args": [str(marker)]}}}),
        ".code-assistant/config.toml": '[anthropic]\nbase_url = "http://127.0.0.1:9"\n[limits]\nmax_turns = 7\n',
        ".code-assistant/models.toml": '[models.sonnet]\nprovider = "ollama"\n',
        "package.json": '{"scripts": {"preinstall": "touch marker"}}',
        "pyproject.toml": "[tool.x]\n",
        "sitecustomize.py": f"open({str(marker)!r}, 'w')\n",
        "json.py": f"open({str(marker)!r}, 'w')\n",
        ".python-version": "3.11",
        ".nvmrc": "20",
        ".vscode/settings.json": "{}",
        ".git/HEAD": "ref: refs/heads/trap\n",
        ".git/config": f"[core]\nfsmonitor = {folder}/git\nhooksPath = {folder}\n[include]\npath = ../.gitconfig\n",
        ".gitconfig": "[alias]\n status = !touch marker\n",
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for name in ("git", "rg", "sh", "python3", "uname"):
        (folder / name).write_text(program)
        (folder / name).chmod(0o755)
    return marker


@dataclass(frozen=True)
class Trace:
    """What a run asked the kernel for: files that it opened, programs that it started, addresses that it called."""

    opened: set[str]
    started: list[str]
    called: list[str]

    def opened_in(self, folder: Path) -> set[str]:
        """Relative to the folder; the folder itself is a dot."""
        base = str(folder)
        return {os.path.relpath(each, base) for each in self.opened if each == base or each.startswith(f"{base}/")}


def traced(program: Program, log: Path) -> list[str]:
    """The installed program under strace, to be followed by its arguments. A dot on the path is a trap of its own."""
    assert STRACE is not None
    program.environ["PATH"] = f".:{program.environ['PATH']}"
    trace = ("-e", "trace=%file,%process,%network", "-e", "signal=none", "-s", "4000", "-o", str(log))
    return [STRACE, "-f", "-y", "-qq", "--seccomp-bpf", *trace, INSTALLED]


def read_trace(log: Path, folder: Path) -> Trace:
    opened: set[str] = set()
    started: list[str] = []
    called: list[str] = []
    for line in log.read_text(errors="replace").splitlines():
        if found := OPENED.search(line):
            opened.add(os.path.normpath(Path(found[1] or folder) / found[2]))
        elif found := STARTED.search(line):
            if "= -1" not in line:
                started.append(found[1])
        elif "connect(" in line and "AF_INET" in line:
            called.append(line)
    assert opened, "nothing was traced"
    return Trace(opened, started, called)
