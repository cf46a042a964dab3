"""Rules from several places in one book: which of them count, and what is said of those that cannot be understood."""

from __future__ import annotations

from code_assistant.permissions.listed_rules import COMMAND_LINE, KEPT_HERE, THIS_SESSION, RuleList
from code_assistant.permissions.path_patterns import Anchors
from code_assistant.permissions.rule_book import RuleBook
from tests.rows import each_row
from tests.unit.permissions.support import ANCHORS, ROOT, edit

BAD = [
    ("deny", "Bsh(rm)", "Did you mean Bash? NOTHING IS DENIED BY IT."),
    ("deny", "mcp__server__tool", "is not available yet"),
    ("ask", "Bash(", "is not a rule"),
    ("allow", "Read(!x)", "It allows nothing"),
    ("allow", "", "is not a rule"),
    ("deny", "x" * 20_000, "NOTHING IS DENIED BY IT"),
]


@each_row(("rule_list", "text", "words"), BAD)
def test_safe_b8_a_rule_of_a_file_that_is_not_understood_is_told_and_the_others_count(
    rule_list: RuleList, text: str, words: str
) -> None:
    book = RuleBook(ANCHORS)
    warnings = book.load(rule_list, ["Bash(a)", text, "Bash(b)"], "config.toml")
    assert len(warnings) == 1
    assert warnings[0].startswith(f"config.toml, {rule_list}: ")
    assert words in warnings[0]
    assert len(warnings[0]) < 2_000
    assert [each.text for each in book.listed()] == ["Bash(a)", "Bash(b)"]


def test_every_rule_knows_where_it_comes_from() -> None:
    book = RuleBook(ANCHORS, ["Bash(a)"], ["Bash(b)"], ["Bash(c)"])
    book.load("allow", ["Bash(d)"], "config.toml")
    book.load("deny", ["Bash(e)"], ".claude/settings.json")
    book.add("allow", book.parse("Bash(f)"))
    assert [(each.list, each.text, each.source, each.can_be_changed) for each in book.listed()] == [
        ("deny", "Bash(b)", COMMAND_LINE, False),
        ("deny", "Bash(e)", ".claude/settings.json", False),
        ("ask", "Bash(c)", COMMAND_LINE, False),
        ("allow", "Bash(a)", COMMAND_LINE, False),
        ("allow", "Bash(d)", "config.toml", False),
        ("allow", "Bash(f)", THIS_SESSION, True),
    ]


def test_rules_of_a_project_count_from_its_root() -> None:
    project = Anchors(ROOT.parent, ANCHORS.folders, ANCHORS.home)
    book = RuleBook(ANCHORS)
    book.load("deny", ["Edit(ws/src/**)"], ".claude/settings.json", project)
    book.load("deny", ["Edit(lib/**)"], "config.toml")
    assert book.denying(edit("src/a")) is not None
    assert book.denying(edit("lib/a")) is not None
    assert book.denying(edit("ws/src/a")) is None


def test_safe_w2_only_what_the_person_wrote_down_names_a_private_host() -> None:
    book = RuleBook(ANCHORS)
    for number, source in enumerate((".claude/settings.json", KEPT_HERE, THIS_SESSION, "config.toml")):
        book.load("allow", [f"WebFetch(domain:host{number})"], source)
    book.load("deny", ["WebFetch(domain:denied)"], "config.toml")
    assert [book.names_host(f"host{number}") for number in range(4)] == [False, False, False, True]
    assert not book.names_host("denied")


def test_a_rule_that_is_removed_no_longer_counts() -> None:
    book = RuleBook(ANCHORS, deny=["Edit(src/**)"])
    listed = book.add("deny", book.parse("Edit(lib/**)"))
    assert book.add("deny", book.parse("Edit(lib/**)")) == listed, "the same rule is kept once"
    assert book.denying(edit("lib/a")) is not None
    assert book.remove(listed.id)
    assert not book.remove(listed.id)
    assert book.denying(edit("lib/a")) is None
    assert book.denying(edit("src/a")) is not None
