"""Recordings: what is in the file, who may read it, and that keys and surprises stay out of it."""

from __future__ import annotations

import errno
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from code_assistant.errors import StreamBroken, WorkspaceError
from code_assistant.llm import recording_file
from code_assistant.llm.catalogue import Catalogue
from code_assistant.llm.provider import BlockFinished, ResponseBegun, TextPiece, ThinkingPiece
from code_assistant.llm.recording import Recording
from code_assistant.messages import Opaque, Thinking, ToolCall
from code_assistant.secrets import MASK, Masker
from tests.unit.llm.taping import NO_KEYS, ListedFactory, ask, heard, recording, replaying, said
from tests.unit.secret_samples import TOKENS

KEY = 'sk-"secret"\\key-123456'


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


async def test_the_file_is_private_and_has_all_that_happened(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    with recording(file, [said("one"), said("two")]) as clients:
        client = clients.create("sonnet")
        await heard(client, ask("hi"))
        assert file.stat().st_mode & 0o777 == 0o600
        # As it happens, not when the run ends.
        assert lines(file)[-1]["type"] == "RequestEnded"
        await heard(client, ask("hi", "one", "more"))
    begun, model, first, *deltas = lines(file)
    assert (begun["type"], begun["version"]) == ("RecordingBegun", 1)
    assert model["model"]["name"] == first["model"] == "claude-sonnet-5-5"
    assert first["system"] == "Be brief."
    assert [each["delta"]["type"] for each in deltas[:2]] == ["ResponseBegun", "TextPiece"]
    second = deltas[5]
    assert second["type"] == "RequestSent"
    # Of what goes on only what is new.
    assert (second["system"], second["kept"]) == (None, 1)
    assert [message["role"] for message in second["messages"]] == ["assistant", "user"]
    times = [line["at"] for line in lines(file) if "at" in line]
    assert times == sorted(times)


async def test_a_recording_is_never_written_over(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    file.write_text("precious")
    with pytest.raises(WorkspaceError, match="is there already"), recording(file, []):
        pass
    assert file.read_text() == "precious"
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WorkspaceError), recording(link, []):
        pass
    assert not (tmp_path / "elsewhere").exists()


async def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="No such file"), recording(tmp_path / "none" / "run.jsonl", []):
        pass


