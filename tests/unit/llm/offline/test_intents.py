"""Questions in plain English: which kind each is taken for, and that none makes the parser fail."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from code_assistant.llm.offline.intents import (
    Changes,
    Describe,
    Find,
    Intent,
    Overview,
    ProjectFacts,
    Sizes,
    Symbols,
    Talk,
    Topic,
    intent_of,
)
from code_assistant.llm.offline.words import SUGGESTED_PROMPTS
from tests.rows import each_row


def defined(*names: str) -> Symbols:
    return Symbols(names, used=False)


def used(*names: str) -> Symbols:
    return Symbols(names, used=True)


@each_row(
    ("question", "expected"),
    [
        ("Give me an overview of this code base", Overview()),
        ("overview", Overview()),
        ("What is this project?", Overview()),
        ("tell me about this repo", Overview()),
        ("how is this project structured?", Overview()),
        ("write me an overview of this project", Overview()),
        ("where is Agent defined?", defined("Agent")),
        ("Find where `Agent` is defined.", defined("Agent")),
        ("where are foo, bar and baz defined", defined("foo", "bar", "baz")),
        ("definition of compute_tax", defined("compute_tax")),
        ("where is the class Broker", defined("Broker")),
        ("who calls Session.send?", used("Session.send")),
        ("where is the function tax() used", used("tax")),
        ("usages of Channel", used("Channel")),
        ("where is main defined and used?", used("main")),
        ("find TODO", Find("TODO")),
        ('Search for "no such file"', Find("no such file")),
        ("which files contain print(", Find("print(")),
        ("are there any FIXMEs", Find("FIXMEs")),
        ('is there a "no such file"?', Find("no such file")),
        ("is there a test for compaction?", Topic(("test", "compaction"))),
        ("what does src/ hold", Describe("src/")),
        ("what's in the tests folder?", Describe("tests/")),
        ("what does README.md hold?", Describe("README.md")),
        ("explain path/to/file.py", Describe("path/to/file.py")),
        ("@path/to/file.py", Describe("path/to/file.py")),
        ('read @"a b.md"', Describe("a b.md")),
        ("what is in .", Describe(".")),
        ("give me an overview of src/shop", Describe("src/shop")),
        ("Makefile", Describe("Makefile")),
        ("what changed?", Changes()),
        ("What did I change", Changes()),
        ("git status", Changes()),
        ("what changed in the last commit?", Changes()),
        ("what changes the state of a cart?", Topic(("state", "cart"))),
        ("do we have a tax table?", Topic(("tax", "table"))),
        ("show me the code of Cart", Describe("Cart")),
        ("how does permission checking work?", Topic(("permission", "check"))),
        ("explain how carts are cancelled", Topic(("cart", "cancel"))),
        ("why is the sky blue", Topic(("sky", "blue"))),
        ("how do I run the tests?", ProjectFacts()),
        ("what are the dependencies?", ProjectFacts()),
        ("what is the entry point?", ProjectFacts()),
        ("how is this project built", ProjectFacts()),
        ("what files are in web", Describe("web")),
        ("find files named tax", Find("tax")),
        ("are there any tests?", Sizes("tests")),
        ("how does logging work when it is saved?", Topic(("logg", "save"))),
        ("list the largest files", Sizes("largest")),
        ("what are the 5 biggest python files in the src folder?", Sizes("largest", "Python", "src")),
        ("which file has the most lines", Sizes("largest")),
        ("how many lines of python are there?", Sizes("lines", "Python")),
        ("how many lines of code does this project have?", Sizes("lines")),
        ("how many lines are in src/shop", Sizes("lines", None, "src/shop")),
        ("how big is this code base?", Sizes("lines")),
        ("how many files are there?", Sizes("files")),
        ("how many .ts files are in this repo", Sizes("files", "TypeScript")),
        ("how many tests do we have?", Sizes("tests")),
        ("which languages", Sizes("languages")),
        ("what programming languages are used in this project?", Sizes("languages")),
        ("in which language is this project written?", Sizes("languages")),
        ("how many lines does a cart have", Topic(("cart",))),
        ("how are languages detected?", Topic(("language", "detect"))),
        ("where is the API key stored?", Topic(("API", "key", "stor"))),
        ("¿Dónde se guarda la clave?", Topic(("clave",), is_foreign=True)),
        ("Wo ist der RateGate definiert?", Topic(("RateGate", "definiert"), is_foreign=True)),
        ("où est-ce que c'est", Talk("foreign")),
        ("hi", Talk("greeting")),
        ("Thanks!", Talk("thanks")),
        ("what can you do?", Talk("help")),
        ("how do I set an API key?", Talk("help")),
        ("fix the bug in cart.py", Talk("cannot")),
        ("please write tests for the parser", Talk("cannot")),
        ("Could you refactor this?", Talk("cannot")),
        ("add an overview page", Talk("cannot")),
        ("", Talk("unknown")),
        ("what is it that you and I do?", Talk("unknown")),
    ],
)
def test_questions(question: str, expected: Intent) -> None:
    assert intent_of(question) == expected


def test_the_first_suggestion_is_an_overview_and_all_are_understood() -> None:
    kinds = [type(intent_of(each)) for each in SUGGESTED_PROMPTS]
    assert kinds == [Overview, Symbols, Describe, Find, Changes]


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=400))
def test_any_text_is_some_kind_of_question(question: str) -> None:
    assert intent_of(question)
