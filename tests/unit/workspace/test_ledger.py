"""What an agent knows of files: read, matched, written, forgotten."""

from __future__ import annotations

from pathlib import Path

from code_assistant.workspace.ledger import FileLedger, FileVersion

FILE = Path("/workspace/a.py")
VERSION = FileVersion.of(b"x\n")


def test_a_file_is_met_by_reading_a_part_of_it_or_by_a_match() -> None:
    read, matched = FileLedger(), FileLedger()
    assert not read.has_met(FILE)
    read.note(FILE, VERSION, is_whole=False)
    matched.note_match(FILE)
    assert read.has_met(FILE)
    assert matched.has_met(FILE)
    assert not matched.has_met(FILE.parent)


def test_a_match_is_not_to_have_read_the_file() -> None:
    ledger = FileLedger()
    ledger.note_match(FILE)
    assert ledger.seen(FILE) is None
    assert not ledger.knows_all(FILE)
    ledger.note(FILE, VERSION)
    ledger.note_match(FILE)
    assert ledger.seen(FILE) == VERSION
    assert ledger.knows_all(FILE)


def test_what_was_deleted_is_forgotten() -> None:
    ledger = FileLedger()
    ledger.note(FILE, VERSION)
    ledger.note_match(FILE)
    ledger.forget(FILE)
    assert not ledger.has_met(FILE)
    assert ledger.seen(FILE) is None
    ledger.forget(FILE)
