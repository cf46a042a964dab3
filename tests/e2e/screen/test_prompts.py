"""Prompts: what is asked is shown whole, what is answered happens, and nothing typed before is an answer."""

from __future__ import annotations

from itertools import count, cycle
from random import Random

import pytest

from code_assistant.tui.prompts.safe_typing import QUIET_SECONDS, SEEN_SECONDS
from tests.e2e.program import Program
from tests.e2e.screen.pty_screen import KEYS, PtyScreen, opened
from tests.e2e.screen.requests import results, words
from tests.e2e.screen.terminal_bytes import unsafe
from tests.fakes.script import Block, Gate, call, hold, raw_call, text, turn
from tests.fakes.server import ScriptedServer
from tests.hang_guard import HANG_GUARD

WAITING = "1 approval waiting (f8)"
ALLOW = "Allow once"
FRAME = set("┏┃┗┌│└╭╰")


def edit(old: str, new: str) -> Block:
    return call("edit", {"path": "tax.py", "edits": [{"old_text": old, "new_text": new}]})


def seen_long_enough(screen: PtyScreen) -> None:
    """A prompt takes keys and clicks only when it has been in sight for a while: part of what is tested here.

    Where it stands is part of it: what is painted around it may still move it.
    """
    screen.wait_still(lambda: [(at, row) for at, row in enumerate(screen.rows) if FRAME & set(row)], SEEN_SECONDS)


def rest(screen: PtyScreen) -> None:
    """Keys belong together as long as no such pause lies between them, and the first of them decides."""
    screen.wait_still(lambda: shown_rows(screen), QUIET_SECONDS)


def shown_rows(screen: PtyScreen) -> list[str]:
    """What is inside the frame of the prompt that has the focus; the last column is the scroll bar's."""
    return [row[: screen.size[0] - 1].strip("┃ ") for row in screen.rows if row.strip().startswith("┃")]


def inside(screen: PtyScreen) -> str:
    """The same as one text, as if its rows had not been wrapped."""
    return "".join(row.removeprefix("┊ ") for row in shown_rows(screen))


def go_to_prompt(screen: PtyScreen) -> None:
    screen.wait_for(WAITING)
    screen.press("f8")
    screen.wait_for("┏", "[y Allow once]")
    seen_long_enough(screen)


def test_keys_of_ones_own_answer(program: Program, server: ScriptedServer) -> None:
    question = {"question": "Which?", "choices": [{"label": "SQLite"}, {"label": "PostgreSQL"}]}
    server.script_default([turn(edit("0.2\n", "0.19\n")), turn(call("ask_user", question)), turn(text("Done."))])
    settings = program.home / ".config" / "code-assistant" / "config.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text('[keys]\nallow_once = "o"\nchoose_2 = "ctrl+b"\nno_answer = "tab"\n')
    with opened(program) as screen:
        screen.wait_ready()
        screen.wait_for("keys.no_answer = 'tab' does not count")
        screen.ask("go")
        screen.wait_for(WAITING)
        screen.press("f8")
        screen.wait_for("[o Allow once]")
        seen_long_enough(screen)
        screen.send("y")
        screen.wait_draft("y")
        screen.press("f8")
        screen.wait_for("[o Allow once]")
        screen.send("o")
        screen.wait_for("ctrl+b PostgreSQL")
        screen.press("f8")
        screen.wait_for("[n Do not answer]")
        seen_long_enough(screen)
        screen.send("\x02")
        screen.wait_for("Done.")
    assert (program.folder / "tax.py").read_text().startswith("RATE = 0.19")
    assert "PostgreSQL" in words(results(server)[-1])


