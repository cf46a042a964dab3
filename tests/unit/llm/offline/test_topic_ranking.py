"""Which files come first: rare words, names, and several words count for more; short words only as they are."""

from __future__ import annotations

import re

from code_assistant.llm.offline.tool_texts import Counts
from code_assistant.llm.offline.topic_ranking import FoundWords, ranked, word_pattern, word_weights
from tests.rows import each_row


def found(words: dict[str, dict[str, int]], named: tuple[str, ...] = ()) -> FoundWords:
    return FoundWords({word: Counts(counts, len(counts)) for word, counts in words.items()}, named)


COMMON = {f"tests/test_{number}.py": 30 for number in range(50)}


def paths(seen: FoundWords) -> list[str]:
    return [file.path for file in ranked(seen)]


def test_a_rare_word_is_not_drowned_by_a_common_one() -> None:
    seen = found({"compaction": {"a/shorter.py": 2}, "test": {**COMMON, "tests/latest.py": 9}})
    assert word_weights(seen)["compaction"] > 3 * word_weights(seen)["test"]
    assert paths(seen)[0] == "a/shorter.py"


def test_named_after_all_words_then_after_some_then_holding_several() -> None:
    rare = {"tests/test_compaction.py": 1, "src/compaction.py": 3, "src/both.py": 3, "src/one.py": 3}
    seen = found({"compaction": rare, "test": {**COMMON, "tests/test_compaction.py": 9, "src/both.py": 1}})
    assert paths(seen)[:3] == ["tests/test_compaction.py", "src/compaction.py", "src/both.py"]


def test_files_that_only_have_the_common_word_are_left_out() -> None:
    seen = found({"compaction": {"tests/test_compaction.py": 4}, "test": {**COMMON, "tests/test_compaction.py": 9}})
    assert paths(seen) == ["tests/test_compaction.py"]


def test_a_file_counts_for_its_name_alone() -> None:
    assert paths(found({"cart": {"src/shop.py": 1}}, ("src/Cart.tsx",))) == ["src/Cart.tsx", "src/shop.py"]


def test_tests_stand_back_unless_they_are_asked_for() -> None:
    assert paths(found({"cart": {"tests/test_cart.py": 9, "src/cart.py": 9}}))[0] == "src/cart.py"


def test_who_gives_the_order_has_seen_more() -> None:
    seen = found({"compaction": {f"a/{number}.py": 1 for number in range(9)}, "test": {"a/1.py": 1}})
    assert word_weights(seen)["compaction"] >= word_weights(seen)["test"]


@each_row(
    ("word", "text", "is_found"),
    [
        ("se", "self.settings", False),
        ("la", "label = last", False),
        ("tax", "def compute_tax():", True),
        ("tax", "myTaxes = TaxRate()", True),
        ("tax", "taxonomy", False),
        ("key", "all keys", True),
        ("tests", "latest", False),
        ("test", "testing", True),
    ],
)
def test_short_words_are_no_beginnings(word: str, text: str, is_found: bool) -> None:
    assert (re.search(word_pattern(word), text) is not None) == is_found
