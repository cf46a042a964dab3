"""A document as one HTML file: no script, nothing fetched, all text escaped, long things folded."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from html import escape
from pathlib import Path
from typing import assert_never

from code_assistant.exporting.html_answers import answer_html
from code_assistant.exporting.parts import (
    AgentWork,
    Answer,
    Document,
    Fact,
    Part,
    Remark,
    Said,
    Shortening,
    Status,
    Thought,
    ToolUse,
)
from code_assistant.exporting.words import CUT, image_words, speaker

_DIFF_CLASSES = {"+": "added", "-": "removed", "@": "place"}


def as_html(document: Document) -> str:
    title = escape(document.title)
    parts = "\n".join(_parts(document.parts, is_main=True))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_policy())}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{_style()}</style>\n</head>\n<body>\n"
        f"<h1>{title}</h1>\n{_facts(document.facts)}\n{parts}\n</body>\n</html>\n"
    )


@cache
def _style() -> str:
    return Path(__file__).with_name("style.css").read_text("utf-8")


@cache
def _policy() -> str:
    """Nothing is allowed but this very style sheet."""
    digest = base64.b64encode(hashlib.sha256(_style().encode()).digest()).decode("ascii")
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _parts(parts: Iterable[Part], *, is_main: bool) -> Iterator[str]:
    for part in parts:
        match part:
            case Said(who, text, images):
                yield _section("person", who, _plain("\n".join(filter(None, (text, image_words(images))))))
            case Answer(text, is_cut):
                yield _section("answer", speaker(is_main=is_main, is_cut=is_cut), answer_html(text))
            case Thought(text, is_cut):
                yield _folded("thinking", escape(f"Thinking{CUT if is_cut else ''}"), (_plain(text),))
            case ToolUse():
                yield _folded("tool", _summary(part.title or part.name, part.status, part.summary), _tool(part))
            case Remark(level, text):
                yield f'<p class="note {level}">{escape(text)}</p>'
            case Shortening():
                yield _shortening(part)
            case AgentWork():
                yield _folded("agent", _summary(f"Sub-agent {part.name}", part.status, part.label), _agent(part))
            case _:
                assert_never(part)


def _tool(tool: ToolUse) -> Iterator[str]:
    yield f"<p>Tool: {escape(tool.name)}</p>"
    if tool.arguments:
        yield f"<pre>{escape(tool.arguments)}</pre>"
    if not tool.detail.strip():
        return
    match tool.form:
        case "diff":
            yield f"<pre>{_diff(tool.detail)}</pre>"
        case "markdown":
            yield f'<div class="answer">{answer_html(tool.detail)}</div>'
        case "text" | "output":
            yield f"<pre>{escape(tool.detail)}</pre>"


def _diff(text: str) -> str:
    return "\n".join(
        f'<span class="{_DIFF_CLASSES[line[0]]}">{escape(line)}</span>' if line[:1] in _DIFF_CLASSES else escape(line)
        for line in text.split("\n")
    )


def _agent(agent: AgentWork) -> Iterator[str]:
    yield _facts(agent.facts)
    yield _section("person", "Instructions", _plain(agent.instructions))
    yield from _parts(agent.parts, is_main=False)
    if agent.answer.strip():
        yield _section("answer", "Answer", answer_html(agent.answer))
    yield from (f'<p class="note warning">{escape(each)}</p>' for each in agent.problems)


def _shortening(shortening: Shortening) -> str:
    kept = "".join(f"<li>{escape(line)}</li>" for line in shortening.kept)
    listed = f"<ul>{kept}</ul>" if kept else ""
    has_summary = bool(shortening.summary.strip())
    summary = _folded("thinking", "The summary", (_plain(shortening.summary),)) if has_summary else ""
    return f'<section class="compaction"><p>{escape(shortening.words)}</p>{listed}{summary}</section>'


def _section(kind: str, heading: str, body: str) -> str:
    return f'<section class="{kind}">\n<h2>{escape(heading)}</h2>\n{body}\n</section>'


def _plain(text: str) -> str:
    return f'<div class="plain">{escape(text)}</div>'


def _facts(facts: Iterable[Fact]) -> str:
    rows = "".join(f"<dt>{escape(fact.name)}</dt><dd>{escape(fact.value)}</dd>" for fact in facts)
    return f"<dl>{rows}</dl>"


def _summary(title: str, status: Status, more: str) -> str:
    told = f'<strong>{escape(title)}</strong> · <span class="{status.level}">{escape(status.words)}</span>'
    return f"{told} · {escape(more)}" if more else told


def _folded(kind: str, summary: str, blocks: Iterable[str]) -> str:
    body = "\n".join(blocks)
    return f'<details class="{kind}">\n<summary>{summary}</summary>\n{body}\n</details>'
