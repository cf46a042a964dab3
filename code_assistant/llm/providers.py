"""Every provider behind one factory: what a provider needs is built when its first model is used."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Literal, assert_never

from code_assistant.errors import CredentialError, UsageError
from code_assistant.llm.catalogue import Catalogue
from code_assistant.llm.model import Provider
from code_assistant.llm.options import RequestOptions
from code_assistant.llm.pace import Pace
from code_assistant.llm.patience import Patience
from code_assistant.llm.provider import ClientFactory, ModelClient

# A server on this machine may have to load its model before it says anything.
LOCAL_PATIENCE = 10
OTHER_WAYS = "Or choose another model with -m or /model; offline explores the code without one."


@dataclass(frozen=True, slots=True)
class AnthropicAccess:
    """How Anthropic's own models are reached."""

    transport: Literal["wire", "sdk"]
    platform: Literal["api", "bedrock", "vertex"]
    auth: Literal["bearer", "x-api-key"]
    base_url: str


@dataclass(frozen=True, slots=True)
class Access:
    """What all providers are reached with. `key_of` gives the key for a provider, None where there is none."""

    options: RequestOptions
    patience: Patience
    connect_timeout: float
    anthropic: AnthropicAccess
    key_of: Callable[[Provider], str | None]


class Providers:
    """Makes clients for all models of the catalogue. One connection pool and one gate for each provider."""

    def __init__(self, catalogue: Catalogue, access: Access) -> None:
        self.catalogue = catalogue
        self._access = access
        self._factories: dict[str, ClientFactory] = {}
        # Requests may be under way there, so that they are closed with the others.
        self._retired: list[ClientFactory] = []
        self._entered: dict[str, str] = {}

    def learn_key(self, variable: str, key: str) -> None:
        """A key that was entered while the program runs; clients that are made from now on use it."""
        self._entered[variable] = key
        for provider in self.catalogue.providers.values():
            if provider.key_variable == variable and provider.name in self._factories:
                self._retired.append(self._factories.pop(provider.name))

    def create(self, model: str) -> ModelClient:
        provider = self.catalogue.provider_of(self.catalogue.find(model))
        is_reachable = self._key(provider) is not None or self._access.anthropic.platform != "api"
        if self.catalogue.is_guess(model) and not is_reachable:
            raise self._no_such_model(model)
        factory = self._factories.get(provider.name)
        if factory is None:
            factory = self._factories[provider.name] = self._build(provider)
        return factory.create(model)

    async def close(self) -> None:
        """All of them, whatever one of them has to say."""
        async with AsyncExitStack() as stack:
            for factory in (*self._factories.values(), *self._retired):
                stack.push_async_callback(factory.close)

    def _no_such_model(self, name: str) -> UsageError:
        nearest = self.catalogue.nearest(name)
        hint = f" Did you mean {nearest}?" if nearest else ""
        known = ", ".join(sorted(self.catalogue.providers))
        return UsageError(f"There is no model {name!r}.{hint} Other models are PROVIDER/ID, with one of: {known}.")

    def _key(self, provider: Provider) -> str | None:
        return self._entered.get(provider.key_variable) or self._access.key_of(provider)

    def _build(self, provider: Provider) -> ClientFactory:
        match provider.kind:
            case "anthropic":
                return self._anthropic(provider)
            case "openai":
                return self._openai(provider)
            case "offline":
                from code_assistant.llm.offline.client import OfflineFactory

                return OfflineFactory()
            case _:
                assert_never(provider.kind)

    def _anthropic(self, provider: Provider) -> ClientFactory:
        from code_assistant.llm.anthropic.client import AnthropicFactory
        from code_assistant.llm.anthropic.transport import Transport

        access, own = self._access, self._access.anthropic
        address = provider.base_url or own.base_url
        key = self._key(provider)
        if key is None and own.platform == "api":
            raise _no_key(provider)
        transport: Transport
        if own.transport == "sdk":
            from code_assistant.llm.anthropic.sdk import SdkOptions, SdkTransport

            transport = SdkTransport(SdkOptions(own.platform, address, key, own.auth, access.connect_timeout))
        else:
            from code_assistant.llm.anthropic.wire import WireTransport
            from code_assistant.llm.stream import create_http_client

            http = create_http_client(address, access.connect_timeout)
            transport = WireTransport(http, address, key or "", own.auth)
        return AnthropicFactory(transport, access.options, self.catalogue, Pace(patience=access.patience))

    def _openai(self, provider: Provider) -> ClientFactory:
        from code_assistant.llm.openai.client import OpenAIFactory
        from code_assistant.llm.stream import create_http_client

        access = self._access
        key = self._key(provider)
        if key is None and provider.key_variable:
            raise _no_key(provider)
        patience, is_here = access.patience, provider.is_local
        if is_here:
            patience = replace(patience, first_byte=patience.first_byte * LOCAL_PATIENCE)
        http = create_http_client(provider.base_url, access.connect_timeout)
        return OpenAIFactory(provider, http, key, access.options, self.catalogue, Pace(patience=patience))


def _no_key(provider: Provider) -> CredentialError:
    return CredentialError(f"There is no key for {provider.title}. Set {provider.key_variable}. {OTHER_WAYS}")
