"""Events about the files that a session has changed."""

from __future__ import annotations

from dataclasses import dataclass

from code_assistant.event_parts import Origin


@dataclass(frozen=True, slots=True)
class FilesRestored:
    """Files are what they were before some prompts, by the person's wish; `words` tell all of it.

    It comes between prompts: after a PromptFinished and before the next PromptStarted of the main agent, right after
    the GuidanceAdded that tells the model, which is missing where no file had to be changed.

    `paths` are those that were put back, `prompt_ids` the prompts whose changes are taken back, the oldest first.
    """

    origin: Origin
    prompt_ids: tuple[str, ...]
    paths: tuple[str, ...]
    words: str
