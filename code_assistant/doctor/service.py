"""The model that would start, whether its service answers, and whether that takes the key."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from code_assistant.config.credentials import Credentials
from code_assistant.config.load import LoadedSettings
from code_assistant.config.settings import AnthropicSettings
from code_assistant.doctor.finding import Finding, note, ok, problem
from code_assistant.errors import UsageError
from code_assistant.llm.catalogue import Catalogue
from code_assistant.llm.model import Model, Provider
from code_assistant.llm.model_list import ModelList
from code_assistant.model_choice import key_of, start_model

TIMEOUT = 5.0
TITLE = "service"
REFUSED = (401, 403)
# What gateways say that have no list of models.
NO_LIST = (404, 405, 501)


@dataclass(frozen=True, slots=True)
class Service:
    """A model, and all that is needed to ask whoever serves it."""

    model: Model
    provider: Provider
    anthropic: AnthropicSettings
    key: str | None

    @property
    def key_variable(self) -> str:
        return self.provider.key_variable

    @property
    def address_setting(self) -> str:
        if self.provider.kind == "anthropic":
            from code_assistant.llm.anthropic.wire import ADDRESS_SETTING

            return ADDRESS_SETTING
        from code_assistant.llm.openai.errors import address_setting

        return address_setting(self.provider)


def check_model(
    loaded: LoadedSettings, catalogue: Catalogue, credentials: Credentials, state_folder: Path
) -> tuple[Finding, Service]:
    choice = start_model(loaded, catalogue, credentials, state_folder, is_person_there=True)
    model = catalogue.find(choice.name)
    provider = catalogue.provider_of(model)
    service = Service(model, provider, loaded.settings.anthropic, key_of(credentials, provider))
    if choice.is_makeshift:
        words = "offline, which explores the code without a model. Set a key, or choose a model with -m or /model."
        return note("model", words), service
    return ok("model", f"{model.name}, {provider.title}"), service


async def check_service(service: Service) -> Finding:
    """Asks for the list of models, which costs nothing. Without a key nothing is sent."""
    provider, platform = service.provider, service.anthropic.platform
    if provider.kind == "offline":
        return ok(TITLE, "none is needed")
    if provider.kind == "anthropic" and platform != "api":
        return note(TITLE, f"{platform} is not asked: whether you are signed in there, only a first prompt can tell.")
    if service.key is None and service.key_variable:
        return problem(
            TITLE, f"there is no key for {provider.title}, so that it was not asked. Set {service.key_variable}."
        )
    try:
        return _verdict(service, await _ask(service))
    except TimeoutError:
        return problem(TITLE, f"{provider.title} did not answer within {TIMEOUT:.0f} s. Check the network or a proxy.")
    except ConnectionError as error:
        return problem(TITLE, str(error))
    except UsageError as error:
        return problem(TITLE, error.person)
    except ValueError as error:
        return note(TITLE, f"{provider.title} answers, but not with a list of models ({error}). A gateway may do so.")


async def _ask(service: Service) -> ModelList:
    """Raises ConnectionError with words for the person where the service cannot be reached."""
    import httpx

    from code_assistant.llm.model_list import get_model_list
    from code_assistant.llm.stream import connection_words, create_http_client

    url, headers = _request(service)
    try:
        # A port that is none is told only by asking for it.
        _ = urlsplit(url).port
        host = httpx.Request("GET", url).url.netloc.decode("ascii")
    except (httpx.InvalidURL, ValueError) as error:
        raise ConnectionError(f"its address is not valid: {error}. Check {service.address_setting}.") from error
    try:
        http_client = create_http_client(url, TIMEOUT)
        async with asyncio.timeout(TIMEOUT), http_client as http:
            return await get_model_list(http, url, headers)
    except (httpx.HTTPError, ssl.SSLError) as error:
        raise ConnectionError(connection_words(error, host, service.address_setting)) from error


def _request(service: Service) -> tuple[str, dict[str, str]]:
    key = service.key or ""
    if service.provider.kind == "anthropic":
        from code_assistant.llm.anthropic.wire import request_headers

        address = service.provider.base_url or service.anthropic.base_url
        return f"{address.rstrip('/')}/v1/models", request_headers(key, service.anthropic.auth)
    from code_assistant.llm.openai.wire import request_headers as chat_headers

    return f"{service.provider.base_url.rstrip('/')}/models", chat_headers(service.key)


def _verdict(service: Service, answer: ModelList) -> Finding:
    title, status = service.provider.title, answer.status
    if status == 200:
        listed = {str(entry.get("id")) for entry in answer.entries}
        # Anthropic gives its list in pages, so that what is not on the first one may well be there.
        if service.provider.kind == "openai" and listed and service.model.id not in listed:
            return note(
                TITLE, f"{title} answers, but does not list {service.model.id}. Choose another with -m or /model."
            )
        return ok(TITLE, f"{title} answers{' and takes the key' if service.key else ''}")
    if status in REFUSED:
        variable = service.key_variable or "a key, which this service seems to want"
        return problem(TITLE, f"{title} refuses the key (HTTP {status}). Check {variable}.")
    if status in NO_LIST:
        return note(
            TITLE, f"{title} answers, but has no list of models, so that the key was not tried (HTTP {status})."
        )
    if status == 429:
        return note(TITLE, f"{title} answers and asks to slow down (HTTP 429). Try again later.")
    if status < 400:
        return note(TITLE, f"{title} answers from another address (HTTP {status}). Check {service.address_setting}.")
    return problem(TITLE, f"{title} answers with an error (HTTP {status}). Try again later.")
