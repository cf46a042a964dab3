"""read_files: ranges, encodings, cuts, images, and everything that is not a file to read."""

from __future__ import annotations

import errno
import os
import socket
from base64 import b64decode

import pytest

from code_assistant.errors import ToolError
from code_assistant.messages import Image, Text
from code_assistant.tools.read_files import ReadFiles
from code_assistant.workspace import file_parts
from code_assistant.workspace.ledger import FileVersion
from code_assistant.workspace.opening import OpenFile
from code_assistant.workspace.snapshots import content_up_to_limit
from tests.unit.tools.support import Bench

TEN_LINES = "".join(f"line {number}\n" for number in range(1, 11))
PNG_START = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR"
PNG_END = b"\0\0\0\0IEND\xaeB`\x82"
PNG = PNG_START + bytes(80) + PNG_END


def numbered(first: int, last: int) -> str:
    return "\n".join(f"{number:>6}\tline {number}" for number in range(first, last + 1))


@pytest.mark.parametrize(
    ("path", "heading", "first", "last"),
    [
        ("a.txt", "a.txt (10 lines)", 1, 10),
        ("a.txt:1-10", "a.txt (10 lines)", 1, 10),
        ("a.txt:3", "a.txt (line 3 of 10)", 3, 3),
        ("a.txt:3-5", "a.txt (lines 3-5 of 10)", 3, 5),
        ("a.txt:8-", "a.txt (lines 8-10 of 10)", 8, 10),
        ("a.txt:8-99", "a.txt (lines 8-10 of 10)", 8, 10),
        ("a.txt#L3-L5", "a.txt (lines 3-5 of 10)", 3, 5),
        ("a.txt#L3-5", "a.txt (lines 3-5 of 10)", 3, 5),
        ("a.txt#L3", "a.txt (line 3 of 10)", 3, 3),
        ("./sub/../a.txt:9-10", "a.txt (lines 9-10 of 10)", 9, 10),
    ],
)
async def test_ranges_give_exactly_these_lines(bench: Bench, path: str, heading: str, first: int, last: int) -> None:
    bench.write("a.txt", TEN_LINES)
    assert await bench.text(ReadFiles(), paths=[path]) == f"{heading}\n{numbered(first, last)}"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("a.txt:11", "a.txt has 10 lines; line 11 is beyond its end."),
        ("a.txt:11-20", "a.txt has 10 lines; line 11 is beyond its end."),
        ("a.txt:0", "lines are counted from 1"),
        ("a.txt:5-3", "the last line is before the first"),
    ],
)
async def test_impossible_ranges_say_why(bench: Bench, path: str, words: str) -> None:
    bench.write("a.txt", TEN_LINES)
    with pytest.raises(ToolError, match=words.replace(".", r"\.")):
        await bench.run(ReadFiles(), paths=[path])


async def test_a_file_literally_named_like_a_range_wins(bench: Bench) -> None:
    bench.write("a.txt", TEN_LINES)
    bench.write("a.txt:3", "the other\n")
    assert "the other" in await bench.text(ReadFiles(), paths=["a.txt:3"])
    assert await bench.text(ReadFiles(), paths=["a.txt:3:1-"]) == "a.txt:3 (1 line)\n     1\tthe other"


@pytest.mark.parametrize(
    ("content", "heading", "line"),
    [
        ("grün\n".encode(), "a (1 line)", "grün"),
        (b"\xef\xbb\xbfgr\xc3\xbcn\n", "a (1 line)", "grün"),
        ("\ufeffgrün\n".encode("utf-16-le"), "a (1 line; UTF-16)", "grün"),
        ("\ufeffgrün\n".encode("utf-16-be"), "a (1 line; UTF-16)", "grün"),
        ("\ufeffgrün\n".encode("utf-32-le"), "a (1 line; UTF-32)", "grün"),
        (b"gr\xfcn \x80\n", "a (1 line; not UTF-8; shown as Windows-1252)", "grün €"),
        (b"gr\xfcn \x81\n", "a (1 line; not UTF-8; shown as Latin-1)", "grün \x81"),
        (
            "grün ".encode() + b"\xff\n",
            "a (1 line; some bytes are not valid UTF-8 and are shown as \ufffd)",
            "grün \ufffd",
        ),
        (b"no newline", "a (1 line)", "no newline"),
        (b"dos\r\n", "a (1 line)", "dos"),
        (b"old\rmac\n", "a (1 line)", "old\rmac"),
        (b"form\x0cfeed\n", "a (1 line)", "form\x0cfeed"),
        ("sep\u2028arator\n".encode(), "a (1 line)", "sep\u2028arator"),
    ],
)
async def test_encodings_are_read_and_what_is_unusual_is_said(
    bench: Bench, content: bytes, heading: str, line: str
) -> None:
    bench.write("a", content)
    assert await bench.text(ReadFiles(), paths=["a"]) == f"{heading}\n     1\t{line}"


