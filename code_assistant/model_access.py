"""How the agents of a session reach models: providers with their keys, a tape around them, the model to begin with."""

from __future__ import annotations

from dataclasses import dataclass

from code_assistant.config.credentials import Credentials
from code_assistant.config.paths import state_folder
from code_assistant.config.settings import Settings
from code_assistant.errors import CredentialError, UsageError
from code_assistant.llm.options import RequestOptions
from code_assistant.llm.patience import Patience
from code_assistant.llm.provider import ClientFactory, ModelClient
from code_assistant.llm.providers import Access, AnthropicAccess, Providers
from code_assistant.model_choice import OFFLINE, StartModel, key_of, load_catalogue, start_model
from code_assistant.session_plan import SessionPlan


@dataclass(frozen=True, slots=True)
class Models:
    """`clients` is where agents get theirs, `first` the one that the session begins with."""

    providers: Providers
    clients: ClientFactory
    first: ModelClient
    is_makeshift: bool
    notices: tuple[str, ...]


def reach_models(plan: SessionPlan) -> Models:
    """Raises an AssistantError where no model can be had, which a person is told instead."""
    past_model = plan.reopened.model() if plan.reopened is not None else None
    catalogue, warnings = load_catalogue(plan.environ, plan.project)
    is_person_there = plan.is_person_there
    choice = start_model(
        plan.loaded, catalogue, plan.credentials, state_folder(plan.environ), is_person_there=is_person_there
    )
    providers = Providers(catalogue, _access(plan.settings, plan.credentials))
    clients: ClientFactory = providers
    taped: tuple[str, ...] = ()
    is_unnamed = plan.arguments.model is None
    if plan.tape is not None:
        clients = plan.tape.around(providers, catalogue, plan.warn)
        taped = plan.tape.notices
        if plan.tape.model is not None and is_unnamed:
            choice = StartModel(plan.tape.model)
    if past_model is not None and is_unnamed and _can_be_used(clients, past_model):
        choice = StartModel(past_model)
    choice, first, missing = _first_client(clients, choice, is_person_there=is_person_there)
    return Models(providers, clients, first, choice.is_makeshift, (*taped, *missing, *warnings))


def _access(settings: Settings, credentials: Credentials) -> Access:
    request, anthropic = settings.request, settings.anthropic

    return Access(
        options=RequestOptions(request.max_output_tokens, request.thinking, request.effort),
        patience=Patience(request.first_byte_timeout_s, request.silence_timeout_s, request.content_timeout_s),
        connect_timeout=request.connect_timeout_s,
        anthropic=AnthropicAccess(anthropic.transport, anthropic.platform, anthropic.auth, anthropic.base_url),
        key_of=lambda provider: key_of(credentials, provider),
    )


def _can_be_used(clients: ClientFactory, model: str) -> bool:
    """Whether a session can go on with the model that it had: its key may be gone since."""
    try:
        clients.create(model)
    except (CredentialError, UsageError):
        return False
    return True


def _first_client(
    clients: ClientFactory, choice: StartModel, *, is_person_there: bool
) -> tuple[StartModel, ModelClient, tuple[str, ...]]:
    """The model to begin with, and what is to be said of it: without a key a person gets the one that needs none."""
    try:
        return choice, clients.create(choice.name), ()
    except (CredentialError, UsageError) as error:
        if not is_person_there:
            raise
        return StartModel(OFFLINE, is_makeshift=True), clients.create(OFFLINE), (error.person,)
