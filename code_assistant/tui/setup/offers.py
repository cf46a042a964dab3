"""What a session can be set up with: keys to enter, servers on this machine, or no model at all."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from code_assistant.tui.start import KeyChoice, ModelChoice, OpenedSession


@dataclass(frozen=True, slots=True)
class Offers:
    """As far as it is known now. `providers` are what names of models can begin with."""

    models: tuple[ModelChoice, ...] = ()
    keys: tuple[KeyChoice, ...] = ()
    offline: ModelChoice | None = None
    suggestion: str = ""
    providers: tuple[str, ...] = ()
    look_for_local: Callable[[], Awaitable[tuple[ModelChoice, ...]]] | None = None
    learn_key: Callable[[str, str], None] | None = None

    @classmethod
    def of(cls, opened: OpenedSession) -> Offers:
        return cls(
            opened.models,
            opened.keys,
            opened.offline,
            opened.suggestion,
            opened.providers,
            opened.look_for_local,
            opened.learn_key,
        )

    def find(self, name: str) -> ModelChoice | None:
        return next((each for each in self.models if name in (each.name, *each.aliases)), None)

    def with_key(self, variable: str) -> Offers:
        """After a key was entered: the models that waited for it can be had."""
        models = (replace(each, key_variable="") if each.key_variable == variable else each for each in self.models)
        return replace(self, models=tuple(models))