async def test_an_empty_file_is_said_to_be_empty(bench: Bench) -> None:
    bench.write("a.txt")
    output = await bench.run(ReadFiles(), paths=["a.txt"])
    assert output.content == (Text("a.txt (empty file)"),)
    assert output.display.title == "Read a.txt"


async def test_more_than_2000_lines_are_cut_and_the_rest_can_be_read(bench: Bench) -> None:
    bench.write("a.txt", "".join(f"{number}\n" for number in range(1, 4502)))
    text = await bench.text(ReadFiles(), paths=["a.txt"])
    assert text.startswith("a.txt (lines 1-2000 of 4501)\n     1\t1\n")
    assert text.endswith("  2000\t2000\n… cut at line 2000 of 4501; read a.txt:2001- for the rest")
    text = await bench.text(ReadFiles(), paths=["a.txt:2001-"])
    assert text.endswith("… cut at line 4000 of 4501; read a.txt:4001- for the rest")
    text = await bench.text(ReadFiles(), paths=["a.txt:4001-"])
    assert text.endswith("  4501\t4501")
    text = await bench.text(ReadFiles(), paths=["a.txt:2-4400"])
    assert text.endswith("… cut at line 2001 of 4501; read a.txt:2002-4400 for the rest")


@pytest.mark.parametrize("character", ["x", "ü", "\U0001f600"])
async def test_a_line_of_more_than_2000_characters_is_cut_and_marked(bench: Bench, character: str) -> None:
    bench.write("a.txt", f"before\n{character * 2000}\n{character * 9001}\nafter\n")
    text = await bench.text(ReadFiles(), paths=["a.txt"])
    length = 9001 * len(character.encode())
    assert f"     2\t{character * 2000}\n" in text
    assert f"     3\t{character * 2000}… [cut after 2000 characters of a line of {length:,} bytes" in text
    assert text.endswith("     4\tafter")
    assert text.startswith("a.txt (4 lines)\n")


async def test_one_call_shares_its_room_so_that_short_files_stay_whole(bench: Bench) -> None:
    bench.write("long.txt", ("x" * 99 + "\n") * 1500)
    bench.write("longer.txt", ("y" * 99 + "\n") * 1900)
    bench.write("short.txt", TEN_LINES)
    output = await bench.run(ReadFiles(), paths=["long.txt", "longer.txt", "short.txt"])
    long, longer, short = (block.text for block in output.content if isinstance(block, Text))
    assert short == f"short.txt (10 lines)\n{numbered(1, 10)}"
    assert "… cut at line 466 of 1500; read long.txt:467- for the rest" in long
    assert "… cut at line 466 of 1900; read longer.txt:467- for the rest" in longer
    assert 95_000 < len(long) + len(longer) + len(short) < 101_000


@pytest.mark.parametrize(
    ("head", "media_type"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0" + bytes(50) + b"\xff\xd9", "image/jpeg"),
        (b"GIF89a" + bytes(50) + b";", "image/gif"),
        (b"GIF87a" + bytes(50) + b";", "image/gif"),
        (b"RIFF\x10\0\0\0WEBPVP8 " + bytes(50), "image/webp"),
    ],
)
async def test_images_are_known_by_their_bytes(bench: Bench, head: bytes, media_type: str) -> None:
    bench.write("picture.dat", head)
    output = await bench.run(ReadFiles(), paths=["picture.dat"])
    label, image = output.content
    assert label == Text(f"picture.dat ({media_type}, {len(head)} B):")
    assert isinstance(image, Image)
    assert image.media_type == media_type
    assert b64decode(image.data) == head
    assert output.display.summary == "1 image"


