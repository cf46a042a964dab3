"""Text of others in every place of the screen: not one byte of it acts on the terminal, and prompts show it all."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.program import Program
from tests.e2e.screen.pty_screen import PtyScreen, opened
from tests.e2e.screen.terminal_bytes import copies_in, unsafe
from tests.e2e.screen.test_prompts import WAITING, inside, seen_long_enough
from tests.fakes.script import call, error_event, status, text, thinking, turn
from tests.fakes.server import ScriptedServer

CLICK = "[@click=app.quit]Z[/]"
HOSTILE = (
    "a\x1b[2J\x1b]52;c;aGk=\x07b\x1b]8;;http://x\x1b\\c\x9b31m\x85\x7f\x08\x0b\x1bP1$tq\x1b\\d[/foo]"
    f"{CLICK}\u202e\u2066e\u200b\ufeff\U000e0041\U000e0042f\x1b]2;title\x07"
    # What Markdown would make of names is as hostile as the characters themselves.
    "g&#13;h&#12;&#27;[2J&#x9b;31m&#x202e;&#x200b;&#xE0041;&lrm;&shy;<http://z|%0d%1b%e2%80%ae>i"
)
NAME = HOSTILE.replace("/", "|")[:120]
# Names with control characters are not offered, those with invisible ones are.
OFFERED = "zz[red][/foo]\u202e\u200b\U000e0041.py".replace("/", "|")
# How something is put on the clipboard.
COPY = b"\x1b]52;"
SHOWN = "a␛[2J␛]52;c;aGk=␇b"


def allow(screen: PtyScreen, *shown: str) -> None:
    screen.wait_for(WAITING)
    screen.press("f8")
    screen.wait(lambda: all(each in inside(screen) for each in shown), f"{shown} in the prompt")
    seen_long_enough(screen)
    screen.press("y")
    screen.wait_gone("┏")


def test_safe_x1_x2_x4_hostile_text_everywhere(program: Program, server: ScriptedServer, tmp_path: Path) -> None:
    program.folder = program.folder.rename(tmp_path / NAME[:60])
    (program.folder / NAME).write_text(HOSTILE)
    (program.folder / OFFERED).write_text(HOSTILE)
    (program.folder / "AGENTS.md").write_text(f"@{NAME[:40]}nowhere\n" + "x" * 100_000)
    (program.folder / ".git").mkdir()
    (program.folder / ".git" / "HEAD").write_text("ref: refs/heads/main\x1b[31m\u202e\n")
    markdown = f"# {HOSTILE}\n\n[{HOSTILE}](http://x/{HOSTILE})\n\n```{HOSTILE}\n{HOSTILE}\n```\n\n| {HOSTILE} | b |\n"
    markdown += f"| - | - |\n| `{HOSTILE}` | **{HOSTILE}** |\n\n> {HOSTILE}\n\n- {HOSTILE}\n\nZEBRA"
    todo = [{"text": HOSTILE, "status": "in_progress"}, {"text": HOSTILE, "status": "pending"}]
    server.script_default(
        [
            turn(
                thinking(HOSTILE * 3),
                text(markdown),
                call("read_files", {"paths": [NAME, HOSTILE]}),
                call("search_files", {"pattern": "(" + HOSTILE}),
                call("list_files", {}),
                call("glob_files", {"pattern": "*"}),
                call("unknown", {HOSTILE: HOSTILE}),
                call("todo", {"items": todo}),
            ),
            turn(call("execute_command", {"command": f"printf '%s\\n' '{HOSTILE}'; exit 3"})),
            turn(call("write_file", {"path": f"new{NAME[:30]}", "content": HOSTILE})),
            turn(call("delete_files", {"paths": [NAME]})),
            turn(call("ask_user", {"question": HOSTILE, "choices": [{"label": HOSTILE[:90], "description": HOSTILE}]})),
            turn(
                call("web_fetch", {"url": "http://example.org/" + HOSTILE}),
                call("web_fetch", {"url": "http://example.org/?q=[/foo]"}),
            ),
            status(400, "invalid_request_error", HOSTILE),
            turn(text(HOSTILE), error_event("api_error", HOSTILE)),
            turn(text(f"Last: {HOSTILE}")),
        ]
    )
    with opened(program, size=(120, 50)) as screen:
        screen.wait_ready()
        # In the composer: pasted, completed after @, mentioned, in the queue, in the history.
        for pasted in (HOSTILE, "!touch evil.txt\x1b]0;\rmore\x04\x03\x1b\r"):
            screen.paste(pasted)
            screen.send("z")
            screen.wait(lambda: screen.draft.endswith("z"), "the paste and a letter")
            assert screen.draft.startswith(("[Pasted text #1", "[Pasted text #2", "!touch")), screen.draft
            screen.press("ctrl+c")
            screen.wait_draft("")
        screen.send("look @zz")
        screen.wait_for("› zz[red][|foo]⟨U+202E⟩⟨U+200B⟩⟨U+E0041⟩.py")
        screen.press("tab")
        screen.wait_draft("look @zz[red][|foo]���.py")
        screen.press("enter")
        screen.wait_for(WAITING, "ZEBRA")
        # Put aside, or it would take the keys of whoever rests with nothing written.
        screen.press("f8")
        screen.wait_for("┏")
        screen.press("escape")
        screen.wait_gone("┏")
        screen.paste("q" + HOSTILE)
        screen.press("enter")
        screen.wait_for("queued")
        screen.press("up")
        screen.wait_gone("queued")
        screen.press("ctrl+c")
        screen.wait_draft("")
        # Prompts show all of it, each character that cannot be seen by its stand-in.
        allow(
            screen, f"printf '%s\\n' '{SHOWN}", "⟨U+009B⟩31m⟨U+0085⟩␡␈␋", "[/foo]", CLICK, "⟨U+202E⟩⟨U+2066⟩e⟨U+200B⟩"
        )
        allow(screen, "⟨U+FEFF⟩⟨U+E0041⟩⟨U+E0042⟩f")
        allow(screen, "␛[2J")
        screen.wait_for("waiting (f8)")
        screen.press("f8")
        screen.wait_for("┏", SHOWN)
        seen_long_enough(screen)
        screen.press("1")
        screen.wait_for(WAITING, "wants to fetch", "http://example.org/?q=[/foo]")
        screen.press("f8")
        screen.wait_for("┏", "[n Deny]")
        seen_long_enough(screen)
        screen.press("n")
        screen.wait_for("Press Enter")
        screen.wait_idle()
        screen.press("enter")
        screen.wait(lambda: screen.text.count("Press Enter") >= 2, "failed again")
        screen.wait_idle()
        screen.press("enter")
        screen.wait_for("Last:")
        screen.wait_idle()
        # All unfolded, in other widths, marked, copied, clicked; nothing in it is a command.
        screen.press("ctrl+o")
        for size in ((40, 20), (90, 55), (120, 50)):
            screen.resize(size)
            for _ in range(12):
                screen.press("pageup")
            for _ in range(12):
                screen.press("pagedown")
            screen.press("alt+up")
            screen.wait(lambda: screen.is_marked, "a mark")
            copied = screen.written.count(COPY)
            screen.press("alt+up", "space", "c")
            # Escape would overtake it, and without a mark a letter is for the composer.
            screen.wait(lambda copied=copied: screen.written.count(COPY) > copied, "a copy")
            screen.press("escape")
            screen.wait(lambda: not screen.is_marked, "no mark")
        screen.press("ctrl+end")
        screen.wait_for("Last:")
        screen.wait_gone("↓ new")
        screen.click_on("Last:")
        screen.click_on("[@click", first_row=1)
        screen.press("ctrl+end")
        for words, seen in (
            (f"/theme {HOSTILE}", "There is no theme"),
            (f"/model {HOSTILE}", None),
            (f"!printf '%s' '{HOSTILE}'", "Ran printf '%s' 'a␛"),
        ):
            screen.paste(words)
            screen.wait(lambda: screen.draft != "", "the paste")
            screen.press("enter")
            screen.wait_draft("")
            if seen is not None:
                screen.wait_for(seen)
                screen.wait_idle()
        screen.press("ctrl+r")
        screen.send("printf")
        screen.wait_for("printf▏")
        screen.press("escape")
        screen.wait_gone("printf▏")
        screen.ask("/copy")
        screen.wait_for("Copied the last answer.")
        screen.ask("/permissions")
        screen.wait_for("choose the mode", "enter pick")
        screen.press("escape")
        screen.wait(lambda: "╭" not in screen.text and "shift+tab mode" in screen.activity, "the screen below")
        screen.ask("/quit")
        assert screen.finish() == 0
        assert screen.modes.is_restored, screen.modes
    assert unsafe(screen.written) == []
    assert copies_in(screen.written)[-1].startswith("Last: ")
    assert SHOWN in screen.after_screen
    assert "Traceback" not in screen.after_screen
    assert not (program.folder / "evil.txt").exists()


def test_safe_x1_x4_names_of_characters_in_answers_and_plans(program: Program, server: ScriptedServer) -> None:
    named = "Delete&#13;Keep &#12;&#x202e;gnihton &#x200b;&#xE0041;&lrm;&shy; <http://z/%0d%e2%80%ae>"
    shown = "Delete␍Keep ␌⟨U+202E⟩gnihton ⟨U+200B⟩⟨U+E0041⟩⟨U+200E⟩⟨U+00AD⟩ http://z/␍⟨U+202E⟩"
    server.script_default([turn(text(f"First: {named}"), call("present_plan", {"plan": f"# Plan\n\n{named}"}))])
    with opened(program, "--permission-mode", "plan", size=(120, 40)) as screen:
        screen.wait_ready()
        screen.ask("go")
        screen.wait_for(WAITING, "has a plan")
        screen.wait(lambda: screen.text.count(shown) == 2, "both escaped")
        screen.press("f8")
        screen.wait_for("┏")
        seen_long_enough(screen)
        screen.press("y")
        screen.wait_gone("┏")
        screen.press("ctrl+o")
        screen.wait(lambda: screen.text.count(shown) == 2, "both still escaped")
        # What a running program has written may end in the middle of a sequence.
        screen.ask("/quit")
        screen.finish()
    assert unsafe(screen.written) == []


def test_safe_k4_an_error_that_echoes_keys_shows_none(program: Program, server: ScriptedServer) -> None:
    own, foreign = "configured-key-0123", "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    program.environ["ANTHROPIC_API_KEY"] = own
    server.keys = {own}
    echo = f"bad header {own}, \x1b]0;evil\x07 not {foreign}."
    server.script_default([status(400, "invalid_request_error", echo)])
    with opened(program, "--debug") as screen:
        screen.wait_ready()
        screen.ask("hi")
        screen.wait_for("[key removed]", "[GitHub token")
        screen.ask("/quit")
        assert screen.finish() == 0
    assert unsafe(screen.written) == []
    logs = [path.read_text() for path in program.home.rglob("debug-*.jsonl")]
    assert any("[GitHub token removed]" in log for log in logs)
    for written in (screen.written.decode("utf-8", "replace"), *logs):
        assert own not in written
        assert foreign not in written
