"""A document as GitHub-flavoured Markdown: long things folded, nothing in it able to leave its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from typing import assert_never

from code_assistant.event_parts import DetailForm
from code_assistant.exporting.embedding import embedded, fenced, plain, quoted
from code_assistant.exporting.parts import (
    AgentWork,
    Answer,
    Document,
    Fact,
    Part,
    Remark,
    Said,
    Shortening,
    Thought,
    ToolUse,
)
from code_assistant.exporting.words import CUT, image_words, speaker

_LANGUAGES: dict[DetailForm, str] = {"diff": "diff", "output": "text", "text": "text", "markdown": "markdown"}


def as_markdown(document: Document) -> str:
    blocks = [f"# {plain(document.title)}", _facts(document.facts), *_parts(document.parts, is_main=True)]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _parts(parts: Iterable[Part], *, is_main: bool) -> Iterator[str]:
    """Blocks, each of which begins at the left, so that no list before it takes it in."""
    for part in parts:
        match part:
            case Said(who, text, images):
                yield _heading(who, is_main=is_main)
                yield quoted("\n\n".join(filter(None, (text, image_words(images)))))
            case Answer(text, is_cut):
                yield _heading(speaker(is_main=is_main, is_cut=is_cut), is_main=is_main)
                yield embedded(text)
            case Thought(text, is_cut):
                yield _folded(escape(f"Thinking{CUT if is_cut else ''}"), (quoted(text),))
            case ToolUse():
                yield _folded(_summary(part.title or part.name, part.status.words, part.summary), _tool(part))
            case Remark(level, text):
                yield quoted(f"{level.capitalize()}: {text}")
            case Shortening():
                yield from _shortening(part)
            case AgentWork():
                summary = _summary(f"Sub-agent {part.name}", part.label, part.status.words)
                yield _folded(summary, _agent(part))
            case _:
                assert_never(part)


def _tool(tool: ToolUse) -> Iterator[str]:
    yield f"Tool: {plain(tool.name)}"
    if tool.arguments:
        yield fenced(tool.arguments, "json")
    if tool.detail.strip():
        yield fenced(tool.detail, _LANGUAGES[tool.form])


def _agent(agent: AgentWork) -> Iterator[str]:
    yield _facts(agent.facts)
    yield "**Instructions**"
    yield quoted(agent.instructions)
    yield from _parts(agent.parts, is_main=False)
    if agent.answer.strip():
        yield "**Answer**"
        yield embedded(agent.answer)
    yield from (quoted(f"Warning: {each}") for each in agent.problems)


def _shortening(shortening: Shortening) -> Iterator[str]:
    yield "---"
    yield plain(shortening.words)
    if shortening.kept:
        yield "\n".join(f"- {plain(line)}" for line in shortening.kept)
    if shortening.summary.strip():
        yield _folded("The summary", (quoted(shortening.summary),))


def _heading(words: str, *, is_main: bool) -> str:
    return f"## {plain(words)}" if is_main else f"**{plain(words)}**"


def _facts(facts: Iterable[Fact]) -> str:
    return "\n".join(f"- {fact.name}: {plain(fact.value)}" for fact in facts)


def _summary(title: str, *more: str) -> str:
    return " · ".join((f"<b>{escape(title)}</b>", *(escape(each) for each in more if each)))


def _folded(summary: str, blocks: Iterable[str]) -> str:
    # Only behind an empty line is what stands inside read as Markdown again.
    return "\n\n".join((f"<details>\n<summary>{summary}</summary>", *blocks, "</details>"))
