"""Writes an exported session to a file of the person's."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, TypeAlias

from code_assistant.errors import WorkspaceError
from code_assistant.exporting.document import document_of
from code_assistant.exporting.facts import moment
from code_assistant.exporting.html import as_html
from code_assistant.exporting.markdown import as_markdown
from code_assistant.exporting.parts import Document
from code_assistant.json_forms import TextFilter
from code_assistant.private_files import private_descriptor
from code_assistant.session.past import Past

ExportForm: TypeAlias = Literal["md", "html"]

MAX_NAME_CHARACTERS = 50
MAX_NAMES = 1000
_NO_NAME = re.compile(r"[^\w]+")


class ExportError(WorkspaceError):
    """An exported session could not be written."""

    kind = "export"


class TargetExists(ExportError):
    """There is a file of that name, and nobody said that it may be written over."""

    kind = "export_exists"

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is there already and is not written over. Name another file.")
        self.path = path


def exported_text(past: Past, form: ExportForm, mask: TextFilter) -> str:
    """The whole document; blocks. Raises WorkspaceError where the session's file is gone."""
    return _text(document_of(past, mask), form)


def export_session(past: Past, form: ExportForm, target: Path, mask: TextFilter, *, may_replace: bool = False) -> Path:
    """Write a session to a private file and give its path. `target` is that file, or a folder for one of our naming.

    Blocks, and may be called in any thread. Raises TargetExists, or another ExportError or WorkspaceError.
    """
    document = document_of(past, mask)
    data = _text(document, form).encode("utf-8")
    names = _names(past, document, form)
    if not target.is_dir():
        return _write(target, data, may_replace=may_replace)
    if may_replace:
        return _write(target / next(names), data, may_replace=True)
    for name in names:
        try:
            return _write(target / name, data, may_replace=False)
        except TargetExists:
            continue
    raise ExportError(f"{target} has too many exported sessions of that name. Name a file.")


def _text(document: Document, form: ExportForm) -> str:
    return as_markdown(document) if form == "md" else as_html(document)


def _names(past: Past, document: Document, form: ExportForm) -> Iterator[str]:
    """The day and the title, with a number where that is taken."""
    day = moment(past.header.created).partition(" ")[0]
    title = _NO_NAME.sub("-", document.title.lower())[:MAX_NAME_CHARACTERS].strip("-_")
    stem = f"{day}-{title or past.header.id[:8]}"
    yield f"{stem}.{form}"
    yield from (f"{stem}-{number}.{form}" for number in range(2, MAX_NAMES))


def _write(path: Path, data: bytes, *, may_replace: bool) -> Path:
    if may_replace:
        return _replace(path, data)
    if os.path.lexists(path):
        raise TargetExists(path)
    _write_new(path, data)
    return path


def _replace(path: Path, data: bytes) -> Path:
    """In one step, so that a full disk does not cost what was there."""
    if path.exists() and not path.is_file():
        raise ExportError(f"{path} is no file that could be written over.")
    temporary = path.with_name(f".{path.name[:100]}.{os.urandom(4).hex()}")
    _write_new(temporary, data)
    try:
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise ExportError(f"{path} could not be written: {error.strerror or error}.") from error
    return path


def _write_new(path: Path, data: bytes) -> None:
    descriptor = private_descriptor(path, must_be_new=True)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise ExportError(f"{path} could not be written: {error.strerror or error}.") from error
