"""What "always" stores for a command: a rule for each part, as narrow as it is useful, or nothing."""

from __future__ import annotations

from code_assistant.events import MAIN
from code_assistant.permissions.gate import Gate
from code_assistant.permissions.person import NobodyThere
from code_assistant.permissions.rule_book import RuleBook
from tests.rows import each_row
from tests.unit.permissions.support import ANCHORS, delete, edit, place
from tests.unit.permissions.test_command_rules import run

STORED: list[tuple[str, list[str]]] = [
    # What could follow may be a file somewhere else.
    ("ruff format src", ["Bash(ruff format src)"]),
    ("black src", ["Bash(black src)"]),
    ("clang-format -i a.c", ["Bash(clang-format -i a.c)"]),
    ("shellcheck a.sh", ["Bash(shellcheck a.sh)"]),
    ("npm run build", ["Bash(npm run build)"]),
    ("npm test --watch", ["Bash(npm test --watch)"]),
    ("go test ./...", ["Bash(go test ./...)"]),
    ("pytest -q", ["Bash(pytest -q)"]),
    ("./run.sh a", ["Bash(./run.sh a)"]),
    ("frobnicate --all", ["Bash(frobnicate --all)"]),
    ("frobnicate 'a b'", ["Bash(frobnicate 'a b')"]),
    ("frobnicate '*'", ["Bash(frobnicate \\*)"]),
    ("frobnicate *.c", ["Bash(frobnicate \\*.c)"]),
    ("npm run build && frobnicate x", ["Bash(npm run build)", "Bash(frobnicate x)"]),
    ("npm run build | tail -5", ["Bash(npm run build)"]),
    ("frobnicate a; frobnicate a", ["Bash(frobnicate a)"]),
    ("timeout 5 frobnicate a", ["Bash(frobnicate a)"]),
    ("cd sub && frobnicate a", ["Bash(cd sub && frobnicate a)"]),
    # Never a beginning that could mean anything.
    ("python3 x.py", ["Bash(python3 x.py)"]),
    ("node x.js", ["Bash(node x.js)"]),
    ("perl -e 1", ["Bash(perl -e 1)"]),
    ("git push", ["Bash(git push)"]),
    ("rm x", ["Bash(rm x)"]),
    ("docker run x", ["Bash(docker run x)"]),
    ("curl example.org", ["Bash(curl example.org)"]),
    # Nothing where no rule could allow it.
    ("sudo make", []),
    ("ssh host", []),
    ("bash x.sh", []),
    ("ls | xargs rm", []),
    ("make $(x)", []),
    ("make &", []),
    ("X=1 make", []),
    ("for a in b; do make; done", []),
    ("frobnicate *.c && frobnicate b", []),
    ("make \u200b", []),
    ("; ".join(f"frobnicate {number}" for number in range(11)), []),
]


@each_row(("command", "rules"), STORED)
def test_safe_b7_a_rule_for_each_part_and_never_an_open_one(command: str, rules: list[str]) -> None:
    assert [rule.text for rule in RuleBook(ANCHORS).proposed(run(command))] == rules


@each_row(("command", "rules"), [row for row in STORED if row[1]])
def test_what_is_stored_allows_the_same_the_next_time_also_read_from_a_file(command: str, rules: list[str]) -> None:
    asked = run(command)
    granted, read = RuleBook(ANCHORS), RuleBook(ANCHORS)
    for rule in granted.proposed(asked):
        granted.grant(rule, MAIN)
    assert read.load("allow", rules, "permissions.json") == []
    for book in (granted, read):
        decision = Gate(NobodyThere(), book).settled(asked)
        assert decision is not None
        assert decision.allowed
        assert book.proposed(asked) == () or command.startswith("cd") or "*" in command
        assert Gate(NobodyThere(), book).settled(run(f"{command}; other")) is None


PROGRAMS = """
bash sh zsh python python3.11 node ruby perl java sudo su env xargs timeout nice eval exec command git rm find fd docker
kubectl ssh curl make npm cargo go uv npx poetry awk sed jq tee mv cp chmod systemctl apt pip tar vim source export
"""


@each_row("program", PROGRAMS.split())
def test_safe_b7_no_rule_is_offered_for_what_begins_with_a_program(program: str) -> None:
    offered = [rule.text for rule in RuleBook(ANCHORS).proposed(run(f"{program} a"))]
    assert offered in ([], ["Bash(a)"], [f"Bash({program} a)"])


def test_parts_that_are_allowed_already_need_no_rule() -> None:
    book = RuleBook(ANCHORS, ["Bash(npm run:*)"])
    assert [rule.text for rule in book.proposed(run("npm run build && frobnicate x"))] == ["Bash(frobnicate x)"]


def test_where_the_output_goes_is_shown_with_it_or_there_is_no_always() -> None:
    book = RuleBook(ANCHORS)
    asked = run("frobnicate > out.txt", writes=("out.txt",))
    assert [rule.text for rule in book.proposed(asked)] == ["Bash(frobnicate)", "EditFile(/out.txt)"]
    for rule in book.proposed(asked):
        book.grant(rule)
        assert book.parse(rule.text) == rule
    gate = Gate(NobodyThere(), book)
    assert gate.settled(asked) is not None
    assert gate.settled(edit("out.txt", tool_name="write_file")) is not None
    assert gate.settled(delete("out.txt")) is None
    assert gate.settled(edit("out.txt/below")) is None
    assert gate.settled(run("frobnicate > other", writes=("other",))) is None
    for target in ("/etc/hosts", ".git/hooks/x", ".bashrc"):
        assert RuleBook(ANCHORS).proposed(run(f"frobnicate > {target}", writes=(target,))) == ()


def test_what_is_read_from_outside_is_allowed_as_a_whole_or_there_is_no_always() -> None:
    asked = run("xxd < /etc/hosts", inputs=(place("/etc/hosts"),))
    assert [rule.text for rule in RuleBook(ANCHORS).proposed(asked)] == ["Bash(xxd < /etc/hosts)"]
    assert RuleBook(ANCHORS).proposed(run("xxd < /etc/hosts > a", inputs=(place("/etc/hosts"),), writes=("a",))) == ()
    inside = run("xxd < a", inputs=(place("a"),))
    book = RuleBook(ANCHORS)
    for rule in book.proposed(inside):
        book.grant(rule)
    gate = Gate(NobodyThere(), book)
    assert gate.settled(inside) is not None
    assert gate.settled(asked) is None
    assert gate.why_asked(asked) == "it reads hosts, which is outside or kept from being read"


def test_where_a_rule_asks_there_is_no_always() -> None:
    assert RuleBook(ANCHORS, ask=["Bash(frobnicate:*)"]).proposed(run("frobnicate x")) == ()


def test_elsewhere_there_is_no_always() -> None:
    assert RuleBook(ANCHORS).proposed(run("frobnicate x", is_in_root=False)) == ()
