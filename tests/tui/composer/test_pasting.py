"""What a paste is."""

from __future__ import annotations

from code_assistant.tui.composer.pasting import cleaned, image_paths, is_folded
from tests.rows import each_row


def test_only_the_marks_of_the_paste_itself_are_taken_away() -> None:
    assert cleaned("\x1b[200~a\x1b[31mb\x1b[201~") == "a\x1b[31mb"
    assert cleaned("a\rb\r\nc\nd") == "a\nb\nc\nd"
    assert cleaned("tab\t\u200b[/foo]") == "tab\t\u200b[/foo]"


@each_row(
    ("text", "expected"),
    [
        ("x" * 1000, False),
        ("x" * 1001, True),
        ("a\n" * 9 + "a", False),
        ("a\n" * 10 + "a", True),
        ("\U0010e000", True),
    ],
)
def test_big_pastes_are_folded(text: str, expected: bool) -> None:
    assert is_folded(text) is expected


@each_row(
    ("text", "paths"),
    [
        ("/tmp/a.png", [("/tmp/a.png",)]),
        (" /tmp/A.PNG\n", [("/tmp/A.PNG",)]),
        ("/tmp/a b.png", [("/tmp/a b.png",)]),
        (r"/tmp/a\ b.png", [(r"/tmp/a\ b.png",), ("/tmp/a b.png",)]),
        ("'/tmp/a b.png'", [("/tmp/a b.png",)]),
        ('"/tmp/a b.webp"', [("/tmp/a b.webp",)]),
        ("file:///tmp/a%20b.jpg", [("/tmp/a b.jpg",)]),
        ("file://localhost/tmp/a.gif", [("/tmp/a.gif",)]),
        ("~/a.jpeg", [("~/a.jpeg",)]),
        ("/a.png /b.png", [("/a.png /b.png",), ("/a.png", "/b.png")]),
        ("'/a.png' '/b.png'", [("/a.png", "/b.png")]),
        ("a.png", []),
        ("https://x.org/a.png", []),
        ("see /tmp/a.png", []),
        ("/tmp/a.txt", []),
        ("/tmp/it's.png", [("/tmp/it's.png",)]),
        ("/tmp/a.png\nand more.png", []),
        ("", []),
        ("file://[bad.png", []),
    ],
)
def test_dropped_images_are_known_by_their_paths(text: str, paths: list[tuple[str, ...]]) -> None:
    assert image_paths(text) == paths
