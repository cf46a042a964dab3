from __future__ import annotations

import time

import pytest

from code_assistant.agent.at_words import at_words
from tests.rows import each_row


@each_row(
    ("markdown", "words"),
    [
        ("@a.md", ("a.md",)),
        ("See @docs/a.md and (@~/b.md).", ("docs/a.md", "~/b.md).")),
        ("- @/abs/c.md\n> @d.md\n\t@e.md", ("/abs/c.md", "d.md", "e.md")),
        ("@a.md @b.md @a.md", ("a.md", "b.md")),
        ("ada@example.org x@y @ lone", ()),
        ("`@a.md` and ``@b ` .md`` but @c.md", ("c.md",)),
        ("`x`@a.md", ()),
        ("one ` lone backtick @a.md", ("a.md",)),
        ("a span `over\n@a.md lines` @b.md", ("b.md",)),
        ("not over a ` blank\n\n@a.md ` line", ("a.md",)),
        ("```\n@a.md\n```\n@b.md", ("b.md",)),
        ("~~~ text\n@a.md\n```\n~~\n~~~~\n@b.md", ("b.md",)),
        ("````\n```\n@a.md\n````\n@b.md", ("b.md",)),
        ("  - ```sh\n    @a.md\n    ```\n@b.md", ("b.md",)),
        ("> ```\n> @a.md\n> ```\n@b.md", ("b.md",)),
        ("``` inline ``` @a.md", ("a.md",)),
        ("```\nnever closed\n@a.md", ()),
        ("```\n@a.md\n``` not a closing fence\n@b.md\n```\n@c.md", ("c.md",)),
        ("", ()),
    ],
)
def test_words_outside_code_are_found(markdown: str, words: tuple[str, ...]) -> None:
    assert at_words(markdown) == words


@pytest.mark.parametrize(
    "text",
    [
        " ".join("`" * length for length in range(1, 1000)),
        "` `` " * 150_000,
        "- " * 400_000,
        "> " * 400_000,
        "1. " * 300_000 + "``",
        "@" * 900_000,
        " (" * 400_000,
    ],
    ids=["growing runs", "mixed runs", "lists", "quotes", "numbers", "at signs", "brackets"],
)
def test_hostile_text_takes_no_time(text: str) -> None:
    before = time.process_time()
    at_words(text)
    assert time.process_time() - before < 2
