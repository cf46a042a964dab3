"""docs/contract.md names the tests that prove each check; here it is held to that."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAME = re.compile(r"test_sub_\w+")
DEFINITION = re.compile(r"^(?:async )?def (test_sub_\w+)", re.MULTILINE)


def test_the_contract_and_the_tests_name_each_other() -> None:
    named = NAME.findall((ROOT / "docs" / "contract.md").read_text(encoding="utf-8"))
    defined = {name for path in (ROOT / "tests").rglob("test_*.py") for name in DEFINITION.findall(path.read_text())}
    assert len(named) == len(set(named))
    assert set(named) - {"test_sub_"} == defined