def test_answers(program: Program, server: ScriptedServer) -> None:
    file = program.folder / "tax.py"
    server.script_default(
        [
            turn(edit("0.2\n", "0.19\n")),
            turn(text("First.")),
            turn(edit("0.19", "0.5")),
            turn(text("Second.")),
            turn(edit("0.19", "0.18")),
            turn(text("Third.")),
            turn(edit("0.18", "0.17")),
            turn(text("Fourth.")),
            turn(call("execute_command", {"command": "echo ran > ran.txt"})),
            turn(text("Fifth.")),
            turn(call("execute_command", {"command": "echo clicked > clicked.txt"})),
            turn(text("Sixth.")),
            turn(call("delete_files", {"paths": ["README.md"]})),
            turn(text("Seventh.")),
        ]
    )
    with opened(program) as screen:
        screen.wait_ready()
        # Allowed once, after the diff was seen.
        screen.ask("one")
        screen.wait_for("wants to edit tax.py", "-RATE = 0.2", "+RATE = 0.19", WAITING)
        screen.wait(lambda: screen.modes.title == "? code-assistant waits for you", "the title")
        screen.wait(lambda: b"\x07" in screen.written, "the bell")
        assert file.read_text().startswith("RATE = 0.2\n")
        go_to_prompt(screen)
        screen.press("y")
        screen.wait_for("First.", "Edited tax.py  +1")
        screen.wait_idle()
        assert file.read_text().startswith("RATE = 0.19\n")
        screen.wait_gone(WAITING)
        # Denied with a reason: the model is told, the file stays.
        screen.ask("two")
        go_to_prompt(screen)
        screen.press("r")
        screen.wait_for("deny, because")
        screen.send("use a named constant")
        screen.wait_for("use a named constant")
        screen.press("enter")
        screen.wait_for("Second.")
        (denied,) = results(server)
        assert denied["is_error"] is True
        assert "use a named constant" in words(denied)
        assert file.read_text().startswith("RATE = 0.19\n")
        assert screen.draft == ""
        # Always in this session: asked once, then never again.
        screen.wait_idle()
        screen.ask("three")
        go_to_prompt(screen)
        screen.wait_for("always would store: EditFile(/tax.py)")
        screen.press("s")
        screen.wait_for("Third.")
        screen.wait_idle()
        screen.ask("four")
        screen.wait_for("Fourth.")
        assert file.read_text().startswith("RATE = 0.17\n")
        # Hidden, it is still counted; F8 brings it back.
        screen.wait_idle()
        screen.ask("five")
        go_to_prompt(screen)
        screen.press("escape")
        screen.wait_gone(ALLOW)
        screen.type("a draft meanwhile: y")
        assert WAITING in screen.activity
        assert not (program.folder / "ran.txt").exists()
        go_to_prompt(screen)
        screen.wait_for("┃ echo ran > ran.txt")
        screen.press("y")
        screen.wait_for("Fifth.")
        assert (program.folder / "ran.txt").read_text() == "ran\n"
        assert screen.draft == "a draft meanwhile: y"
        screen.press("ctrl+c")
        screen.wait_draft("")
        # The mouse, too.
        screen.wait_idle()
        screen.ask("six")
        screen.wait_for(ALLOW)
        seen_long_enough(screen)
        screen.click_on(ALLOW)
        screen.wait_for("Sixth.")
        assert (program.folder / "clicked.txt").read_text() == "clicked\n"
        # Denied by a key.
        screen.wait_idle()
        screen.ask("seven")
        go_to_prompt(screen)
        screen.press("n")
        screen.wait_for("Seventh.")
        assert results(server)[0]["is_error"] is True
        assert (program.folder / "README.md").exists()
        screen.ask("/quit")
        assert screen.finish() == 0
    assert server.problems == []
    assert unsafe(screen.written) == []


