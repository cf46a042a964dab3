"""The same query gives the same result with ripgrep and without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from code_assistant.errors import WorkspaceError
from code_assistant.workspace.fallback_search import search_without_ripgrep
from code_assistant.workspace.ripgrep import find_ripgrep, search_with_ripgrep
from code_assistant.workspace.search import SearchQuery
from code_assistant.workspace.threads import StopFlag

FILES: dict[str, str | bytes] = {
    "shop/tax.py": "def sales_tax(order):\n    return order * 0.2\n\n\ndef no_tax(order):\n    return 0\n",
    "shop/order.py": "class Order:\n    tax = 1\n    TAX = 2\n    def total(self):\n        return self.tax\n",
    "shop/deep/er/x.ts": "const tax: number = 3;\nexport { tax };\n\n\n\n\n\n\nconst tax2 = tax;\n",
    "shop/deep/er/x.test.ts": "tax test\n",
    "notes.md": "Taxes\n=====\nno newline at the end: tax",
    "empty.txt": "",
    "blank_lines.txt": "\n\n\n",
    "dos.txt": "tax one\r\nother\r\ntax two\r\n",
    "bom.txt": b"\xef\xbb\xbftax first\nsecond tax\n",
    "utf16.txt": "\ufeffeine tax\nübrig\n".encode("utf-16-le"),
    "latin.txt": b"caf\xe9 tax\n",
    "umlaut.txt": "Größe und tax\nÜBER über\nkörper\nΩδή\nstraße\n",
    "kelvin.txt": "\u212a and \u017f are letters\n",
    "tabs.txt": "\ttax\t1\n  tax  2\n",
    "long.txt": "x" * 500 + "tax" + "y" * 500 + "\n" + "ü" * 200 + "tax" + "ö" * 290 + "\nshort tax\n",
    "very_long.txt": "a\n"
    + "ö" * 9000
    + "tax"
    + "ß" * 9000
    + "\n"
    + "z" * 6000
    + "tax\n"
    + "tax"
    + "w" * 6000
    + "\nb\n",
    "very_long_bom.txt": b"\xef\xbb\xbf" + b"q" * 7000 + b"tax" + b"q" * 7000 + b"\r\n",
    "binary.dat": b"tax\0tax\n",
    ".hidden": "hidden tax\n",
    ".config/settings.ini": "tax=1\n",
    "node_modules/m/index.js": "ignored tax\n",
    "ignored.py": "ignored tax\n",
    "logs/a.log": "tax\n",
    "logs/keep.log": "tax kept\n",
    ".gitignore": "node_modules/\n/ignored.py\n*.log\n!keep.log\n",
    ".git/config": "tax\n",
    "name with space.txt": "tax\n",
    "ünïcode/datei.txt": "tax\n",
    "many.txt": "".join(f"tax {number}\n" for number in range(300)),
    "a-b/x.txt": "order of paths: tax\n",
    "a/x.txt": "order of paths: tax\n",
    "a.txt": "order of paths: tax\n",
}

PATTERNS = [
    "tax",
    "^tax",
    "tax$",
    "^$",
    "^",
    "$",
    "",
    ".",
    "x*",
    r"def \w+_tax\(",
    r"\btax\b",
    r"\Btax",
    r"tax\s+\w",
    r"\s+$",
    r"[^a-z]tax",
    r"[^a]*tax[^b]*",
    r"\W\w+\W",
    r"order[^;]*\)",
    "tax|order",
    "(sales|no)_tax",
    "(?:sales|no)_tax",
    "t(a)x",
    "ta?x",
    "ta*x",
    "ta{1}x",
    "ta{0,3}x",
    "ta+x",
    "ta+?x",
    "(ta)?x",
    "[t][a][x]",
    "[[:alpha:]]+_tax",
    "[[:digit:][:upper:]]{2}",
    "[]x]tax|x]",
    r"[\w-]+ test",
    "(?i)TAX",
    "(?i:TAX)",
    "t(?i)AX",
    "(?P<what>tax)",
    "(?<what>tax)",
    r"\x74ax",
    r"\x{74}ax",
    r"\u{74}ax",
    "ü",
    "[äöü]ber",
    "Gr..e",
    r"\wber",
    r"stra\We",
    r"\.",
    r"\(",
    r"\{ tax",
    r"0\.2",
    r"\d",
    r"\D\d\D",
    r"\S+",
    r"\t",
    r"\<tax\>",
    "tax two",
    "tax #",
    "(ta?)+x",
    r"(\w+\s?)*=",
    r"\Atax",
    "no such thing",
]

# Where Python's `re` and ripgrep's engine do not speak the same language, one says no and says why.
ONLY_WITH_RIPGREP = {"t(?i)AX"}

OPTIONS: list[dict[str, Any]] = [
    {},
    {"context": 2},
    {"context": 10, "limit": 7},
    {"limit": 3, "offset": 5},
    {"limit": 100, "offset": 250, "context": 1},
    {"offset": 100_000},
    {"mode": "files"},
    {"mode": "files", "limit": 3, "offset": 4},
    {"mode": "counts"},
    {"mode": "counts", "limit": 3, "offset": 4},
    {"ignore_case": True},
    {"ignore_case": True, "pattern": "größe"},
    {"ignore_case": True, "pattern": "ÜBER"},
    {"ignore_case": True, "pattern": "k and s"},
    {"ignore_case": True, "pattern": "K"},
    {"ignore_case": True, "pattern": "ωδή"},
    {"ignore_case": True, "pattern": "tax", "literal": True},
    {"literal": True, "pattern": "order * 0.2"},
    {"literal": True, "pattern": "(order):"},
    {"literal": True, "pattern": "-tax"},
    {"glob": "*.py"},
    {"glob": "**/*.py"},
    {"glob": "*.{py,ts}"},
    {"glob": "shop/*.py"},
    {"glob": "/shop/*.py"},
    {"glob": "shop/**/*.ts"},
    {"glob": "shop/**"},
    {"glob": "shop/"},
    {"glob": "**"},
    {"glob": "*"},
    {"glob": "*.js"},
    {"glob": "*.log"},
    {"glob": "node_modules/**"},
    {"glob": "x.*"},
    {"glob": "[a-n]*"},
    {"glob": "shop"},
    {"glob": ".*"},
    {"glob": "!*.py"},
    {"glob": "!shop"},
    {"glob": "!shop/deep/**"},
    {"glob": "!*.{py,txt,dat}"},
    {"file_name": "many.txt", "context": 1},
    {"file_name": "long.txt"},
    {"file_name": "ignored.py"},
    {"file_name": "bom.txt", "pattern": "^tax"},
    {"file_name": "utf16.txt", "glob": "*.py"},
]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("parity")
    for name, content in FILES.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    (root / "link.py").symlink_to(root / "shop" / "tax.py")
    (root / "linked").symlink_to(root / "shop")
    yield root


async def assert_same(query: SearchQuery) -> None:
    program = find_ripgrep()
    assert program is not None
    with_ripgrep = await search_with_ripgrep(program, query)
    without = search_without_ripgrep(query, StopFlag(), lambda _: None)
    assert [file.path for file in without.files] == [file.path for file in with_ripgrep.files]
    for ours, theirs in zip(without.files, with_ripgrep.files, strict=True):
        assert ours == theirs
    assert without == with_ripgrep


@pytest.mark.parametrize("pattern", [pattern for pattern in PATTERNS if pattern not in ONLY_WITH_RIPGREP])
async def test_the_same_pattern_gives_the_same_lines(tree: Path, pattern: str) -> None:
    await assert_same(SearchQuery(tree, pattern, limit=1000))


@pytest.mark.parametrize("pattern", [pattern for pattern in PATTERNS if pattern not in ONLY_WITH_RIPGREP])
async def test_the_same_pattern_gives_the_same_lines_when_case_is_ignored(tree: Path, pattern: str) -> None:
    await assert_same(SearchQuery(tree, pattern, limit=1000, ignore_case=True, context=1))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
async def test_the_same_options_give_the_same_result(tree: Path, options: dict[str, Any]) -> None:
    await assert_same(SearchQuery(tree, **{"pattern": "tax", **options}))


@pytest.mark.parametrize("folder", ["shop", "shop/deep", "logs", "node_modules", "node_modules/m"])
async def test_the_same_folder_gives_the_same_result(tree: Path, folder: str) -> None:
    await assert_same(SearchQuery(tree / folder, "tax"))


@pytest.mark.parametrize(
    "pattern",
    [
        "(",
        "[a",
        "*",
        "a**b(",
        r"\p{Foo}",
        "(?<a",
        r"foo\nbar",
        r"foo\r",
        "(?=tax)",
        "(?!tax)",
        r"(a)\1",
        r"\y",
        "a{2,1}",
    ],
)
async def test_what_one_does_not_understand_the_other_does_not_either(tree: Path, pattern: str) -> None:
    program = find_ripgrep()
    assert program is not None
    query = SearchQuery(tree, pattern)
    with pytest.raises(WorkspaceError):
        await search_with_ripgrep(program, query)
    with pytest.raises(WorkspaceError):
        search_without_ripgrep(query, StopFlag(), lambda _: None)


@pytest.mark.parametrize("pattern", [*ONLY_WITH_RIPGREP, r"\p{Greek}", r"[\w--a]", "[a[bc]]", "(?u)tax"])
async def test_what_only_ripgrep_can_do_is_refused_in_words(tree: Path, pattern: str) -> None:
    program = find_ripgrep()
    assert program is not None
    await search_with_ripgrep(program, SearchQuery(tree, pattern))
    with pytest.raises(WorkspaceError):
        search_without_ripgrep(SearchQuery(tree, pattern), StopFlag(), lambda _: None)
