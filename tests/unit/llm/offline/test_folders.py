"""Dividing files among folders: nothing is lost, and single folders are looked into."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from code_assistant.llm.offline.folders import divided

PATHS = st.lists(st.sampled_from("abc"), min_size=1, max_size=5).map(lambda parts: "/".join([*parts, "f.py"]))


def test_a_single_folder_is_divided() -> None:
    weights = {"src/shop/cart/a.py": 5, "src/shop/tax/b.py": 3, "src/shop/main.py": 1}
    found = [(group.folder, group.is_flat, group.weight) for group in divided(weights)]
    assert found == [("src/shop/cart", False, 5), ("src/shop/tax", False, 3), ("src/shop", True, 1)]


def test_a_folder_with_most_of_it_is_divided_where_that_is_asked() -> None:
    weights = {"a/x/f.py": 50, "a/y/f.py": 40, "b/f.py": 1, "c/f.py": 1, "d/f.py": 1}
    assert next(group.folder for group in divided(weights)) == "a"
    assert [group.folder for group in divided(weights, largest_share=0.6)][:2] == ["a/x", "a/y"]


@given(st.dictionaries(PATHS, st.integers(0, 9), max_size=30), st.integers(1, 8), st.floats(0, 1))
def test_nothing_is_lost_or_doubled(weights: dict[str, int], enough: int, share: float) -> None:
    groups = divided(weights, enough=enough, largest_share=share)
    assert sorted(path for group in groups for path in group.weights) == sorted(weights)
