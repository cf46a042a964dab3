"""The rules in force together: denying beats allowing, agents have rules of their own, "always" is narrow."""

from __future__ import annotations

import pickle

from code_assistant.events import MAIN, Origin
from code_assistant.permissions.access import EditAccess, ReadAccess, ToolAccess
from code_assistant.permissions.approver import PermissionRequest
from code_assistant.permissions.gate import Gate
from code_assistant.permissions.person import NobodyThere
from code_assistant.permissions.proposing import MAXIMUM_COMMAND_CHARACTERS
from code_assistant.permissions.rule_book import RuleBook
from code_assistant.permissions.rule_parsing import parse_rule
from code_assistant.permissions.rules import Rule
from tests.rows import each_row
from tests.unit.permissions.support import (
    ANCHORS,
    ROOT,
    command,
    delete,
    edit,
    edit_all,
    fetch,
    place,
    proposed_one,
    read,
    request,
)

FIRST = Origin("first", "explore-1", 2, "main", "call_1")


def settled(asked: PermissionRequest, book: RuleBook) -> bool | None:
    decision = Gate(NobodyThere(), book).settled(asked)
    return None if decision is None else decision.allowed


DENY_BEATS_ALLOW = [
    (["Bash"], ["Bash(rm x)"], command("rm x"), False),
    (["Bash(rm x)"], ["Bash"], command("rm x"), False),
    (["Bash"], ["Bash(rm x)"], command("rm y"), True),
    (["Read(//etc/hosts)"], ["Read(//etc/**)"], read("/etc/hosts"), False),
    (["Read(//etc/**)"], ["Read(//etc/hosts)"], read("/etc/hosts"), False),
    (["Read(//etc/**)"], ["Read(//etc/hosts)"], read("/etc/passwd"), True),
    (["Edit(src/**)"], ["Edit(src/gen/**)"], edit("src/gen/a"), False),
    (["Edit(src/**)"], ["Edit(src/gen/**)"], edit("src/a"), True),
    (["Edit(src/**)"], ["Read(src/gen/**)"], edit("src/gen/a"), False),
    (["Edit(src/**)"], ["Read"], edit("src/a"), False),
    (["WebFetch(domain:example.org)"], ["WebFetch"], fetch("example.org"), False),
    (["WebFetch"], ["WebFetch(domain:*.example.org)"], fetch("www.example.org"), False),
    (["WebFetch"], ["WebFetch(domain:*.example.org)"], fetch("example.org"), True),
    (["WebSearch"], ["web_search"], request("web_search", ToolAccess()), False),
    ([], ["Read(secret)"], read("secret"), False),
    ([], ["Read(secret)"], read("other"), True),
    (["Bash(a)"], [], command("b"), None),
]


@each_row(("allow", "deny", "asked", "expected"), DENY_BEATS_ALLOW)
def test_safe_b8_denying_beats_allowing_whatever_is_narrower(
    allow: list[str], deny: list[str], asked: PermissionRequest, expected: bool | None
) -> None:
    book = RuleBook(ANCHORS, allow, deny)
    assert settled(asked, book) is expected


def test_safe_b8_a_grant_does_not_beat_a_rule_that_denies() -> None:
    book = RuleBook(ANCHORS, deny=["Bash(rm x)"])
    book.grant(parse_rule("Bash", ANCHORS))
    book.grant(parse_rule("Bash(rm x)", ANCHORS), MAIN)
    assert settled(command("rm x"), book) is False


def test_safe_w2_an_always_does_not_name_a_private_host() -> None:
    book = RuleBook(ANCHORS, ["WebFetch(domain:localhost)"])
    book.grant(parse_rule("WebFetch(domain:example.org)", ANCHORS))
    book.grant(parse_rule("WebFetch(domain:example.org)", ANCHORS), MAIN)
    assert settled(fetch("example.org"), book) is True
    assert not book.names_host("example.org")
    assert book.names_host("localhost")


def test_rules_of_one_agent_never_cover_another() -> None:
    book = RuleBook(ANCHORS)
    book.grant(parse_rule("Bash(make)", ANCHORS), FIRST)
    book.grant(parse_rule("WebFetch(domain:example.org)", ANCHORS), FIRST)
    assert settled(command("make", "first"), book) is True
    assert settled(fetch("example.org", "first"), book) is True
    for other in ("main", "second", "firs", "first2"):
        assert settled(command("make", other), book) is None
        assert settled(fetch("example.org", other), book) is None
    assert next((each.list, each.text, each.source) for each in book.listed()) == ("allow", "Bash(make)", "explore-1")
    book.forget("first")
    assert settled(command("make", "first"), book) is None
    assert book.listed() == ()


def test_a_rule_of_the_session_covers_every_agent() -> None:
    book = RuleBook(ANCHORS)
    book.grant(parse_rule("Bash(make)", ANCHORS))
    assert all(settled(command("make", agent_id), book) for agent_id in ("main", "first", "second"))


def test_a_rule_granted_twice_is_kept_once() -> None:
    book = RuleBook(ANCHORS)
    for _ in range(3):
        rule = proposed_one(book, edit("a"))
        assert rule is not None
        book.grant(rule)
        book.grant(rule, MAIN)
    assert len(book.allowing(edit("a"))) == 2


NAMES = ["a.py", "src/a.py", "a*b", "a?b", "[ab]", "a\\b", "{a,b}", "!a", "#a", "~a", " a", "a ", "a  ", "a\nb", "(a)"]
NAMES += ["a)", "a.b+c|d^$", "**", "*", "\u00fcber", "deep/*/x", "-a", "...", "a/[x]/b ", "\udcff", "~"]
NEIGHBOURS = ["b", "axb", "ab", "a", "deep/y/x", "deep/x", "other/a.py", "src/a.pyc", "src/b.py", "xa.py", "**x", "a\\"]


