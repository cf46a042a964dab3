"""Servers on this machine: which models they say they have, and what else may listen on their ports."""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from typing import Any

import pytest

from code_assistant.llm.catalogue import Catalogue
from code_assistant.llm.local_servers import CAUTIOUS_LOCAL_WINDOW, MAX_MODELS, find_local_models
from code_assistant.llm.model import Model, Provider
from code_assistant.llm.model_list import MAX_LIST_BYTES
from tests.fakes.plain_server import Answering, http_answer, listening, listing, saying
from tests.fakes.server import ScriptedServer
from tests.hang_guard import HANG_GUARD


def local(url: str, name: str = "ollama") -> Provider:
    return Provider(name, "openai", "A server here", f"{url}/v1")


async def found(answer: bytes | Answering, timeout: float = HANG_GUARD) -> tuple[Model, ...]:
    async with listening(saying(answer) if isinstance(answer, bytes) else answer) as url:
        return await find_local_models([local(url)], timeout)


async def test_the_models_of_a_server_are_found(server: ScriptedServer) -> None:
    server.keys = None
    server.models = {"qwen3:8b", "library/gemma3"}
    (gemma, qwen) = await find_local_models([local(server.url)], HANG_GUARD)
    assert (qwen.name, qwen.id, qwen.provider) == ("ollama/qwen3:8b", "qwen3:8b", "ollama")
    assert gemma.id == "library/gemma3"
    assert qwen.context_window == CAUTIOUS_LOCAL_WINDOW
    assert qwen.max_output_tokens < qwen.context_window
    (request,) = server.requests
    assert request.path == "/v1/models"
    assert not {"authorization", "x-api-key"} & set(request.headers)


async def test_what_was_found_is_what_its_name_stands_for() -> None:
    (model,) = await found(listing({"id": "/models/tiny.gguf"}))
    assert Catalogue().find(model.name).id == model.id


@pytest.mark.parametrize(
    ("entry", "window"),
    [
        ({"max_model_len": 40_960}, 40_960),
        ({"meta": {"n_ctx": 8192, "n_ctx_train": 131_072}}, 8192),
        ({"meta": {"n_ctx_train": 131_072}}, 131_072),
        ({"context_length": 16_384}, 16_384),
        ({"max_context_length": 131_072, "loaded_context_length": 4096}, 4096),
        ({"max_context_length": 131_072}, 131_072),
        ({"max_model_len": True, "meta": [], "context_length": "8192"}, CAUTIOUS_LOCAL_WINDOW),
        ({"max_model_len": 0, "context_length": -1}, CAUTIOUS_LOCAL_WINDOW),
        ({"max_model_len": 10**30}, CAUTIOUS_LOCAL_WINDOW),
    ],
)
async def test_the_window_is_what_the_server_says(entry: dict[str, Any], window: int) -> None:
    (model,) = await found(listing({"id": "m", **entry}))
    assert model.context_window == window
    assert 0 < model.max_output_tokens < window


async def test_odd_entries_are_passed_over() -> None:
    odd = ["text", None, {}, {"id": 7}, {"id": ""}, {"id": " m"}, {"id": "red\x1b[31m"}, {"id": "a\u202eb"}]
    embeddings = [{"id": "nomic-embed-text"}, {"id": "text-Embedding-3"}]
    models = await found(listing(*odd, *embeddings, {"id": "m" * 200}, {"id": "good"}, {"id": "good"}))
    assert [model.id for model in models] == ["good"]


async def test_a_server_has_so_many_models_at_most() -> None:
    models = await found(listing(*({"id": f"m{number}"} for number in range(MAX_MODELS + 50))))
    assert len(models) == MAX_MODELS


