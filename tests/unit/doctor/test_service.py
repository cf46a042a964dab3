"""Whether the model's service answers and takes the key, asked of real servers."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from code_assistant.config.credentials import Credentials
from code_assistant.config.load import load_settings
from code_assistant.config.project_files import ProjectFiles, trusted
from code_assistant.config.settings import AnthropicSettings
from code_assistant.doctor import service as checking
from code_assistant.doctor.local_servers import check_local_servers
from code_assistant.doctor.service import Service, check_model, check_service
from code_assistant.llm.catalogue import Catalogue
from code_assistant.llm.model import Provider
from tests.agent.providers import chat_provider
from tests.fakes.plain_server import http_answer, listening, listing, saying
from tests.fakes.server import ScriptedServer
from tests.hang_guard import HANG_GUARD

ANTHROPIC = Catalogue().providers["anthropic"]


def anthropic(url: str, key: str | None = "test-key-1") -> Service:
    return Service(Catalogue().find("sonnet"), ANTHROPIC, AnthropicSettings(base_url=url), key)


def openai(url: str, key: str | None = "test-key-1") -> Service:
    return Service(Catalogue().find("gpt"), chat_provider(url), AnthropicSettings(), key)


@pytest.mark.parametrize("auth", ["bearer", "x-api-key"])
async def test_a_key_that_is_taken(server: ScriptedServer, auth: str) -> None:
    found = anthropic(server.url)
    found = replace(found, anthropic=replace(found.anthropic, auth=auth))
    answer = await check_service(found)
    assert (answer.level, answer.words) == ("ok", "Anthropic answers and takes the key")
    (request,) = server.requests
    assert request.path == "/v1/models"
    assert "anthropic-version" in request.headers
    assert ("x-api-key" in request.headers) is (auth == "x-api-key")


async def test_a_key_that_is_refused(server: ScriptedServer) -> None:
    for found in (anthropic(server.url, "wrong-key"), openai(server.url, "wrong-key")):
        answer = await check_service(found)
        assert answer.level == "problem"
        assert f"refuses the key (HTTP 401). Check {found.key_variable}" in answer.words
        assert "wrong-key" not in answer.words


async def test_without_a_key_nothing_is_sent(server: ScriptedServer) -> None:
    for found in (anthropic(server.url, None), openai(server.url, None)):
        answer = await check_service(found)
        assert answer.level == "problem"
        assert f"Set {found.key_variable}" in answer.words
    assert server.connections == 0


async def test_services_that_are_not_asked(server: ScriptedServer) -> None:
    offline = Catalogue()
    model = offline.find("offline")
    found = Service(model, offline.provider_of(model), AnthropicSettings(), None)
    assert (await check_service(found)).level == "ok"
    found = replace(anthropic(server.url), anthropic=AnthropicSettings(platform="bedrock", transport="sdk"))
    assert (await check_service(found)).level == "note"
    assert server.connections == 0


async def test_the_model_is_looked_for_where_all_are_listed(server: ScriptedServer) -> None:
    server.models = {"gpt-6-sol"}
    assert (await check_service(openai(server.url))).level == "ok"
    server.models = {"another"}
    answer = await check_service(openai(server.url))
    assert answer.level == "note"
    assert "does not list gpt-6-sol" in answer.words
    assert (await check_service(anthropic(server.url))).level == "ok"


@pytest.mark.parametrize(
    ("answer", "level", "words"),
    [
        (http_answer(b"", "403 Forbidden"), "problem", "refuses the key (HTTP 403)"),
        (http_answer(b"", "404 Not Found"), "note", "has no list of models"),
        (http_answer(b"", "429 Too Many Requests"), "note", "slow down"),
        (http_answer(b"", "500 Oops"), "problem", "HTTP 500"),
        (http_answer(b"", "302 Found", "location: http://127.0.0.1:1/"), "note", "another address"),
        (http_answer(b"<html>"), "note", "not with a list of models"),
        (b"220 mail.example\r\n", "problem", "cannot be reached"),
    ],
)
async def test_other_answers(answer: bytes, level: str, words: str) -> None:
    async with listening(saying(answer)) as url:
        found = await check_service(anthropic(url))
    assert found.level == level
    assert words in found.words


async def test_who_never_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "TIMEOUT", 0.05)

    async def stay_silent(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with asyncio.timeout(HANG_GUARD), listening(stay_silent) as url:
        found = await check_service(anthropic(url))
    assert found.level == "problem"
    assert "did not answer within" in found.words


async def test_no_network_and_no_address() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        free = f"http://127.0.0.1:{taken.getsockname()[1]}"
    for address in (free, "http://127.0.0.1:99999", "http://xn--0", "nonsense", "http://[::1"):
        found = await check_service(anthropic(address))
        assert found.level == "problem", address
        assert "ANTHROPIC_BASE_URL" in found.words or "http://" in found.words
    found = await check_service(openai(free))
    assert "the base_url of openai" in found.words


async def test_proxy_variables_that_cannot_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "nonsense://x")
    found = await check_service(anthropic("http://192.0.2.1"))
    assert found.level == "problem"
    assert "proxy" in found.words


def test_the_model_that_would_start(tmp_path: Path) -> None:
    catalogue = Catalogue()
    loaded = load_settings(environ={}, project=ProjectFiles(tmp_path, trusted), config_folder=tmp_path, flags={})
    found, service = check_model(loaded, catalogue, Credentials({"ANTHROPIC_API_KEY": "k"}), tmp_path)
    assert (found.level, found.words) == ("ok", "claude-sonnet-5-5, Anthropic")
    assert service.key == "k"
    found, service = check_model(loaded, catalogue, Credentials({"OPENAI_API_KEY": "o"}), tmp_path)
    assert (service.provider.name, service.key) == ("openai", "o")
    found, service = check_model(loaded, catalogue, Credentials(), tmp_path)
    assert (found.level, service.provider.kind) == ("note", "offline")


async def test_local_servers() -> None:
    (none,) = await check_local_servers({})
    assert (none.level, none.words) == ("ok", "none found")
    async with (
        listening(saying(listing({"id": "a"}, {"id": "b"}))) as two,
        listening(saying(listing({"id": "c"}))) as one,
    ):
        providers = {
            "ollama": Provider("ollama", "openai", "Ollama", f"{two}/v1"),
            "vllm": Provider("vllm", "openai", "vLLM", f"{one}/v1"),
        }
        found = await check_local_servers(providers)
    assert [each.words for each in found] == ["Ollama with 2 models, such as ollama/a", "vLLM with vllm/c"]
    assert {each.level for each in found} == {"ok"}