async def test_keys_are_in_nothing_that_is_written(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    half = len(KEY) // 2
    answer = (
        ResponseBegun(f"id-{KEY}", "m"),
        ThinkingPiece("So "),
        ThinkingPiece(KEY[:half]),
        TextPiece(f"It is {KEY[:half]}"),
        TextPiece(f"{KEY[half:]}, I see, s"),
        BlockFinished(Thinking(KEY, "signature")),
        TextPiece(KEY[:half]),
        BlockFinished(ToolCall("c1", "read_files", {"path": KEY, KEY: [KEY]}, f"bad {KEY}")),
        StreamBroken(f"It broke at {KEY}."),
    )
    masker = Masker((KEY,))
    with recording(file, [answer], masker) as clients:
        await heard(clients.create("sonnet"), ask(f"hi {KEY}"))
    text = file.read_text()
    assert KEY not in text
    assert json.dumps(KEY)[1:-1] not in text
    with replaying(file, masker) as clients:
        again = await heard(clients.create("sonnet"), ask(f"hi {KEY}"))
    pieces = [delta.text for delta in again.deltas if isinstance(delta, TextPiece)]
    assert "".join(pieces) == f"It is {MASK}, I see, s{KEY[:half]}"
    assert [delta.text for delta in again.deltas if isinstance(delta, ThinkingPiece)] == ["So ", KEY[:half]]
    assert again.deltas[-1] == BlockFinished(ToolCall("c1", "read_files", {"path": MASK, MASK: [MASK]}, f"bad {MASK}"))
    assert str(again.error) == f"It broke at {MASK}."


async def test_safe_k1_k3_secrets_of_known_forms_are_not_written_and_signatures_stay(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    foreign = TOKENS["github-classic"]
    call = ToolCall(f"call-{foreign}", "read_files", {"path": foreign})
    answer = (
        ResponseBegun("r1", "m"),
        TextPiece(f"It is {foreign[:9]}"),
        TextPiece(f"{foreign[9:]}, I see."),
        BlockFinished(Thinking("So.", foreign)),
        BlockFinished(Opaque({"data": foreign})),
        BlockFinished(call),
    )
    with recording(file, [answer], NO_KEYS) as clients:
        live = await heard(clients.create("sonnet"), ask(f"hi {foreign}"))
    assert live.deltas == list(answer)
    with replaying(file, NO_KEYS) as clients:
        again = await heard(clients.create("sonnet"), ask(f"hi {foreign}"))
    words = "".join(delta.text for delta in again.deltas if isinstance(delta, TextPiece))
    assert words == "It is [GitHub token removed], I see."
    assert again.deltas[-3:] == [
        *answer[3:5],
        BlockFinished(replace(call, input={"path": "[GitHub token removed]"})),
    ]
    # Once in each of the fields that are exact.
    assert file.read_text().count(foreign) == 3


async def test_the_client_behind_it_is_the_one_that_is_seen(tmp_path: Path) -> None:
    file = recording_file.RecordingFile(tmp_path / "run.jsonl", Masker(()))
    inner = ListedFactory([])
    clients = Recording(file, Masker(())).around(inner, Catalogue(), pytest.fail)
    client = clients.create("haiku")
    assert client.model == inner.catalogue.find("haiku")
    await clients.close()
    file.close()
    assert inner.is_closed


class SmallDisk(io.StringIO):
    """Takes so many lines."""

    room = 0

    def write(self, text: str, /) -> int:
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.room -= 1
        return super().write(text)


async def test_a_disk_that_gets_full_ends_the_recording_and_not_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = SmallDisk()
    disk.room = 5
    monkeypatch.setattr(recording_file, "open_private_file", lambda _path, must_be_new: disk)
    told: list[str] = []
    with recording(tmp_path / "run.jsonl", [said("one"), said("two")], tell=told.append) as clients:
        client = clients.create("sonnet")
        assert (await heard(client, ask("hi"))).deltas == list(said("one"))
        assert (await heard(client, ask("hi", "one", "more"))).deltas == list(said("two"))
    assert told == [f"The recording {tmp_path / 'run.jsonl'} ends here: No space left on device."]


async def test_a_disk_that_is_full_is_said_before_anything_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording_file, "open_private_file", lambda _path, must_be_new: SmallDisk())
    with pytest.raises(WorkspaceError, match="cannot be written: No space left"), recording(tmp_path / "run", []):
        pass


async def test_what_is_too_large_for_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a request all but its name is left out; without an answer there is nothing to replay."""
    monkeypatch.setattr(recording_file, "MAX_LINE_BYTES", 2000)
    file = tmp_path / "run.jsonl"
    told: list[str] = []
    long = "x" * 3000
    with recording(file, [said("one"), said(long), said("three")], tell=told.append) as clients:
        client = clients.create("sonnet")
        await heard(client, ask(long))
        assert told == []
        assert (await heard(client, ask(long, "one", "more"))).deltas == list(said(long))
        await heard(client, ask(long, "one", "more", "two", "more"))
    assert max(len(line) for line in file.read_text().splitlines()) < 2000
    (words,) = told
    assert "ends here: a line would be larger" in words
    with replaying(file) as clients:
        client = clients.create("sonnet")
        assert (await heard(client, ask(long))).deltas == list(said("one"))
        cut = await heard(client, ask(long, "one", "more"))
    assert cut.deltas == [ResponseBegun("id", "m")]
    assert isinstance(cut.error, StreamBroken)


async def test_who_stops_reading_is_recorded_as_such(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    with recording(file, [said("one")]) as clients:
        async with clients.create("sonnet").stream(ask("hi")) as deltas:
            async for delta in deltas:
                if isinstance(delta, TextPiece):
                    break
    assert lines(file)[-1]["end"] == "cut"
    with replaying(file) as clients:
        again = await heard(clients.create("sonnet"), ask("hi"))
    assert again.deltas == list(said("one")[:2])
    assert isinstance(again.error, StreamBroken)
    assert not again.error.retryable
