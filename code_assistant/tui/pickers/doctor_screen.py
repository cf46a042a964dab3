"""What /doctor shows: that it checks, then what it has found. Closing it ends the checks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from code_assistant.doctor.finding import Finding, Level
from code_assistant.errors import fault_words
from code_assistant.tui.clean_text import CleanText
from code_assistant.tui.frame.spans import Role, Span
from code_assistant.tui.pickers.text_screen import TextScreen
from code_assistant.tui.pickers.text_view import Paragraph, TextView

CHECKING = "Checking the set-up…"
ROLES: dict[Level, Role] = {"ok": "success", "note": "warning", "problem": "error"}
LABEL_CELLS = 9


class DoctorScreen(TextScreen):
    def __init__(self, check: Callable[[], Awaitable[Sequence[Finding]]], clean: CleanText) -> None:
        super().__init__("Doctor", [Paragraph((Span(CHECKING, "muted"),))])
        self._check = check
        self._clean = clean

    def on_mount(self) -> None:
        # The worker is this screen's own, so that it ends with it.
        self.run_worker(self._show(), group="checking", exit_on_error=False)

    async def _show(self) -> None:
        try:
            findings = await self._check()
        except Exception as error:
            self.query_one(TextView).show([Paragraph((Span(self._clean.line(fault_words(error)), "error"),))])
            raise
        self.query_one(TextView).show([self._paragraph(each) for each in findings])

    def _paragraph(self, finding: Finding) -> Paragraph:
        words = self._clean.line(" ".join(finding.words.split()))
        spans = (Span(f"{finding.title}: ", "strong"), Span(words))
        return Paragraph(spans, Span(finding.level, ROLES[finding.level]), LABEL_CELLS)
