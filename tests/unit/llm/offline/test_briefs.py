"""Tasks of sub-agents: words for people that are read back exactly."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from code_assistant.llm.offline.briefs import (
    FindTask,
    FolderTask,
    ProjectTask,
    SymbolTask,
    Task,
    TopicTask,
    brief,
    description,
    read_brief,
)
from code_assistant.subagents.references import REFERENCE_SUFFIX
from code_assistant.subagents.spawn_input import SpawnInput
from tests.rows import each_row

NAMES = st.text(min_size=1, max_size=100).filter(lambda text: text.isprintable()) | st.text(max_size=30)
TASKS = st.one_of(
    st.builds(FolderTask, NAMES, st.booleans()),
    st.builds(ProjectTask, st.lists(NAMES, min_size=1, max_size=5).map(tuple)),
    st.builds(SymbolTask, NAMES, NAMES),
    st.builds(FindTask, NAMES, NAMES),
    st.builds(TopicTask, NAMES, st.lists(NAMES, min_size=1, max_size=5).map(tuple)),
)


@given(TASKS)
def test_a_task_is_read_back(task: Task) -> None:
    words = brief(task)
    assert read_brief(words + REFERENCE_SUFFIX) == task
    SpawnInput(instructions=words, description=description(task))


def test_the_words_are_for_people() -> None:
    assert brief(FolderTask("src/shop")).startswith('Explore the folder "src/shop".\nCount files and lines, ')
    assert description(FolderTask("src/shop")) == "Explore src/shop/"


@each_row("text", ["", "Explore the folder src", 'Explore the folder "src" and mend it.', "where is x?"])
def test_other_words_are_no_task(text: str) -> None:
    assert read_brief(text) is None
