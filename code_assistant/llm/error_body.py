"""The body of an HTTP error answer, which may be anything."""

from __future__ import annotations

import json
from typing import Any


def read_body(body: bytes) -> tuple[Any, str]:
    """Its JSON (None where it is none) and its text in one line."""
    text = body.decode("utf-8", "replace").strip()
    line = " ".join(text.split())
    try:
        return json.loads(text), line
    except (ValueError, RecursionError):
        # A page made for a browser says nothing that the status does not say better.
        return None, "" if text.startswith("<") else line
