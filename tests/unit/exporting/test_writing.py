"""An export on disk: private, never over something else unasked, whole or not at all."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from code_assistant.exporting.writing import ExportError, TargetExists, export_session
from code_assistant.session.past import Past
from tests.unit.session.made import prompt, said, store_in, write_session


@pytest.fixture
def past(tmp_path: Path) -> Past:
    store = store_in(tmp_path)
    return store.read(write_session(store, [prompt("Où est la taxe? ../../x\x1b"), said("Here.")]))


def test_the_name_is_the_day_and_the_title(past: Past, tmp_path: Path) -> None:
    names = [export_session(past, form, tmp_path, str).name for form in ("md", "md", "html")]
    stem = "2023-11-14-où-est-la-taxe-x"
    assert names == [f"{stem}.md", f"{stem}-2.md", f"{stem}.html"]
    assert export_session(past, "md", tmp_path, str, may_replace=True).name == f"{stem}.md"


def test_it_is_private(past: Past, tmp_path: Path) -> None:
    written = export_session(past, "html", tmp_path / "out.html", str)
    assert stat.S_IMODE(written.stat().st_mode) == 0o600
    assert written.read_text("utf-8").startswith("<!DOCTYPE html>")


def test_nothing_is_written_over_unasked(past: Past, tmp_path: Path) -> None:
    target = tmp_path / "out.md"
    target.write_text("mine")
    with pytest.raises(TargetExists, match=r"not written over\. Name another file\.$"):
        export_session(past, "md", target, str)
    assert target.read_text() == "mine"
    assert "Here." in export_session(past, "md", target, str, may_replace=True).read_text()
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_link_is_replaced_and_not_followed(past: Past, tmp_path: Path) -> None:
    other, target = tmp_path / "other", tmp_path / "out.md"
    other.write_text("mine")
    target.symlink_to(other)
    with pytest.raises(TargetExists):
        export_session(past, "md", target, str)
    export_session(past, "md", target, str, may_replace=True)
    assert (other.read_text(), target.is_symlink()) == ("mine", False)


def test_a_dangling_link_is_something(past: Past, tmp_path: Path) -> None:
    target = tmp_path / "out.md"
    target.symlink_to(tmp_path / "nowhere")
    with pytest.raises(TargetExists):
        export_session(past, "md", target, str)
    assert not (tmp_path / "nowhere").exists()


def test_what_cannot_be_written_says_why(past: Past, tmp_path: Path) -> None:
    with pytest.raises(Exception, match="No such file or directory"):
        export_session(past, "md", tmp_path / "no" / "out.md", str)
    with pytest.raises(ExportError, match="no file that could be written over"):
        export_session(past, "md", Path("/dev/null"), str, may_replace=True)
    assert list(tmp_path.glob(".*")) == []