@pytest.mark.parametrize(
    "answer",
    [
        http_answer(b"<!doctype html><p>Welcome</p>"),
        http_answer(b"", "404 Not Found"),
        http_answer(b'{"data": [{"id": "m"}]}', "401 Unauthorized"),
        http_answer(b'{"data": [{"id": "m"}]', "500 Oops"),
        http_answer(b'{"data": [{"id": "m"}'),
        http_answer(b'{"models": [{"name": "m"}]}'),
        http_answer(b'{"data": {"id": "m"}}'),
        http_answer(b'[{"id": "m"}]'),
        http_answer(b"[" * 200_000),
        http_answer(b'{"data": [{"id": "m"}]}', "200 OK", "content-encoding: gzip"),
        b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{",
        b"220 mail.example ESMTP\r\n",
        b"\x16\x03\x01\x00\x00",
        b"",
    ],
)
async def test_another_program_is_passed_over(answer: bytes) -> None:
    assert await found(answer) == ()


async def test_an_answer_that_is_too_large_is_not_read_on() -> None:
    left = asyncio.Event()

    async def pour(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b'HTTP/1.1 200 OK\r\n\r\n{"data": [{"id": "m"}], "more": "')
        try:
            while True:
                writer.write(b"x" * MAX_LIST_BYTES)
                await writer.drain()
        except ConnectionError:
            left.set()

    async with asyncio.timeout(HANG_GUARD), listening(pour) as url:
        assert await find_local_models([local(url)], HANG_GUARD) == ()
        await left.wait()


async def test_who_never_answers_is_not_waited_for() -> None:
    async def stay_silent(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with asyncio.timeout(HANG_GUARD):
        assert await found(stay_silent, timeout=0.05) == ()


async def test_who_answers_drop_by_drop_is_not_waited_for() -> None:
    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while not reader.at_eof():
            writer.write(b" ")
            await writer.drain()
            with suppress(TimeoutError):
                async with asyncio.timeout(0.001):
                    await reader.read()

    async with asyncio.timeout(HANG_GUARD):
        assert await found(drip, timeout=0.05) == ()


async def test_where_nothing_listens_there_is_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        free = f"http://127.0.0.1:{taken.getsockname()[1]}"
    assert await find_local_models([local(free)], HANG_GUARD) == ()


async def test_all_are_asked_at_once() -> None:
    everybody = asyncio.Barrier(3)

    async def answer_together(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await everybody.wait()
        writer.write(listing({"id": "m"}))
        await writer.drain()

    async with asyncio.timeout(HANG_GUARD), listening(answer_together) as url:
        models = await find_local_models([local(url, name) for name in ("one", "two", "three")], HANG_GUARD)
    assert [model.name for model in models] == ["one/m", "two/m", "three/m"]


async def test_a_redirect_is_not_followed(server: ScriptedServer) -> None:
    server.keys = None
    elsewhere = f"location: {server.url}/v1/models"
    assert await found(http_answer(b"", "302 Found", elsewhere)) == ()
    assert server.requests == []


async def test_proxies_of_the_environment_do_not_count(monkeypatch: pytest.MonkeyPatch, server: ScriptedServer) -> None:
    for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(variable, server.url)
    for variable in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(variable, raising=False)
    assert [model.id for model in await found(listing({"id": "m"}))] == ["m"]
    assert server.requests == []


async def test_only_servers_on_this_machine_are_asked(server: ScriptedServer) -> None:
    server.keys = None
    port = server.url.rpartition(":")[2]
    others = [
        Provider("anthropic", "anthropic", "Anthropic", f"{server.url}/v1"),
        Provider("far", "openai", "Far away", f"http://127.0.0.2:{port}/v1"),
        Provider("odd", "openai", "Odd", "http://[127.0.0.1/v1"),
        Provider("none", "offline", "Inside"),
    ]
    assert await find_local_models(others, HANG_GUARD) == ()
    assert server.requests == []


async def test_an_address_that_is_none_is_passed_over() -> None:
    assert await find_local_models([local("http://localhost:99999")], HANG_GUARD) == ()
