"""Deny rules that name a link hold for where it leads, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_assistant.errors import PermissionDenied
from code_assistant.permissions.access import Place
from code_assistant.permissions.path_patterns import Anchors, path_pattern
from code_assistant.tools.list_files import ListFiles
from code_assistant.tools.read_files import ReadFiles
from tests.unit.tools.support import Bench

# The rule, a path that is asked for by its real name, and whether it is denied.
PATTERNS = [
    ("/private/**", "real/deep/key", True),
    ("private/deep/*", "real/deep/key", True),
    ("/private", "real/key", True),
    ("/private/key", "real/key", True),
    ("/private/key", "real/other", False),
    ("/private/*.pem", "real/a.pem", True),
    ("/private/*.pem", "real/key", False),
    ("/note", "hidden*note", True),
    ("/note", "hiddenxnote", False),
    ("/elsewhere/**", "real/key", False),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "real" / "deep").mkdir(parents=True)
    (tmp_path / "private").symlink_to("real")
    (tmp_path / "note").symlink_to("hidden*note")
    return tmp_path.resolve()


@pytest.mark.parametrize(("pattern", "path", "expected"), PATTERNS)
def test_safe_p4_a_denied_link_is_denied_under_its_real_name(
    root: Path, pattern: str, path: str, expected: bool
) -> None:
    real = root / path
    covers = path_pattern(pattern, Anchors(root, (root,), root / "home")).covers
    assert covers(Place(real, real, root), widely=True) is expected
    # What allows goes by the real path alone, whatever a link in a rule would lead to.
    assert covers(Place(real, real, root), widely=False) is False


def test_safe_p4_a_home_that_is_a_link_is_meant_under_both_names(root: Path) -> None:
    (root / "home").symlink_to("real")
    covers = path_pattern("~/key", Anchors(root / "ws", (root / "ws",), root / "home")).covers
    for path in (root / "real" / "key", root / "home" / "key"):
        assert covers(Place(path, path, None), widely=True)
        assert covers(Place(path, path, None), widely=False)


async def test_safe_p4_reading_by_either_name_is_denied_and_even_yolo_does_not_help(root: Path) -> None:
    bench = Bench(root, mode="yolo", deny=("Read(/private/**)",))
    bench.write("real/key", "the secret\n")
    for path in ("private/key", "real/key", "real/deep/../key", str(root / "real" / "key")):
        with pytest.raises(PermissionDenied, match="denies it"):
            await bench.run(ReadFiles(), paths=[path])
    assert "key" not in await bench.text(ListFiles(), path="real", depth=3)
