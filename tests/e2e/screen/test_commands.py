"""Slash commands, completion, keys: each does what the help says."""

from __future__ import annotations

from tests.e2e.program import Program
from tests.e2e.screen.pty_screen import PtyScreen, opened
from tests.e2e.screen.requests import prompts, results, words
from tests.e2e.screen.terminal_bytes import copies_in, unsafe
from tests.fakes.script import call, text, thinking, turn
from tests.fakes.server import ScriptedServer


def close(screen: PtyScreen, *shown: str) -> None:
    """Whatever is open over the screen, once it is there to its last line."""
    screen.wait_for(*shown, "╭", "╰", "· ↑↓")
    screen.press("escape")
    screen.wait(lambda: "╭" not in screen.text and "shift+tab mode" in screen.activity, "the screen below")
    assert screen.draft == ""


def test_commands(program: Program, server: ScriptedServer) -> None:
    server.script_default(
        [
            turn(text("An *answer* [/foo].")),
            turn(text("Of another model.")),
        ]
    )
    server.script("afresh", [turn(text("A new beginning."))])
    with opened(program) as screen:
        screen.wait_ready()
        screen.ask("/copy")
        screen.wait_for("There is no answer to copy yet.")
        screen.ask("one")
        screen.wait_for("An answer [/foo].")
        screen.wait_idle()
        screen.ask("/help")
        close(screen, "Help", "/permissions", "/rewind", "go back to an earlier message")
        screen.press("?")
        close(screen, "Keys")
        screen.ask("/cost")
        close(screen, "Cost of this session", "all tokens         120")
        # The model is picked from a list that is filtered by typing; the next request goes to it.
        screen.ask("/model")
        screen.wait_for("enter pick", "claude-haiku-4-5")
        screen.send("haiku45")
        screen.wait_gone("claude-opus-5-5")
        screen.press("enter")
        screen.wait(lambda: "claude-haiku-4-5" in screen.status, "the other model")
        screen.ask("two")
        screen.wait_for("Of another model.")
        screen.wait_idle()
        # A theme is seen while one moves in the list, and put back by Esc.
        screen.ask("/theme")
        screen.wait_for("enter pick", "harbor-light")
        dark = screen.background(0, 0)
        screen.press("down")
        screen.wait(lambda: screen.background(0, 0) != dark, "another background")
        screen.press("escape")
        screen.wait(lambda: screen.background(0, 0) == dark and "enter pick" not in screen.text, "the old background")
        screen.ask("/theme harbor-light")
        screen.wait(lambda: screen.background(0, 0) != dark, "the light theme")
        screen.ask("/theme nosuch")
        screen.wait_for("There is no theme 'nosuch'")
        screen.ask("/permissions")
        screen.wait_for("choose the mode", "accept-edits", "yolo", "enter pick")
        screen.press("down", "enter")
        screen.wait(lambda: "accept-edits" in screen.status, "the mode")
        screen.ask("/copy")
        screen.wait_for("Copied the last answer.")
        # What cannot be done is said, and stays written.
        screen.ask("/hlep")
        screen.wait_for("There is no command /hlep. Did you mean /help?")
        screen.wait_draft("/hlep")
        screen.press("ctrl+c")
        screen.ask("/mcp")
        screen.wait_for("/mcp is not available yet")
        screen.wait_draft("/mcp")
        screen.press("ctrl+c")
        # A new conversation: nothing of the old one is seen or sent.
        screen.ask("/new")
        screen.wait_gone("An answer")
        screen.ask("afresh")
        screen.wait_for("A new beginning.")
        screen.wait_idle()
        assert prompts(server) == ["afresh"]
        assert "accept-edits" in screen.status
        screen.ask("/quit")
        assert screen.finish() == 0
    assert server.requests[1].body["model"].startswith("claude-haiku-4-5")
    assert copies_in(screen.written) == ["Of another model."]
    assert screen.after_screen.split("\n\n")[0].endswith("A new beginning.")
    assert server.problems == []
    assert unsafe(screen.written) == []


def test_keys(program: Program, server: ScriptedServer) -> None:
    (program.folder / "docs").mkdir()
    (program.folder / "docs" / "a b [red].md").write_text("x")
    (program.folder / ".gitignore").write_text("ignored.md\n")
    (program.folder / "ignored.md").write_text("x")
    server.script_default(
        [
            turn(thinking("A secret thought."), text("I look."), call("read_files", {"paths": ["tax.py"]})),
            turn(text("Done.")),
            turn(call("edit", {"path": "tax.py", "edits": [{"old_text": "0.2", "new_text": "0.19"}]})),
            turn(text("Planned.")),
        ]
    )
    with opened(program) as screen:
        screen.wait_ready()
        # Letters and Ctrl+C that arrive together, as over a slow line, are taken in their order.
        screen.send("abc\x03def\x03xyz")
        screen.wait_draft("xyz")
        assert "again to quit" not in screen.text
        screen.press("ctrl+c")
        screen.wait_draft("")
        # A file is completed after @; what git ignores is not offered.
        screen.send("see @ignored")
        screen.wait_draft("see @ignored")
        screen.press("ctrl+c")
        screen.wait_draft("")
        screen.send("see @ab")
        screen.wait_for("docs/a b [red].md")
        screen.press("tab")
        screen.wait_draft('see @"docs/a b [red].md"')
        screen.send("and @tax")
        screen.wait(lambda: any(row.strip() == "› tax.py" for row in screen.rows), "the list")
        assert "ignored.md" not in screen.text
        screen.press("tab", "enter")
        screen.wait_for("Done.")
        screen.wait_idle()
        assert prompts(server) == ['see @"docs/a b [red].md" and @tax.py ']
        # The details of all tools, and back.
        assert "RATE = 0.2" not in screen.text
        screen.press("ctrl+o")
        screen.wait_for("RATE = 0.2")
        screen.press("ctrl+o")
        screen.wait_gone("RATE = 0.2")
        # One block after the other is marked; space unfolds, c copies, a letter goes to the composer.
        assert "A secret thought." not in screen.text
        screen.press("alt+up")
        screen.wait_for("▌ Done.")
        screen.press("alt+up")
        screen.wait_for("▌ ✓ Read tax.py")
        screen.press("space")
        screen.wait_for("RATE = 0.2")
        screen.press("space")
        screen.wait_gone("RATE = 0.2")
        screen.press("alt+up")
        screen.wait_for("▌ I look.")
        screen.press("c")
        screen.wait_for("Copied.")
        screen.press("alt+up")
        screen.wait_for("▌ ▸ Thought")
        screen.press("space")
        screen.wait_for("A secret thought.")
        screen.press("alt+down")
        screen.wait_for("▌ I look.")
        screen.press("x")
        screen.wait_draft("x")
        screen.press("ctrl+c")
        screen.wait_draft("")
        # The modes go round, and the model is told of plan mode.
        for mode in ("accept-edits", "plan", "ask", "accept-edits", "plan"):
            screen.press("shift+tab")
            screen.wait(lambda mode=mode: f"· {mode}" in screen.status, mode)
        screen.ask("change it")
        screen.wait_for("Planned.")
        assert "Plan mode is on" in "\n".join(prompts(server, 2))
        assert "plan mode is on, in which nothing is changed" in words(results(server)[0])
        assert (program.folder / "tax.py").read_text().startswith("RATE = 0.2\n")
        screen.press("ctrl+d")
        assert screen.finish() == 0
    assert copies_in(screen.written) == ["I look."]
    assert server.problems == []
    assert unsafe(screen.written) == []