@pytest.mark.parametrize(
    "head", [PNG[:40], b"\xff\xd8\xff\xe0" + bytes(99), b"GIF89a" + bytes(50), b"RIFF\xff\0\0\0WEBPVP8 "]
)
async def test_a_broken_image_is_refused_before_a_service_does(bench: Bench, head: bytes) -> None:
    bench.write("picture.dat", head)
    with pytest.raises(ToolError, match="broken or not whole"):
        await bench.run(ReadFiles(), paths=["picture.dat"])


async def test_an_image_too_large_to_send_is_refused(bench: Bench) -> None:
    bench.write("big.png", PNG + bytes(3_750_000))
    with pytest.raises(ToolError, match=r"big\.png is an image of 3\.8 MB; only images up to 3\.8 MB"):
        await bench.run(ReadFiles(), paths=["big.png"])


async def test_images_are_bounded_for_the_whole_call(bench: Bench) -> None:
    for number in range(4):
        bench.write(f"{number}.png", PNG_START + bytes(3_000_000) + PNG_END)
    output = await bench.run(ReadFiles(), paths=[f"{number}.png" for number in range(4)])
    assert [type(block) for block in output.content] == [Text, Image, Text, Image, Text, Image, Text]
    assert output.content[-1] == Text("Error: 3.png: too many images for one call; read it in another.")
    assert output.display.summary == "3 images, 1 not read"


async def test_safe_e4_what_is_no_file_is_an_error_at_once(bench: Bench) -> None:
    os.mkfifo(bench.root / "fifo")
    (bench.root / "folder").mkdir()
    bench.write("program", b"\x7fELF\0\0")
    with socket.socket(socket.AF_UNIX) as listener:
        previous = os.getcwd()
        os.chdir(bench.root)  # the address of a socket must be short
        try:
            listener.bind("socket")
        finally:
            os.chdir(previous)
        with pytest.raises(ToolError) as caught:
            await bench.run(ReadFiles(), paths=["fifo", "folder", "socket", "program", "/dev/zero", "/dev/tty", "/"])
    assert str(caught.value).splitlines() == [
        "fifo is a named pipe, not a file that can be read.",
        "folder is a folder; use list_files to see what is in it.",
        "socket is a socket, not a file that can be read.",
        "program is a binary file (6 B), which cannot be shown.",
        "/dev/zero is a device, not a file that can be read.",
        "/dev/tty is a device, not a file that can be read.",
        "/ is a folder; use list_files to see what is in it.",
    ]


async def test_one_bad_path_does_not_lose_the_others(bench: Bench) -> None:
    bench.write("a.txt", "alpha\n")
    bench.write("b.txt", "beta\n")
    output = await bench.run(ReadFiles(), paths=["a.txt", "nothing.here", "b\0", "b.txt"])
    texts = [block.text for block in output.content if isinstance(block, Text)]
    assert texts[0] == "a.txt (1 line)\n     1\talpha"
    assert texts[1] == "Error: nothing.here does not exist."
    assert texts[2].startswith("Error: That is not a path")
    assert texts[3] == "b.txt (1 line)\n     1\tbeta"
    assert output.display.title == "Read a.txt, nothing.here and 2 more"
    assert output.display.summary == "2 lines, 2 not read"


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("src/pricing.pi", r"src/pricing\.pi does not exist\. Similar: src/pricing\.py\."),
        ("src/PRICING.py", r"src/PRICING\.py does not exist\. Similar: src/pricing\.py\."),
        ("lib/pricing.py:3", r"lib/pricing\.py does not exist\. Similar: src/pricing\.py\."),
        ("src/pricing.py/x", r"does not exist: a part of the path is not a folder\."),
        ("entirely/else", r"entirely/else does not exist\.$"),
    ],
)
async def test_a_missing_file_suggests_what_may_be_meant(bench: Bench, wanted: str, words: str) -> None:
    bench.write("src/pricing.py", "x\n")
    with pytest.raises(ToolError, match=words):
        await bench.run(ReadFiles(), paths=[wanted])


