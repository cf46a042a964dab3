"""What the model was told, read from the requests that arrived."""

from __future__ import annotations

from typing import Any

from tests.fakes.server import ScriptedServer


def prompts(server: ScriptedServer, request: int = -1) -> list[str]:
    """The texts of the person in a request, the oldest first."""
    found: list[str] = []
    for message in server.requests[request].body["messages"]:
        if message["role"] == "user":
            content = message["content"]
            blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
            found += [block["text"] for block in blocks if block["type"] == "text"]
    return found


def results(server: ScriptedServer, request: int = -1) -> list[dict[str, Any]]:
    """The tool results that came last."""
    content = server.requests[request].body["messages"][-1]["content"]
    return [block for block in content if block["type"] == "tool_result"]


def words(result: dict[str, Any]) -> str:
    return "".join(part["text"] for part in result["content"])
