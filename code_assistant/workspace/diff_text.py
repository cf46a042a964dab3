"""Diffs as text: whole lines, bounded, with the changed part of very long lines in sight."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from code_assistant.workspace.diffs import Hunk, hunk_heading
from code_assistant.workspace.line_ends import CRLF, LF
from code_assistant.workspace.names import counted

NO_NEWLINE = "\\ No newline at end of file"
NOTHING_THERE = "/dev/null"
LONG_LINE = 2000
AROUND_CHANGE = 100
HEADING_LINES = 2

Show = Callable[[bytes], str]


def unified_diff(hunks: Sequence[Hunk], old_name: str, new_name: str, show: Show) -> str:
    """The whole diff to the letter: `patch` can apply it."""
    return "".join(_lines(hunks, old_name, new_name, lambda _, line: show(line)))


def marked_diff(hunks: Sequence[Hunk], old_name: str, new_name: str, show: Show) -> str:
    """The whole diff for the person who decides about it: line ends that differ are seen."""
    marks_ends = _has_to_mark_ends(hunks)
    return "".join(_lines(hunks, old_name, new_name, lambda _, line: _with_end_marked(show(line), marks_ends)))


def bounded_diff(hunks: Sequence[Hunk], old_name: str, new_name: str, show: Show, maximum: int) -> str:
    """The diff for people: about as many characters as this, and it says what is missing."""
    marks_ends = _has_to_mark_ends(hunks)
    partners = _partners(hunks)

    def readable(key: tuple[int, int], line: bytes) -> str:
        text = _with_end_marked(show(line), marks_ends)
        return _clipped(text, show(partners.get(key, b""))) if len(text) > LONG_LINE else text

    kept: list[str] = []
    room = maximum
    for line in _lines(hunks, old_name, new_name, readable):
        room -= len(line)
        if room < 0:
            everything = HEADING_LINES + sum(1 + len(hunk.lines) for hunk in hunks)
            kept.append(f"… {counted(everything - len(kept), 'more line')} of this diff not shown\n")
            break
        kept.append(line)
    return "".join(kept)


def _with_end_marked(text: str, marks_ends: bool) -> str:
    return f"{text[:-2]}␍\n" if marks_ends and text.endswith("\r\n") else text


def _lines(
    hunks: Sequence[Hunk], old_name: str, new_name: str, show: Callable[[tuple[int, int], bytes], str]
) -> Iterator[str]:
    if not hunks:
        return
    yield f"--- {old_name}\n"
    yield f"+++ {new_name}\n"
    for number, hunk in enumerate(hunks):
        yield f"{hunk_heading(hunk)}\n"
        for position, (sign, line) in enumerate(hunk.lines):
            text = show((number, position), line)
            yield f"{sign}{text}" if line.endswith(LF) else f"{sign}{text}\n{NO_NEWLINE}\n"


def _has_to_mark_ends(hunks: Sequence[Hunk]) -> bool:
    """Where all lines end alike their ends say nothing; elsewhere a changed end must be seen."""
    lines = [line for hunk in hunks for _, line in hunk.lines if line.endswith(LF)]
    crlf = sum(line.endswith(CRLF) for line in lines)
    is_new = all(sign == "+" for hunk in hunks for sign, _ in hunk.lines)
    return crlf > 0 and (crlf < len(lines) or is_new)


def _partners(hunks: Sequence[Hunk]) -> dict[tuple[int, int], bytes]:
    """For each long line that was removed or added the one on the other side, in order."""
    partners: dict[tuple[int, int], bytes] = {}
    for number, hunk in enumerate(hunks):
        removed = [(position, line) for position, (sign, line) in enumerate(hunk.lines) if sign == "-"]
        added = [(position, line) for position, (sign, line) in enumerate(hunk.lines) if sign == "+"]
        for (old_position, old), (new_position, new) in zip(removed, added, strict=False):
            if max(len(old), len(new)) > LONG_LINE:
                partners[number, old_position] = new
                partners[number, new_position] = old
    return partners


def _clipped(text: str, partner: str) -> str:
    """A long line around the part in which it differs from its partner."""
    end = "\n" if text.endswith("\n") else ""
    text = text.removesuffix("\n")
    same_start = _common_start(text, partner)
    same_end = _common_start(text[same_start:][::-1], partner.removesuffix("\n")[same_start:][::-1])
    first = max(same_start - AROUND_CHANGE, 0)
    last = min(max(len(text) - same_end + AROUND_CHANGE, first + AROUND_CHANGE), first + LONG_LINE, len(text))
    before = f"[{first:,} characters] …" if first else ""
    after = f"… [{len(text) - last:,} characters]" if last < len(text) else ""
    return f"{before}{text[first:last]}{after}{end}"


def _common_start(first: str, second: str) -> int:
    """How many characters two texts begin with in common."""
    same, different = 0, min(len(first), len(second)) + 1
    while different - same > 1:
        middle = (same + different) // 2
        if first[same:middle] == second[same:middle]:
            same = middle
        else:
            different = middle
    return same
