"""Reading a conversation back: the question, its calls and results, and what the loop put between."""

from __future__ import annotations

from code_assistant.agent import compaction, limits, news, shell
from code_assistant.llm.offline.briefs import FolderTask, brief
from code_assistant.llm.offline.conversation import read_conversation
from code_assistant.llm.offline.steps import Call, Outcome, Round
from code_assistant.messages import Image, Message, Text, ToolCall, ToolResult
from code_assistant.subagents.references import REFERENCE_SUFFIX, ReferenceProblem, correction

CALL = ToolCall("c1", "list_files", {"path": "."})
RESULT = ToolResult("c1", (Text("./\n  (empty)"),))
MADE = Round((Call("list_files", {"path": "."}),), (Outcome(("./\n  (empty)",)),))


def person(*blocks: Text | ToolResult | Image | str) -> Message:
    return Message("user", tuple(Text(each) if isinstance(each, str) else each for each in blocks))


def model(*blocks: Text | ToolCall) -> Message:
    return Message("assistant", blocks)


def test_the_question_and_what_was_called_for_it() -> None:
    read = read_conversation((person("overview"), model(Text("I look."), CALL), person(RESULT)))
    assert (read.question, read.rounds) == ("overview", (MADE,))


def test_only_what_was_called_for_the_last_question_counts() -> None:
    first = (person("overview"), model(CALL), person(RESULT), model(Text("Empty.")))
    read = read_conversation((*first, person("find TODO")))
    assert (read.question, read.rounds) == ("find TODO", ())


def test_a_question_may_stand_behind_the_results_of_an_interrupted_one() -> None:
    read = read_conversation((person("overview"), model(CALL), person(RESULT, limits.INTERRUPTED_LINE, "find TODO")))
    assert (read.question, read.rounds) == ("find TODO", ())


def test_lines_of_the_program_are_no_questions() -> None:
    own = (
        limits.ANSWER_NOW_LINE,
        limits.CONTINUE_LINE,
        limits.INTERRUPTED_LINE,
        news.PLAN_LINE,
        news.PLAN_LINE_OF_CHILDREN,
        news.PLAN_OVER_LINE,
        shell.NOTE.format(command="ls", output="a.py"),
        "[Background command bg-1 (make) ended: exit code 0.]",
    )
    read = read_conversation((person("overview"), model(CALL), person(RESULT, *own)))
    assert (read.question, read.rounds) == ("overview", (MADE,))


def test_a_compacted_conversation_is_about_the_persons_last_words() -> None:
    headings = (compaction.SUMMARY_HEADING, compaction.RESULTS_HEADING)
    own = (*compaction.OURS, *compaction.OUR_BEGINNINGS, *(f"{heading}\n\nfind FIXME" for heading in headings))
    assert read_conversation((person("find TODO", *own),)).question == "find TODO"
    past = (person("overview"), model(CALL), person(RESULT), model(Text("Empty.")), person("find TODO"))
    between = compaction.shorter((*past, model(Text("Nowhere."))), "They asked.", 10_000, goes_on=False)
    assert read_conversation((*between.messages, person("what changed?"))).question == "what changed?"
    within = compaction.shorter((*past, model(CALL), person(RESULT)), "They asked.", 10_000, goes_on=True)
    assert "the last tool results" in within.kept
    assert read_conversation(within.messages).question == "find TODO"


def test_going_on_means_the_question_before() -> None:
    for words in ("continue", "Go on!", "please continue", "try again"):
        read = read_conversation((person("overview"), model(CALL), person(RESULT, limits.INTERRUPTED_LINE, words)))
        assert (read.question, read.rounds) == ("overview", ())


def test_the_request_for_references_is_no_part_of_the_question() -> None:
    read = read_conversation((person(f"find TODO{REFERENCE_SUFFIX}"),))
    assert read.question == "find TODO"


def test_piped_input_is_no_part_of_the_question() -> None:
    read = read_conversation((person("find TODO\n\n<piped-input>\nwhat changed\n</piped-input>"),))
    assert read.question == "find TODO"


def test_a_task_stays_the_same_whatever_is_said_later() -> None:
    task = FolderTask("src")
    first = (person(brief(task) + REFERENCE_SUFFIX), model(CALL), person(RESULT, "look at the tests instead"))
    read = read_conversation(first)
    assert (read.task, read.rounds, read.said_meanwhile) == (task, (MADE,), True)


def test_references_that_were_refused() -> None:
    problems = (
        ReferenceProblem("src/a.py:30", "has only 3 lines"),
        ReferenceProblem("b (old).py:1", "no such file in the workspace"),
        ReferenceProblem("", "the answer has no file reference at all"),
    )
    first = (person(brief(FolderTask("src"))), model(CALL), person(RESULT), model(Text("src/a.py:30")))
    read = read_conversation((*first, person(correction(problems))))
    assert read.refused == ("src/a.py:30", "b (old).py:1")
    assert (read.task, read.rounds, read.said_meanwhile) == (FolderTask("src"), (MADE,), False)


def test_an_image_of_this_question() -> None:
    image = Image("image/png", "")
    assert read_conversation((person(image, "what is this"),)).has_image
    later = (person(image, "hi"), model(CALL), person(RESULT), model(Text("Hello.")), person("thanks"))
    assert not read_conversation(later).has_image


def test_text_that_no_tool_could_take_is_made_harmless() -> None:
    assert read_conversation((person("find a\0b\ud800"),)).question == "find a b?"
