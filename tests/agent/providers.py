"""Clients of every transport and protocol over the scripted server, for every test that must hold for each of them."""

from __future__ import annotations

from typing import Literal, TypeAlias

from code_assistant.llm.anthropic.client import AnthropicFactory
from code_assistant.llm.anthropic.sdk import SdkOptions, SdkTransport
from code_assistant.llm.anthropic.wire import WireTransport
from code_assistant.llm.catalogue import Catalogue
from code_assistant.llm.model import Model, Provider
from code_assistant.llm.openai.client import OpenAIFactory
from code_assistant.llm.options import RequestOptions
from code_assistant.llm.pace import Pace
from code_assistant.llm.provider import ClientFactory, Delta, ModelClient, ModelRequest, ToolSpecification
from code_assistant.llm.stream import create_http_client
from code_assistant.messages import Message, Text

TransportName: TypeAlias = Literal["wire", "sdk", "openai"]
AuthStyle: TypeAlias = Literal["bearer", "x-api-key"]

KEY = "test-key-1"
READ = ToolSpecification("read_files", "Reads files.", {"type": "object", "properties": {}})


def factory(
    url: str,
    transport: TransportName = "wire",
    *,
    key: str = KEY,
    auth: AuthStyle = "bearer",
    thinking: bool = True,
    effort: str = "",
    catalogue: Catalogue | None = None,
    pace: Pace | None = None,
) -> ClientFactory:
    known = catalogue or Catalogue()
    options = RequestOptions(1000, thinking, effort)
    if transport == "openai":
        return OpenAIFactory(chat_provider(url), create_http_client(url, 5), key, options, known, pace)
    chosen = (
        WireTransport(create_http_client(url, 5), url, key, auth)
        if transport == "wire"
        else SdkTransport(SdkOptions("api", url, key, auth, 5))
    )
    return AnthropicFactory(chosen, options, known, pace)


def knowing(*models: Model) -> Catalogue:
    """The program's catalogue, and these models too."""
    catalogue = Catalogue()
    for model in models:
        catalogue.add(model)
    return catalogue


def chat_provider(url: str) -> Provider:
    return Provider("openai", "openai", "OpenAI", f"{url}/v1", "OPENAI_API_KEY", "max_completion_tokens")


def ask(text: str = "hi", *, tools: tuple[ToolSpecification, ...] = (READ,)) -> ModelRequest:
    return ModelRequest("Be brief.", tools, (Message("user", (Text(text),)),))


async def deltas(client: ModelClient, request: ModelRequest | None = None) -> list[Delta]:
    async with client.stream(request or ask()) as stream:
        return [delta async for delta in stream]