async def test_an_unreadable_file_says_so(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    real_open = os.open

    # Root may read everything, so the refusal is played.
    def refuse(path: str, flags: int, *, dir_fd: int | None = None) -> int:
        if path == "a.txt":
            raise PermissionError(errno.EACCES, "Permission denied")
        return real_open(path, flags, dir_fd=dir_fd)

    bench.write("a.txt", "x")
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(ToolError, match=r"a\.txt cannot be read: Permission denied\."):
        await bench.run(ReadFiles(), paths=["a.txt"])


async def test_the_display_names_what_was_read(bench: Bench) -> None:
    bench.write("src/a.py", TEN_LINES)
    bench.write("src/b.py", TEN_LINES)
    tool = ReadFiles()
    assert tool.title(tool.Input(paths=["src/a.py:2-4"])) == "Reading src/a.py:2-4"
    output = await bench.run(tool, paths=["src/a.py:2-4"])
    assert (output.display.title, output.display.summary) == ("Read src/a.py:2-4", "3 lines")
    assert output.display.detail == f"src/a.py (lines 2-4 of 10)\n{numbered(2, 4)}"
    output = await bench.run(tool, paths=["src/a.py", "src/b.py:7"])
    assert (output.display.title, output.display.summary) == ("Read src/a.py, src/b.py:7", "11 lines")
    output = await bench.run(tool, paths=["src/a.py"] * 5)
    assert output.display.title == "Read src/a.py, src/a.py and 3 more"


async def test_safe_x1_the_model_gets_the_bytes_as_they_are(bench: Bench) -> None:
    bench.write("a.txt", "\x1b[31mred\x07\x7f\u202e\n")
    assert await bench.text(ReadFiles(), paths=["a.txt"]) == "a.txt (1 line)\n     1\t\x1b[31mred\x07\x7f\u202e"


async def test_a_name_that_is_no_unicode_gives_text_that_can_be_sent(bench: Bench) -> None:
    bench.write(os.fsdecode(b"caf\xe9.txt"), "x\n")
    text = await bench.text(ReadFiles(), paths=[os.fsdecode(b"caf\xe9.txt")])
    assert text == "caf\ufffd.txt (1 line)\n     1\tx"
    text.encode()


@pytest.mark.parametrize("path", ["a.txt", "a.txt:3", "a.txt:9-10", "link.txt:2-"])
async def test_safe_e3_the_version_that_was_read_is_noted_also_of_a_range(bench: Bench, path: str) -> None:
    file = bench.write("a.txt", TEN_LINES)
    (bench.root / "link.txt").symlink_to("a.txt")
    await bench.run(ReadFiles(), paths=[path])
    assert bench.services.ledger.seen(file) == FileVersion.of(TEN_LINES.encode())


async def test_safe_e3_the_version_noted_is_that_of_the_lines_shown(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = bench.write("a.txt", TEN_LINES)

    def written_right_after(opened: OpenFile) -> bytes | None:
        content = content_up_to_limit(opened)
        file.write_text("other\n")
        return content

    monkeypatch.setattr(file_parts, "content_up_to_limit", written_right_after)
    assert await bench.text(ReadFiles(), paths=["a.txt"]) == f"a.txt (10 lines)\n{numbered(1, 10)}"
    assert bench.services.ledger.seen(file) == FileVersion.of(TEN_LINES.encode())


async def test_what_was_not_shown_as_text_is_not_noted(bench: Bench) -> None:
    files = [
        bench.write("program", b"\x7fELF\0\0"),
        bench.write("a.png", PNG),
        bench.write("a.txt", TEN_LINES),
        bench.write("b.txt", TEN_LINES),
    ]
    os.truncate(bench.write("sparse", "x\n" * 9000), 33 << 20)
    await bench.run(ReadFiles(), paths=["program", "a.png", "a.txt:11", "sparse:1", "b.txt"])
    noted = [file.name for file in (*files, bench.root / "sparse") if bench.services.ledger.seen(file) is not None]
    assert noted == ["b.txt"]


async def test_a_range_is_decoded_as_the_whole_file_is(bench: Bench) -> None:
    """So that a text copied from what was shown is found by an edit."""
    bench.write("a.txt", b"gr\xfcn\n" + "grün\n".encode())
    remark = "some bytes are not valid UTF-8 and are shown as \ufffd"
    assert await bench.text(ReadFiles(), paths=["a.txt:1"]) == f"a.txt (line 1 of 2; {remark})\n     1\tgr\ufffdn"
