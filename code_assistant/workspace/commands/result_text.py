"""What of a command's output is read by the model: what a terminal would still show, in bounds."""

from __future__ import annotations

from code_assistant.workspace.commands.head_tail import HeadTail
from code_assistant.workspace.commands.output import HOW_TO_PAGE, KeptOutput

HEAD_CHARACTERS = 10_000
TAIL_CHARACTERS = 20_000
# For people.
HEAD_LINES, TAIL_LINES = 50, 150


def result_text(parts: HeadTail, output: KeptOutput) -> str:
    """The parts, whole or cut in the middle; cut, they name the file of the output they belong to."""
    if parts.left_out:
        head, tail = without_overwritten(parts.head), without_overwritten(parts.tail)
    else:
        text = without_overwritten(parts.head + parts.tail)
        if len(text) <= HEAD_CHARACTERS + TAIL_CHARACTERS:
            return text
        head, tail = text[:HEAD_CHARACTERS], text[HEAD_CHARACTERS:]
    left_out = parts.left_out + max(len(head) - HEAD_CHARACTERS, 0) + max(len(tail) - TAIL_CHARACTERS, 0)
    head, tail = head[:HEAD_CHARACTERS], tail[-TAIL_CHARACTERS:]
    return f"{head}\n[… {left_out:,} characters left out; {output.whereabouts()} …]\n{tail}"


def output_for_people(output: KeptOutput) -> str:
    """The first and the last lines, and between them how many there are and where."""
    parts = output.parts
    if parts.left_out:
        head, tail = without_overwritten(parts.head), without_overwritten(parts.tail)
    else:
        text = without_overwritten(parts.head + parts.tail)
        if len(text) <= HEAD_CHARACTERS + TAIL_CHARACTERS and text.count("\n") <= HEAD_LINES + TAIL_LINES:
            return text
        head = tail = text
    head = "\n".join(head[:HEAD_CHARACTERS].split("\n")[:HEAD_LINES])
    tail = tail[-TAIL_CHARACTERS:]
    last = tail.removesuffix("\n").split("\n")[-TAIL_LINES:]
    lines = max(parts.line_ends - head.count("\n") - 1 - len(last), 1)
    where = output.whereabouts().removesuffix(HOW_TO_PAGE)
    words = f"… {lines:,} lines left out; {where} …" if lines > 1 else f"… cut here; {where} …"
    return "\n".join([head, words, *last, ""])


def without_overwritten(text: str) -> str:
    """Without what a carriage return has let later text of the same line replace, such as the steps of a progress bar.

    Carriage returns at the end of a line replace nothing and stay.
    """
    if "\r" not in text:
        return text
    return "\n".join(_last_state(line) for line in text.split("\n"))


def _last_state(line: str) -> str:
    body = line.rstrip("\r")
    return body.rpartition("\r")[2] + line[len(body) :]
