"""What the model reads of an output: whole, or beginning and end with the way to the rest; no overwritten steps."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from code_assistant.workspace.commands import head_tail, output, result_text
from code_assistant.workspace.commands.output import KeptOutput
from code_assistant.workspace.commands.result_text import without_overwritten
from code_assistant.workspace.spill import SpillFolder
from tests.rows import each_row

CUT = re.compile(r"\n\[… ([\d,]+) characters left out; the whole output is in (.+), which read_files can page …\]\n")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (head_tail, output):
        monkeypatch.setattr(module, "HEAD_CHARACTERS", 30)
        monkeypatch.setattr(module, "TAIL_CHARACTERS", 40)
    monkeypatch.setattr(result_text, "HEAD_CHARACTERS", 10)
    monkeypatch.setattr(result_text, "TAIL_CHARACTERS", 20)


@pytest.mark.usefixtures("small")
@settings(
    max_examples=200,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"]), max_size=200))
def test_safe_o3_whole_or_beginning_and_end_with_the_right_count(spill: SpillFolder, text: str) -> None:
    kept = KeptOutput(spill, lambda _: None)
    kept.add(text.encode())
    kept.finish()
    shown = result_text.result_text(kept.parts, kept)
    if len(text) <= 30:
        assert shown == text
        return
    head, tail = shown[:10], shown[-20:]
    assert (head, tail) == (text[:10], text[-20:])
    match = CUT.fullmatch(shown[10:-20])
    assert match is not None
    assert int(match[1].replace(",", "")) == len(text) - 30
    assert Path(match[2]).read_bytes() == text.encode()


@each_row(
    ("printed", "shown"),
    [
        ("plain\n", "plain\n"),
        ("one\r\ntwo\r\n", "one\r\ntwo\r\n"),
        ("10%\r55%\r100%\ndone\n", "100%\ndone\n"),
        ("10%\r100%\r", "100%\r"),
        ("10%\r100%\r\n", "100%\r\n"),
        ("\r\r\n", "\r\r\n"),
        ("a\rb\nc\rd", "b\nd"),
    ],
)
def test_of_a_progress_bar_the_last_state_is_left(printed: str, shown: str) -> None:
    assert without_overwritten(printed) == shown


@settings(max_examples=300, derandomize=True, deadline=None)
@given(st.text(alphabet="ab\r\n", max_size=60))
def test_taking_overwritten_text_away_is_done_once_and_keeps_the_lines(text: str) -> None:
    shown = without_overwritten(text)
    assert without_overwritten(shown) == shown
    assert shown.count("\n") == text.count("\n")
    assert len(shown) <= len(text)


def test_a_long_progress_bar_is_short(spill: SpillFolder) -> None:
    kept = KeptOutput(spill, lambda _: None)
    for percent in range(10_000):
        kept.add(b"\r%7d" % percent)
    kept.add(b"\ndone\n")
    kept.finish()
    assert result_text.result_text(kept.parts, kept) == "   9999\ndone\n"
    assert not spill.path.exists()
