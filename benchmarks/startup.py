"""How long the program takes from its start: `--version` beside bare Python, `-p hi` beside a bare httpx script."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.interleaved import medians
from benchmarks.rows import Row
from tests.fakes.script import text, turn
from tests.fakes.server import ScriptedServer
from tests.trusting import trust_folder

VERSION_LIMIT = 2.5
PROMPT_LIMIT = 2.5
ANSWERS = 50

# A bare script loads certificates although the address is http; the second yardstick leaves that out, as we do.
PLAIN_OPTIONS = "CLIENT_OPTIONS = {}"
LIGHT_OPTIONS = "import ssl; CLIENT_OPTIONS = {'verify': ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)}"
BARE_HTTPX = """
import asyncio, httpx, json, sys
async def main():
    async with httpx.AsyncClient(**CLIENT_OPTIONS) as client:
        body = {"model": "claude-sonnet-5-5", "max_tokens": 1000, "stream": True,
                "messages": [{"role": "user", "content": "hi"}]}
        headers = {"authorization": "Bearer test-key", "anthropic-version": "2026-10-21"}
        async with client.stream("POST", sys.argv[1] + "/v1/messages", json=body, headers=headers) as response:
            async for line in response.aiter_lines():
                if line.startswith("data:"):
                    event = json.loads(line[5:])
                    if event["type"] == "content_block_delta":
                        sys.stdout.write(event["delta"]["text"])
asyncio.run(main())
"""


def measure() -> list[Row]:
    program = Path(sys.executable).parent / "code-assistant"
    with ScriptedServer() as server, tempfile.TemporaryDirectory() as home:
        server.script_default([turn(text("Hello."))] * ANSWERS)
        environ = {"PATH": os.environ["PATH"], "HOME": home, "ANTHROPIC_BASE_URL": server.url}
        environ["ANTHROPIC_API_KEY"] = "test-key"
        trust_folder(Path(home), environ)

        def run(*command: str) -> None:
            subprocess.run(
                command, cwd=home, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True
            )

        seconds = medians(
            {
                "python": lambda: run(sys.executable, "-c", "pass"),
                "version": lambda: run(str(program), "--version"),
                "httpx": lambda: run(sys.executable, "-c", PLAIN_OPTIONS + BARE_HTTPX, server.url),
                "light": lambda: run(sys.executable, "-c", LIGHT_OPTIONS + BARE_HTTPX, server.url),
                "prompt": lambda: run(str(program), "-p", "hi"),
            }
        )
    return [
        Row("start: python -c pass", seconds["python"] * 1000, "ms"),
        Row("start: --version", seconds["version"] / seconds["python"], "x bare python", VERSION_LIMIT),
        Row("start: bare httpx request", seconds["httpx"] * 1000, "ms"),
        Row("start: -p hi", seconds["prompt"] / seconds["httpx"], "x bare httpx", PROMPT_LIMIT),
        Row(
            "start: -p hi, like for like",
            seconds["prompt"] / seconds["light"],
            "x httpx without certificates",
            PROMPT_LIMIT,
        ),
    ]
