"""Shapes that text settings must have."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

from code_assistant.config.declare import TextForm


def _is_printable_name(text: str) -> bool:
    return text.isprintable() and text == text.strip() != ""


def _is_web_address(text: str) -> bool:
    # User names and passwords are refused: an address is shown and logged, a credential never is.
    if not text.isascii() or not text.isprintable() or " " in text:
        return False
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return False
    usual = parts.scheme in ("http", "https") and bool(parts.hostname) and port != 0
    return usual and "@" not in parts.netloc and not parts.query and not parts.fragment


def _is_key_names(text: str) -> bool:
    return not text or all(_KEY_NAME.fullmatch(each.strip()) for each in text.split(","))


def _is_folder_list(text: str) -> bool:
    return all(each.startswith(("/", "~/")) for each in text.split(":")) if text else True


def folder_list(text: str, home: Path) -> tuple[Path, ...]:
    """The folders that a text of this form names."""
    return tuple(home / each[2:] if each.startswith("~/") else Path(each) for each in text.split(":") if text)


_KEY_NAME = re.compile(r"[a-z0-9_]+(?:\+[a-z0-9_]+)*")
PRINTABLE_NAME = TextForm(_is_printable_name, "a name without line breaks or surrounding blanks")
FOLDER_LIST = TextForm(_is_folder_list, "folders that begin with / or ~/, with : between them, or nothing")
WEB_ADDRESS = TextForm(_is_web_address, "an http:// or https:// address without user name, query or fragment")
KEY_NAMES = TextForm(_is_key_names, "names of keys such as ctrl+t, with commas between them, or nothing")
