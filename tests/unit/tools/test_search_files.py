"""search_files: what the model reads, how it gets the rest, and what is said when nothing is found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from pydantic import ValidationError

from code_assistant.errors import ToolError, WorkspaceError
from code_assistant.tools.search_files import SearchFiles
from tests.rows import each_row
from tests.unit.tools.support import Bench

TOOLS = [SearchFiles(), SearchFiles(lambda _: None)]
both = pytest.mark.parametrize("tool", TOOLS, ids=["rg", "without rg"])


@pytest.fixture
def shop(bench: Bench) -> Bench:
    bench.write(
        "shop/tax.py", "import order\n\ndef sales_tax(order):\n    return order\n\n\n\ndef no_tax():\n    pass\n"
    )
    bench.write("shop/cart.py", "tax = 1\n")
    bench.write("readme.md", "about tax\n")
    return bench


@both
async def test_matches_are_grouped_by_file(shop: Bench, tool: SearchFiles) -> None:
    output = await shop.run(tool, pattern=r"def \w+_tax", path="shop")
    assert output.display.detail == "shop/tax.py\n3: def sales_tax(order):\n8: def no_tax():\n\n2 matches, 1 file."
    assert output.display.title == r'Searched "def \w+_tax" in shop/'
    assert output.display.summary == "2 matches, 1 file"


@both
async def test_context_is_marked_and_gaps_are_shown(shop: Bench, tool: SearchFiles) -> None:
    text = await shop.text(tool, pattern="def .*tax", context=1)
    assert text == (
        "shop/tax.py\n2- \n3: def sales_tax(order):\n4-     return order\n--\n7- \n8: def no_tax():\n9-     pass\n\n"
        "2 matches, 1 file."
    )


@both
async def test_files_and_counts(shop: Bench, tool: SearchFiles) -> None:
    output = await shop.run(tool, pattern="tax", mode="files")
    assert output.display.detail == "readme.md\nshop/cart.py\nshop/tax.py\n\n3 files."
    assert output.display.summary == "3 files"
    output = await shop.run(tool, pattern="tax", mode="counts")
    assert output.display.detail == "readme.md: 1\nshop/cart.py: 1\nshop/tax.py: 2\n\n4 matches, 3 files."
    assert output.display.summary == "4 matches, 3 files"


@both
async def test_the_rest_can_be_got_with_the_offset_that_is_said(shop: Bench, tool: SearchFiles) -> None:
    shop.write("many.txt", "".join(f"needle {number}\n" for number in range(25)))
    pages = [await shop.text(tool, pattern="needle", limit=10, offset=offset) for offset in (0, 10, 20, 30)]
    assert pages[0].endswith("10: needle 9\n\nShowing matches 1-10 of 25; call again with offset=10 for more.")
    assert pages[1].endswith("20: needle 19\n\nShowing matches 11-20 of 25; call again with offset=20 for more.")
    assert pages[2].endswith("25: needle 24\n\nShowing matches 21-25 of 25; these are the last.")
    assert pages[3] == "Nothing at offset=30: there are 25 matches."
    files = await shop.text(tool, pattern="tax", mode="files", limit=2)
    assert files == "readme.md\nshop/cart.py\n\nShowing files 1-2 of 3; call again with offset=2 for more."


@both
async def test_the_text_is_bounded_even_with_much_context(shop: Bench, tool: SearchFiles) -> None:
    shop.write(
        "wide.txt",
        ("x" * 290 + "\n") * 10 + "".join(f"{'y' * 280} needle\n" + ("x" * 290 + "\n") * 20 for _ in range(500)),
    )
    text = await shop.text(tool, pattern="needle", context=10, limit=1000)
    assert 90_000 < len(text) < 101_000
    assert text.splitlines()[-1] == "Showing matches 1-16 of 500; call again with offset=16 for more."


@both
async def test_long_lines_are_cut_around_the_match(shop: Bench, tool: SearchFiles) -> None:
    shop.write("min.js", "a" * 5000 + "needle" + "b" * 5000 + "\n")
    text = await shop.text(tool, pattern="needle")
    assert text.splitlines()[1] == f"1: …{'a' * 100}needle{'b' * 194}…"


@both
async def test_nothing_found_says_what_was_searched(shop: Bench, tool: SearchFiles) -> None:
    output = await shop.run(tool, pattern="unicorn", path="shop", glob="*.py")
    assert output.display.detail == (
        'No matches for "unicorn" in shop/, only files that match *.py. '
        "Ignored files (.gitignore, .ignore), binary files and .git are not searched."
    )
    assert output.display.summary == "no matches"
    assert output.display.title == 'Searched "unicorn" in shop/ (*.py)'


@both
async def test_one_file_can_be_searched(shop: Bench, tool: SearchFiles) -> None:
    output = await shop.run(tool, pattern="order", path="shop/tax.py")
    assert output.display.detail.startswith("shop/tax.py\n1: import order\n3: ")
    assert output.display.title == 'Searched "order" in shop/tax.py'


@both
async def test_plain_text_with_special_characters(shop: Bench, tool: SearchFiles) -> None:
    assert "3: def sales_tax(order):" in await shop.text(tool, pattern="tax(order", literal=True)
    assert "3: def sales_tax(order):" in await shop.text(tool, pattern="TAX(ORDER", literal=True, ignore_case=True)


@both
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"pattern": "fo(o"}, r"unclosed group|unterminated subpattern"),
        ({"pattern": "a\nb"}, "line by line"),
        ({"pattern": "a\0b"}, "NUL"),
        ({"pattern": "x", "path": "nowhere"}, r"nowhere does not exist\."),
        ({"pattern": "x", "path": "program"}, "program is a binary file; only text can be searched"),
    ],
)
async def test_what_cannot_be_searched_is_an_error(
    shop: Bench, tool: SearchFiles, arguments: dict[str, str], words: str
) -> None:
    shop.write("program", b"\x7fELF\0x")
    with pytest.raises((ToolError, WorkspaceError), match=words):
        await shop.run(tool, **arguments)


@each_row(
    "arguments",
    [
        {"pattern": ""},
        {"pattern": "\ud800"},
        {"pattern": "x", "limit": 0},
        {"pattern": "x", "context": 11},
        {"pattern": "x", "typo": 1},
    ],
)
def test_inputs_are_checked(arguments: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        SearchFiles().Input.model_validate(arguments)


def test_the_title_while_it_runs() -> None:
    tool = SearchFiles()
    assert tool.title(tool.Input(pattern="tax")) == 'Searching "tax"'
    assert tool.title(tool.Input(pattern="tax", path="shop/")) == 'Searching "tax" in shop/'


async def test_safe_b4_ripgrep_is_not_taken_from_folders_that_are_not_trusted(shop: Bench) -> None:
    asked: list[Path] = []

    def find(untrusted: Sequence[Path]) -> None:
        asked.extend(untrusted)

    await shop.text(SearchFiles(find), pattern="tax")
    assert asked == list(shop.context.workspace.untrusted)
    assert shop.root in asked


async def test_a_slow_pattern_is_searched_without_ripgrep(shop: Bench) -> None:
    text = await shop.text(SearchFiles(lambda _: None), pattern=r"(\w+_?)+\(.*\).*:", path="shop")
    assert text == "shop/tax.py\n3: def sales_tax(order):\n8: def no_tax():\n\n2 matches, 1 file."


@both
@pytest.mark.parametrize("mode", ["lines", "files", "counts"])
async def test_files_with_matches_are_noted_and_no_others(shop: Bench, tool: SearchFiles, mode: str) -> None:
    (shop.root / "link").symlink_to("shop")
    await shop.run(tool, pattern="sales_tax|no_tax", path="link", mode=mode)
    ledger = shop.services.ledger
    assert ledger.has_met(shop.root / "shop/tax.py")
    assert ledger.seen(shop.root / "shop/tax.py") is None
    assert not ledger.has_met(shop.root / "shop/cart.py")
    await shop.run(tool, pattern="about", path="readme.md", mode=mode)
    assert ledger.has_met(shop.root / "readme.md")


@both
@pytest.mark.parametrize("mode", ["lines", "files", "counts"])
async def test_files_on_another_page_are_not_noted(shop: Bench, tool: SearchFiles, mode: str) -> None:
    files = [shop.root / name for name in ("readme.md", "shop/cart.py", "shop/tax.py")]
    await shop.run(tool, pattern="tax", mode=mode, limit=1, offset=1)
    assert [shop.services.ledger.has_met(file) for file in files] == [False, True, False]


@both
async def test_files_that_did_not_fit_into_the_text_are_not_noted(shop: Bench, tool: SearchFiles) -> None:
    files = [shop.write(f"wide/{number:03}.txt", f"{'y' * 280} needle\n" * 100) for number in range(10)]
    text = await shop.text(tool, pattern="needle", limit=1000)
    met = [shop.services.ledger.has_met(file) for file in files]
    assert met == [f"wide/{file.name}\n" in text for file in files]
    assert met[0]
    assert not met[-1]
