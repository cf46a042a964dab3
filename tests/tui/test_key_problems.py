"""Which keys of the person's count, and what is said about the others."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from code_assistant.tui.key_problems import checked_keys
from code_assistant.tui.keys import KEYS, PANEL_KEYS, PROMPT_KEYS, REMAPPABLE, key_names, keymap
from tests.rows import each_row


def test_the_usual_keys_have_no_problem() -> None:
    assert checked_keys({}) == checked_keys({key.id: "" for key in REMAPPABLE})
    assert (checked_keys({}).used, checked_keys({}).problems) == ({}, ())
    as_usual = {key.id: key.keys for key in REMAPPABLE}
    assert (checked_keys(as_usual).used, checked_keys(as_usual).problems) == (as_usual, ())


def test_names_of_keys_that_do_not_exist_are_told() -> None:
    fine = {"stop": "ctrl+x", "mode": "", "details": "f5,alt+up, question_mark", "palette": "ctrl+ü"}
    assert checked_keys(fine).problems == ()
    (words,) = checked_keys({"stop": "ctrl+nosuch"}).problems
    assert "keys.stop" in words
    assert "'ctrl+nosuch'" in words
    assert len(checked_keys({"stop": "cntrl+x, f99, escape"}).problems) == 2


@each_row(
    ("own", "used", "told"),
    [
        # Another answer of the same prompt.
        ({"allow_once": "n"}, {}, [("keys.allow_once = 'n'", "a permission prompt n", "“deny”")]),
        ({"keep_planning": "y"}, {}, [("keys.keep_planning", "a plan y", "“approve it; edits are asked about”")]),
        ({"choose_1": "2"}, {}, [("keys.choose_1", "a question 2", "“choose that answer”")]),
        ({"own_words": "space"}, {}, [("keys.own_words", "a question space", "switch the marked answer")]),
        (
            {"allow_once": "o", "deny": "f2, o"},
            {},
            [("keys.deny = 'f2, o'", "o", "“allow once”"), ("keys.allow_once", "o", "“deny”")],
        ),
        # What every prompt needs.
        ({"deny": "escape"}, {}, [("keys.deny", "any prompt escape", "“hide it; it stays open”")]),
        ({"allow_once": "tab"}, {}, [("keys.allow_once", "any prompt tab", "“walk the buttons”")]),
        ({"approve": "down"}, {}, [("keys.approve", "any prompt down", "scroll")]),
        ({"own_words": "enter"}, {}, [("keys.own_words", "any prompt enter", "“press the marked button”")]),
        # What works everywhere, as it is set.
        ({"deny": "ctrl+c"}, {}, [("keys.deny", "a permission prompt ctrl+c", "copy a selection")]),
        (
            {"deny": "f5", "interrupt": "f5"},
            {},
            [("keys.deny", "f5", "“hide it; it stays open”"), ("keys.interrupt", "f5", "“deny”")],
        ),
        ({"details": "s"}, {}, [("keys.details = 's'", "a permission prompt s", "“always in this session”")]),
        # Others may have the same key in another kind of prompt, and change places.
        ({"approve": "o", "allow_once": "o", "no_answer": "o"}, {"approve", "allow_once", "no_answer"}, []),
        ({"allow_once": "n", "deny": "y"}, {"allow_once", "deny"}, []),
        ({"deny": "escape", "interrupt": "f5"}, {"deny", "interrupt"}, []),
        # A usual key that comes back finds its place taken.
        (
            {"allow_once": "n", "deny": "escape"},
            {},
            [("keys.deny", "escape", "hide"), ("keys.allow_once", "n", "deny")],
        ),
        ({"allow_once": "n", "details": "f3"}, {"details"}, [("keys.allow_once", "n", "deny")]),
    ],
)
def test_no_key_means_two_things_in_a_prompt(own: dict[str, str], used: set[str], told: list[tuple[str, ...]]) -> None:
    checked = checked_keys(own)
    assert checked.used.keys() == set(used)
    assert len(checked.problems) == len(told)
    for words, parts in zip(checked.problems, told, strict=True):
        assert all(part in words for part in parts), words


NAMES = ["y", "a", "s", "n", "r", "t", "1", "2", "space", "escape", "tab", "f2", "f8", "o", "p"]
OWN_KEYS = st.dictionaries(
    st.sampled_from([key.id for key in REMAPPABLE]), st.lists(st.sampled_from(NAMES), max_size=2).map(",".join)
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(OWN_KEYS)
def test_whatever_is_set_each_answer_has_keys_of_its_own(own: dict[str, str]) -> None:
    used = checked_keys(own).used
    assert used.items() <= keymap(own).items()
    for answers in PROMPT_KEYS:
        others = {name for key in (*PANEL_KEYS, *KEYS) for name in key_names(key, used)}
        names = [name for key in answers for name in {*key_names(key, used)}]
        assert len(names) == len({*names})
        assert others.isdisjoint(names)
