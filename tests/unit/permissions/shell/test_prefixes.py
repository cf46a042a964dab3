"""What "always" may cover (B7)."""

from __future__ import annotations

import shlex

from code_assistant.permissions.shell.prefixes import is_open_ended, useful_prefix
from tests.rows import each_row


@each_row(
    "command, prefix",
    [
        ("ruff format --check .", "ruff format"),
        ("black src", "black"),
        ("shellcheck a.sh", "shellcheck"),
        # Their options start or load something else.
        ("npm run build", None),
        ("npm test", None),
        ("npm audit", None),
        ("yarn run lint", None),
        ("cargo test foo", None),
        ("go test ./...", None),
        ("mvn verify -q", None),
        ("gradle test", None),
        ("bazel test x", None),
        ("deno test", None),
        ("ctest", None),
        ("pytest tests/a.py -q", None),
        ("eslint src", None),
        ("prettier a", None),
        ("rspec", None),
        ("mocha", None),
        ("mypy src", None),
        ("ruff check src", None),
        # With a variable on its command line, make runs anything.
        ("make lint", None),
        ("make", None),
        ("npm install", None),
        ("npm run", None),
        ("npm run -s x", None),
        ("cargo run", None),
        ("go run .", None),
        ("unheard of", None),
        ("./gradlew test", None),
        ("/usr/bin/pytest", None),
        ("git status", None),
        ("python -m pytest", None),
        ("cat a", None),
        ("", None),
    ],
)
def test_safe_b7_the_narrowest_beginning_that_is_useful(command: str, prefix: str | None) -> None:
    expected = None if prefix is None else tuple(prefix.split())
    assert useful_prefix(shlex.split(command)) == expected


@each_row("command, prefix", [("ruff format a", "ruff format"), ("black -q", "black")])
def test_safe_b7_what_is_useful_is_not_open_ended(command: str, prefix: str) -> None:
    assert not is_open_ended(useful_prefix(command.split()) or ())


OPEN_ENDED = """
bash sh zsh dash fish python python3 python3.11 pypy3 node node-20 ruby perl php lua java sudo doas su env xargs timeout
time nice nohup stdbuf eval exec command git rm find fd xargs docker podman kubectl ssh scp curl wget make npm cargo go
uv npx poetry awk sed jq tee dd mv cp chmod kill systemctl apt pip tar vim less man source alias export /bin/bash
/usr/bin/git X=1
"""


@each_row("program", OPEN_ENDED.split())
def test_safe_b7_programs_that_can_do_anything_are_never_offered_by_their_name(program: str) -> None:
    assert is_open_ended([program])
    assert useful_prefix([program, "a"]) is None


@each_row(
    "command", ["git status", "uv run pytest", "python -m pytest", "make lint", "npm install", "docker run a", ""]
)
def test_safe_b7_nor_by_more_of_their_words(command: str) -> None:
    assert is_open_ended(command.split())
