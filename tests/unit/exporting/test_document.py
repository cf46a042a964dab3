"""A whole session as a document: what is told, in which order, and what is not."""

from __future__ import annotations

from pathlib import Path

from code_assistant.events import MAIN, Event, OutputAdded, PromptReturned, TextDelta, ThinkingDelta
from code_assistant.exporting.document import document_of
from code_assistant.exporting.html import as_html
from code_assistant.exporting.markdown import as_markdown
from code_assistant.exporting.parts import AgentWork, Answer, Remark, Said, Thought, ToolUse
from code_assistant.exporting.telling import RETURNED_WORDS
from code_assistant.json_forms import TextFilter
from code_assistant.secrets import Masker
from tests.unit.exporting.long_session import long_past
from tests.unit.session.made import agent, call, prompt, request, said, spawned, store_in, used, write_session

GOLDEN = Path(__file__).with_name("long_session.md")


def test_everything_in_its_place(tmp_path: Path) -> None:
    past = long_past(store_in(tmp_path))
    assert as_markdown(document_of(past, str)).replace(past.header.id, "SESSION") == GOLDEN.read_text("utf-8")


def test_both_forms_tell_the_same(tmp_path: Path) -> None:
    page = as_html(document_of(long_past(store_in(tmp_path)), str))
    order = [
        "Where is the *tax*?",
        "[1 image]",
        "Two agents, then.",
        "I will send two agents.",
        "Sub-agent scout",
        "Read tax.py",
        "Told inside of the agent only.",
        "Sub-agent deep",
        "The service is gone.",
        "It is in <code>tax.py:1</code>.",
        "Sub-agent lost",
        "Said (cut off)",
        "Sub-agent cancelled by user.",
        "<h3>The tax</h3>",
        "The conversation was compacted here",
        "They talked about *taxes*.",
        '<span class="added">+RATE = 0.25</span>',
        "collecting…",
        "Interrupted.",
        "And now?",
        "Assistant (cut off)",
        "As I was about to say",
    ]
    places = [page.index(each, page.index("</dl>")) for each in order]
    assert places == sorted(places)
    assert "This was rewound." not in page
    assert "Half of" not in page
    assert page.count("Told inside of the agent only.") == 1


def test_agents_are_folded_inside_of_each_other(tmp_path: Path) -> None:
    parts = document_of(long_past(store_in(tmp_path)), str).parts
    scout, lost = (part for part in parts if isinstance(part, AgentWork))
    (deep,) = (part for part in scout.parts if isinstance(part, AgentWork))
    assert [(each.name, each.status.words) for each in (scout, deep, lost)] == [
        ("scout", "completed"),
        ("deep", "failed"),
        ("lost", "cancelled"),
    ]
    assert (deep.parts, deep.answer) == ((Answer("Digging."),), "")


def test_what_never_ended_is_interrupted_unless_it_is_still_open(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    events: list[Event] = [
        prompt("go"),
        request(),
        ThinkingDelta(MAIN, "hm"),
        TextDelta(MAIN, "so"),
        call("c1", "execute_command", "Run it", command="make"),
        OutputAdded(MAIN, "c1", "one\n"),
        call("c2", "spawn_agent", "Agent"),
        spawned(agent("scout", "c2"), "Look", "Look."),
    ]
    scout: list[Event] = [
        spawned(agent("scout", "c2"), "Look", "Look."),
        request(1, agent("scout", "c2")),
        used(70, origin=agent("scout", "c2")),
        TextDelta(agent("scout", "c2"), "I see"),
    ]
    session_id = write_session(store, events, [scout])
    document = document_of(store.read(session_id), str)
    person, thought, tool, work, words = document.parts
    assert isinstance(person, Said)
    assert thought == Thought("hm", is_cut=True)
    assert words == Answer("so", is_cut=True)
    assert isinstance(tool, ToolUse)
    assert isinstance(work, AgentWork)
    assert (tool.status.words, tool.detail) == ("interrupted", "one\n")
    assert (work.status.words, work.parts) == ("interrupted", (Answer("I see", is_cut=True),))
    assert {fact.name: fact.value for fact in document.facts}["Tokens"] == "70 sent, 10 received"
    files, past = store.open(session_id)
    try:
        assert isinstance(work := document_of(past, str).parts[3], AgentWork)
        assert work.status.words == "still running"
    finally:
        files.close()


def test_keys_are_taken_out_of_everything(tmp_path: Path) -> None:
    words = ("tax", "Look", "taxes", "make test", "scout", "Digging", "RATE", "shop", "collecting")
    document = document_of(long_past(store_in(tmp_path)), _without(words))
    for text in (as_markdown(document), as_html(document)):
        body = text.partition("</style>")[2] or text
        assert [word for word in words if word in body] == []


def _without(words: tuple[str, ...]) -> TextFilter:
    def mask(text: str) -> str:
        for word in words:
            text = text.replace(word, "#")
        return text

    return mask


def test_the_masker_of_the_program_is_such_a_filter(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    past = store.read(write_session(store, [prompt("my key is sk-secret-1"), request(), said("sk-secret-1!")]))
    document = document_of(past, Masker(("sk-secret-1",)).mask)
    assert "sk-secret" not in as_markdown(document) + as_html(document)


def test_a_file_that_names_itself_as_its_child(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    scout = agent("scout", "c1")
    looped: list[Event] = [spawned(scout, "Look", "Look."), call("c1", "spawn_agent", "Agent", scout)]
    past = store.read(write_session(store, [prompt("go"), call("c1", "spawn_agent", "Agent"), looped[0]], [looped]))
    (work,) = (part for part in document_of(past, str).parts if isinstance(part, AgentWork))
    assert isinstance(work.parts[0], ToolUse)


def test_damaged_lines_cost_themselves_only(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    past = long_past(store)
    with past.folder.main_file.open("ab") as file:
        file.write(b'{"type":"Notice","at":1}\nrubbish\n{"type":"Not')
    past.look_again()
    assert len(document_of(past, str).parts) == len(document_of(long_past(store), str).parts)


def test_a_prompt_that_came_back_is_said(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    past = store.read(write_session(store, [prompt("go"), PromptReturned(MAIN, "p1", ())]))
    assert document_of(past, str).parts[-1] == Remark("warning", RETURNED_WORDS)