def test_questions_and_plans(program: Program, server: ScriptedServer) -> None:
    choices = [{"label": "nineteen", "description": "as elsewhere"}, {"label": "twenty"}]
    plan = call("present_plan", {"plan": "# The plan\n\n1. **Edit** tax.py\n"})
    server.script_default(
        [
            turn(call("ask_user", {"question": "Which rate?", "choices": choices})),
            turn(text("Nineteen then.")),
            turn(call("ask_user", {"question": "Why, though?"})),
            turn(text("I see.")),
            turn(plan),
            turn(plan),
            turn(edit("0.2\n", "0.19\n")),
            turn(text("All done.")),
        ]
    )

    def go_to(*texts: str) -> None:
        screen.wait_for(*texts, "waiting (f8)")
        screen.press("f8")
        screen.wait_for("┏")
        seen_long_enough(screen)

    with opened(program, "--permission-mode", "plan") as screen:
        screen.wait_ready()
        screen.ask("one")
        go_to("Which rate?", "nineteen", "as elsewhere", "twenty")
        screen.press("1")
        screen.wait_for("Nineteen then.")
        assert "nineteen" in words(results(server)[0])
        screen.wait_idle()
        screen.ask("two")
        go_to("Why, though?")
        screen.send("tbecause y and n")
        screen.wait_for("because y and n")
        screen.press("enter")
        screen.wait_for("I see.")
        assert "because y and n" in words(results(server)[0])
        screen.wait_idle()
        # A plan is turned down with words first, then approved into the mode in which edits run.
        screen.ask("three")
        go_to("The plan", "Edit tax.py")
        screen.send("nname the file")
        screen.wait_for("name the file")
        screen.press("enter")
        server.wait_requests(6, HANG_GUARD)
        assert "name the file" in words(results(server, 5)[0])
        go_to("not approved", "The plan")
        screen.press("a")
        screen.wait_for("All done.")
        assert (program.folder / "tax.py").read_text().startswith("RATE = 0.19\n")
        screen.wait(lambda: "accept-edits" in screen.status, "the mode")
    assert server.problems == []


def test_safe_b6_the_whole_command_is_shown_and_what_is_shown_runs(program: Program, server: ScriptedServer) -> None:
    long = "\n".join(f"echo line-{number} >> long.txt" for number in range(1, 121))
    hidden = "printf '%s' 'a\u200bb\u202ec\x1bd\te  ' > hidden.txt  "
    wide = "printf '%s' '" + "x" * 300 + "THE-END' > wide.txt"
    twice = '{"command": "touch shown.txt", "command": "touch evil.txt"}'
    asked = [call("execute_command", {"command": each}) for each in (long, hidden, wide)]
    server.script_default([turn(*asked), turn(raw_call("execute_command", twice)), turn(text("Done."))])
    with opened(program) as screen:
        screen.wait_ready()
        screen.ask("go")
        screen.wait_for(WAITING)
        screen.press("f8")
        screen.wait_for("┏", "line-1 >>", "of 120")
        seen: set[str] = set()
        for page in count():
            assert page < 20, f"the end is never in sight: {screen.text}"
            panel = shown_rows(screen)
            seen |= set(panel)
            if any("line-120 >>" in row for row in panel):
                break
            screen.press("pagedown")
            screen.wait(lambda panel=panel: shown_rows(screen) != panel, "the next page")
        assert {f"echo line-{number} >> long.txt" for number in range(1, 121)} <= seen
        rest(screen)
        screen.press("y")
        screen.wait_for("> hidden.txt", WAITING)
        screen.press("f8")
        screen.wait(lambda: any(row.startswith("printf") for row in shown_rows(screen)), "the command")
        shown = next(row for row in shown_rows(screen) if row.startswith("printf"))
        assert shown == "printf '%s' 'a⟨U+200B⟩b⟨U+202E⟩c␛d→   e  ' > hidden.txt··"
        assert "invisible characters" in screen.text
        seen_long_enough(screen)
        screen.press("y")
        screen.wait_for("> wide.txt", WAITING)
        screen.press("f8")
        screen.wait(lambda: wide in inside(screen).replace("·", " "), "the whole command")
        seen_long_enough(screen)
        screen.press("y")
        server.wait_requests(2, HANG_GUARD)
        assert (program.folder / "long.txt").read_text().split() == [f"line-{number}" for number in range(1, 121)]
        assert (program.folder / "hidden.txt").read_text() == "a\u200bb\u202ec\x1bd\te  "
        assert (program.folder / "wide.txt").read_text().endswith("xTHE-END")
        # Two commands under one name, of which only one could be shown: neither runs.
        screen.wait_for("Done.", "a key is given twice")
        assert not list(program.folder.glob("shown.txt")) + list(program.folder.glob("evil.txt"))
    assert unsafe(screen.written) == []