@each_row("name", NAMES)
@each_row("outside", [False, True])
def test_safe_b7_always_for_a_path_means_that_path_alone(name: str, outside: bool) -> None:
    prefix = "/else/where/" if outside else ""
    book = RuleBook(ANCHORS)
    for ask in (read, edit):
        rule = proposed_one(book, ask(prefix + name))
        assert rule is not None
        # As it would be read again from where it is written down.
        assert parse_rule(rule.text, ANCHORS) == rule
        assert rule.allows(ask(prefix + name))
        # A file that may be changed says nothing about a folder that may one day have its name.
        assert rule.allows(ask(f"{prefix}{name}/below")) is (ask is read)
        assert not any(rule.allows(ask(prefix + other)) for other in NEIGHBOURS if other != name)
        assert not rule.allows(ask(f"/else/{name}" if outside else f"deeper/{name}"))
    assert not book.allowing(edit(prefix + name)), "proposing is not granting"


@each_row("path", ["/home/me/notes", "/extra/a.py", "/ws2/a.py", "/wsx"])
def test_always_for_a_path_beside_the_root_counts_from_the_file_system(path: str) -> None:
    rule = proposed_one(RuleBook(ANCHORS), read(path))
    assert rule is not None
    assert rule.text == f"Read(/{path})"
    assert rule.allows(read(path))
    assert not rule.allows(read(path.lstrip("/")))


def test_always_for_a_link_means_where_it_leads() -> None:
    asked = request("read_files", ReadAccess(place("/etc/hosts", "link")))
    rule = proposed_one(RuleBook(ANCHORS), asked)
    assert rule is not None
    assert rule.text == "Read(//etc/hosts)"
    assert not rule.allows(read("link"))


def test_safe_b7_always_for_an_edit_is_not_for_deleting() -> None:
    rule = proposed_one(RuleBook(ANCHORS), edit("a"))
    assert rule is not None
    assert rule.allows(edit("a", tool_name="write_file"))
    assert not rule.allows(delete("a"))
    assert not rule.allows(read("a"))


COMMANDS = ["make test", "ls *.py", "a && b", "echo ')'", "first\nsecond", "git diff:*", " x ", "rm -rf (x)"]


@each_row("text", COMMANDS)
def test_safe_b7_always_for_a_command_means_that_command_alone(text: str) -> None:
    rule = proposed_one(RuleBook(ANCHORS), command(text))
    assert rule is not None
    assert rule.text == f"Bash({text})".replace("*", "\\*")
    assert rule.allows(command(text))
    assert parse_rule(rule.text, ANCHORS) == rule
    for other in (f"{text} ", f" {text}", f"{text}; x", text[:-1], text.replace("*", "x") + "y", text.upper() + "!"):
        assert not rule.allows(command(other))


@each_row("text", ["a\u200bb", "a\u202eb", "a\x1bb", "a\rb", "a\x00b", "\x9b", "a" * (MAXIMUM_COMMAND_CHARACTERS + 1)])
def test_safe_b7_a_command_that_cannot_be_seen_whole_is_never_allowed_for_good(text: str) -> None:
    assert proposed_one(RuleBook(ANCHORS), command(text)) is None


@each_row("host", ["example.org", "localhost", "127.0.0.1", "::1", "xn--bcher-kva.example"])
def test_safe_w4_always_for_a_host_means_that_host_alone(host: str) -> None:
    rule = proposed_one(RuleBook(ANCHORS), fetch(host))
    assert rule is not None
    assert parse_rule(rule.text, ANCHORS) == rule
    assert rule.allows(fetch(host))
    assert not rule.allows(fetch(f"www.{host}"))
    assert not rule.allows(fetch(f"{host}.evil.com"))


def test_always_for_any_other_tool_means_the_tool() -> None:
    rule = proposed_one(RuleBook(ANCHORS), request("web_search", ToolAccess()))
    assert rule == Rule("web_search", frozenset({"web_search"}))


NOTHING_TO_PROPOSE = [
    delete("a"),
    edit_all("a", "b"),
    request("edit", EditAccess(())),
    read("/"),
    read(str(ROOT)),
    # A rule about reading would not allow what this tool asks the next time.
    request("execute_command", ReadAccess(place("/etc"))),
]


@each_row("asked", NOTHING_TO_PROPOSE)
def test_nothing_is_proposed_where_no_narrow_rule_would_do(asked: PermissionRequest) -> None:
    assert proposed_one(RuleBook(ANCHORS), asked) is None


def test_what_is_hidden_is_what_rules_keep_from_being_read() -> None:
    assert RuleBook(ANCHORS).hidden() is None
    assert RuleBook(ANCHORS, allow=["Read(secret)"], deny=["Edit(a)", "Bash(b)", "Read", "WebFetch"]).hidden() is None
    hidden = RuleBook(ANCHORS, deny=["Edit(a)", "Read(secret/**)", "Grep(*.pem)"]).hidden()
    assert hidden is not None
    for is_hidden in (hidden, pickle.loads(pickle.dumps(hidden))):
        assert is_hidden(ROOT / "secret/deep/x")
        assert is_hidden(ROOT / "x/y.pem")
        assert is_hidden(ROOT.parent / "elsewhere/y.pem")
        assert not is_hidden(ROOT / "a")
        assert not is_hidden(ROOT / "x/secret/y")
        assert not is_hidden(ROOT)
