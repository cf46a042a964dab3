"""A session for the screen: what stands behind it, and what it can be set up with."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from code_assistant.assembly import Assembled, Recorders, assemble
from code_assistant.channel import Channel
from code_assistant.cli import Arguments
from code_assistant.config.credentials import Credentials
from code_assistant.config.folder_trust import FolderTrust
from code_assistant.llm.catalogue import Catalogue
from code_assistant.llm.local_servers import find_local_models
from code_assistant.llm.model import Model
from code_assistant.llm.offline.words import SUGGESTED_PROMPTS
from code_assistant.model_choice import MODEL_OF_KEY, OFFLINE
from code_assistant.resuming.reopening import Reopened
from code_assistant.session_plan import plan_session
from code_assistant.subagents.spawn_offer import SPAWN_MODULE
from code_assistant.tapes import Tape
from code_assistant.tools.builtin import BUILTIN_MODULES
from code_assistant.tui.start import KeyChoice, ModelChoice, OpenedSession, SoFar


async def open_for_screen(
    arguments: Arguments,
    environ: Mapping[str, str],
    trust: FolderTrust,
    recorders: Recorders,
    tape: Tape | None,
    reopened: Reopened | None = None,
) -> OpenedSession:
    """A session with a person in front of it. Building it takes long enough to be felt, so a thread does it."""
    channel = Channel()
    built = await asyncio.to_thread(
        lambda: assemble(
            plan_session(arguments, environ, channel, trust, is_person_there=True, tape=tape, reopened=reopened),
            recorders,
        )
    )
    catalogue, credentials = built.catalogue, await asyncio.to_thread(Credentials.from_environ, environ)
    model = await _known_better(built, catalogue.find(built.facts.model))

    async def look_for_local() -> tuple[ModelChoice, ...]:
        found = await find_local_models(catalogue.providers.values())
        for each in found:
            catalogue.add(each)
        return tuple(_choice(catalogue.find(each.name), catalogue, credentials) for each in found)

    return OpenedSession(
        session=built.session,
        events=channel.subscribe("merged"),
        model=model.name,
        context_window=model.context_window,
        models=_choices(built, credentials),
        notices=built.notices,
        needs_setup=built.has_makeshift_model,
        keys=_keys(catalogue),
        offline=_choice(catalogue.find(OFFLINE), catalogue, credentials),
        suggestion=SUGGESTED_PROMPTS[0],
        providers=tuple(catalogue.providers),
        look_for_local=look_for_local,
        learn_key=built.learn_key,
        so_far=await asyncio.to_thread(_so_far, reopened) if reopened is not None else None,
        wanted_soon=(*BUILTIN_MODULES, SPAWN_MODULE),
    )


def _so_far(reopened: Reopened) -> SoFar:
    totals = reopened.totals()
    return SoFar(totals.usage, totals.cost, reopened.todo())


async def _known_better(built: Assembled, model: Model) -> Model:
    """A model of a server on this machine as that server describes it, where it answers."""
    provider = built.catalogue.provider_of(model)
    if not provider.is_local:
        return model
    for found in await find_local_models([provider]):
        built.catalogue.add(found)
    better = built.catalogue.find(model.name)
    if better != model:
        built.session.set_model(better.name)
    return better


def _choices(built: Assembled, credentials: Credentials) -> tuple[ModelChoice, ...]:
    """Those that can be used at once come first."""
    choices = [_choice(each, built.catalogue, credentials) for each in built.catalogue.models]
    offline = built.catalogue.find(OFFLINE).name
    return tuple(sorted(choices, key=lambda choice: (bool(choice.key_variable), choice.name == offline)))


def _choice(model: Model, catalogue: Catalogue, credentials: Credentials) -> ModelChoice:
    provider = catalogue.provider_of(model)
    variable = provider.key_variable
    has_key = not variable or (credentials.chosen if provider.name == "anthropic" else credentials.get(variable))
    words = _words(model, provider.title)
    if has_key:
        return ModelChoice(model.name, words, aliases=model.aliases)
    return ModelChoice(model.name, words, variable, model.aliases)


def _words(model: Model, served_by: str) -> str:
    if model.provider == OFFLINE:
        return "no language model, rules only"
    thousands = model.context_window / 1000
    window = f"{thousands / 1000:g}M" if thousands >= 1000 else f"{thousands:.0f}k"
    price = f" · ${model.prices[0].input:g} / ${model.prices[0].output:g}" if model.prices else ""
    return f"{window}{price} · {served_by}"


def _keys(catalogue: Catalogue) -> tuple[KeyChoice, ...]:
    """Every service that wants a key and has a model to begin with."""
    named = {provider.key_variable: provider.title for provider in catalogue.providers.values()}
    return tuple(KeyChoice(variable, named[variable], model) for variable, model in MODEL_OF_KEY if variable in named)
