"""Images that go along with a message."""

from __future__ import annotations

import os
from base64 import b64decode, b64encode
from pathlib import Path

import pytest

from code_assistant.errors import WorkspaceError
from code_assistant.messages import Image
from code_assistant.workspace import attachments
from code_assistant.workspace.attachments import attachments_in, mentioned_paths, read_image
from code_assistant.workspace.workspace import Workspace
from tests.rows import each_row

PNG = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
IMAGE = Image("image/png", b64encode(PNG).decode())


@each_row(
    ("text", "paths"),
    [
        ("see @a.png and @b/c.png", ("a.png", "b/c.png")),
        ('(@"a b.png") @a.png @a.png', ("a b.png", "a.png")),
        ("me@a.png", ()),
        ("@", ()),
        ('@"unclosed', ()),
    ],
)
def test_mentioned_paths(text: str, paths: tuple[str, ...]) -> None:
    assert mentioned_paths(text) == paths


def test_mentioned_images_of_the_workspace_go_along(tmp_path: Path) -> None:
    (tmp_path / "a b.png").write_bytes(PNG)
    (tmp_path / "c.PNG").write_bytes(PNG)
    (tmp_path / "not.png").write_text("text")
    text = 'look at @"a b.png", @c.PNG. Not @not.png, @missing.png, @readme.md or @~nobody/x.png'
    assert attachments_in(text, Workspace(tmp_path)).images == (IMAGE, IMAGE)
    words = "not.png is no image that can be sent: only its name goes along."
    assert attachments_in(text, Workspace(tmp_path)).problems == (words,)


def test_what_lies_elsewhere_or_is_hidden_does_not(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "out.png").write_bytes(PNG)
    (inside / "secret.png").write_bytes(PNG)
    os.symlink(tmp_path / "out.png", inside / "link.png")
    text = f"@../out.png @{tmp_path}/out.png @link.png @secret.png"
    found = attachments_in(text, Workspace(inside), lambda path: path.name == "secret.png")
    assert found == attachments.Attachments()


def test_images_that_cannot_be_used_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "half.png").write_bytes(PNG[:-20])
    (tmp_path / "fine.png").write_bytes(PNG)
    os.mkfifo(tmp_path / "pipe.png")
    found = attachments_in("@half.png @fine.png @pipe.png", Workspace(tmp_path))
    assert found.images == (IMAGE,)
    assert [problem.split()[0] for problem in found.problems] == ["half.png", "pipe.png"]
    monkeypatch.setattr(attachments, "MAXIMUM_IMAGE_BYTES", 10)
    assert "too big" in attachments_in("@fine.png", Workspace(tmp_path)).problems[0]
    monkeypatch.setattr(attachments, "MAXIMUM_IMAGES", 0)
    monkeypatch.undo()


def test_the_number_of_images_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attachments, "MAXIMUM_IMAGES", 2)
    for number in range(3):
        (tmp_path / f"{number}.png").write_bytes(PNG)
    found = attachments_in("@0.png @1.png @2.png", Workspace(tmp_path))
    assert len(found.images) == 2
    assert found.problems[0].startswith("2.png does not go along")


def test_a_dropped_image_may_lie_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "shot.png").write_bytes(PNG)
    (tmp_path / "text.png").write_text("text")
    os.symlink(tmp_path / "shot.png", tmp_path / "link.png")
    assert read_image(str(tmp_path / "shot.png")) == IMAGE
    assert read_image(str(tmp_path / "link.png")) == IMAGE
    assert read_image("~/shot.png") == IMAGE
    assert read_image(str(tmp_path / "text.png")) is None
    assert read_image(str(tmp_path / "missing.png")) is None
    assert read_image("/a\0.png") is None
    with pytest.raises(WorkspaceError):
        read_image(str(tmp_path))
