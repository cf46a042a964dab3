"""Thinking in tags at an answer's beginning, however it is cut into pieces."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from code_assistant.llm.openai.think_tags import ThinkTags
from tests.rows import each_row


def split(pieces: list[str]) -> tuple[str, str]:
    """What was thought and what was said."""
    tags = ThinkTags()
    found = [*(each for piece in pieces for each in tags.feed(piece)), *tags.finish()]
    assert all(each.text for each in found)
    thought = "".join(each.text for each in found if each.is_thinking)
    return thought, "".join(each.text for each in found if not each.is_thinking)


@each_row(
    ("text", "thought", "said"),
    [
        ("<think>hm</think>yes", "hm", "yes"),
        ("\n <think>\nhm\n</think>\n\nyes\n", "\nhm\n", "yes\n"),
        ("<think></think>\n\nyes", "", "yes"),
        ("<think>never closed </thin", "never closed </thin", ""),
        ("<think>a < b </ think></think>c", "a < b </ think>", "c"),
        ("yes <think>no</think>", "", "yes <think>no</think>"),
        ("<thinker>", "", "<thinker>"),
        ("<thin", "", "<thin"),
        (" \n", "", " \n"),
        ("", "", ""),
        ("<think>a</think>b<think>c</think>", "a", "b<think>c</think>"),
    ],
)
def test_every_cut_gives_the_same(text: str, thought: str, said: str) -> None:
    assert split([text]) == (thought, said)
    assert split(list(text)) == (thought, said)
    for at in range(len(text)):
        assert split([text[:at], text[at:]]) == (thought, said)


@given(st.lists(st.sampled_from(["<think>", "</think>", "<", "</", "think>", "a", "\n", " b"]), max_size=8), st.data())
def test_random_cuts_change_nothing(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert split(pieces) == split([text])


def test_text_is_not_held_back_longer_than_it_must() -> None:
    tags = ThinkTags()
    assert [each.text for each in tags.feed("<think>one two</")] == ["one two"]
    assert [each.text for each in tags.feed("b>")] == ["</b>"]


def test_safe_r7_endless_space_at_the_beginning_is_not_held_back() -> None:
    tags = ThinkTags()
    said = sum(len(each.text) for _ in range(1000) for each in tags.feed("\n"))
    assert said == 1000