def test_safe_r10_no_key_typed_before_answers(program: Program, server: ScriptedServer) -> None:
    first, second = Gate("first"), Gate("second")
    server.script_default(
        [
            turn(text("Wait."), hold(first), call("execute_command", {"command": "touch burst.txt"})),
            turn(text("Wait more."), hold(second), call("execute_command", {"command": "touch draft.txt"})),
            turn(text("Done.")),
        ]
    )
    with opened(program) as screen:
        screen.wait_ready()
        screen.ask("go")
        screen.wait_for("Wait.")
        # Keys that would answer, one after the other, over the moment in which the prompt comes up.
        first.open()
        keys = cycle("ysanr")
        screen.type(key := next(keys))
        while WAITING not in screen.text:
            # In one go: who rests with nothing written has quiet hands.
            key = next(keys)
            screen.send(f"{KEYS['backspace']}{key}")
            screen.wait_draft(key)
        screen.send("y")
        screen.wait_draft(f"{key}y")
        assert WAITING in screen.text
        assert "┏" not in screen.text
        assert len(server.requests) == 1
        assert not (program.folder / "burst.txt").exists()
        # With an empty composer and quiet hands the focus moves by itself; then the same key answers.
        screen.press("backspace", "backspace")
        screen.wait_for("┏", "[y Allow once]")
        assert screen.draft == ""
        seen_long_enough(screen)
        screen.press("y")
        screen.wait_for("Wait more.")
        assert (program.folder / "burst.txt").exists()
        # With a draft the focus stays, and everything typed goes on in it.
        screen.type("yes, an")
        second.open()
        screen.wait_for(WAITING)
        screen.send("d no: ynasr")
        screen.wait_draft("yes, and no: ynasr")
        assert "┏" not in screen.text
        assert len(server.requests) == 2
        assert not (program.folder / "draft.txt").exists()
        screen.press("f8")
        screen.wait_for("┏")
        seen_long_enough(screen)
        screen.press("y")
        screen.wait_for("Done.")
        assert (program.folder / "draft.txt").exists()
        assert screen.draft == "yes, and no: ynasr"
    assert server.problems == []


@pytest.mark.parametrize("seed", [1, 2])
def test_safe_r10_a_flood_of_keys_answers_nothing_and_loses_nothing(
    program: Program, server: ScriptedServer, seed: int
) -> None:
    """Faster than the screen can take them, before, while and after the prompt comes up."""
    keys, draft = Random(seed), ""
    gate = Gate("prompt")
    command = call("execute_command", {"command": "touch flooded.txt"})
    server.script_default([turn(text("Wait."), hold(gate), command), turn(text("Answered."))])

    def flood(screen: PtyScreen, number: int) -> str:
        written = draft
        for _ in range(number):
            key = keys.choice("ynasr" if not written or (keys.random() < 0.55 and len(written) < 80) else "\x7f")
            written = written[:-1] if key == "\x7f" else written + key
            screen.send(key)
        return written

    with opened(program) as screen:
        screen.wait_ready()
        screen.ask("go")
        screen.wait_for("Wait.")
        draft = flood(screen, 100)
        gate.open()
        while WAITING not in screen.text:
            before = len(screen.written)
            draft = flood(screen, 5)
            # Keys that nobody takes would only pile up.
            screen.wait(lambda before=before: len(screen.written) > before, "something is painted")
        draft = flood(screen, 200) + "y"
        screen.send("y")
        screen.wait_draft(draft)
        assert WAITING in screen.text
        assert len(server.requests) == 1
        assert not (program.folder / "flooded.txt").exists()
