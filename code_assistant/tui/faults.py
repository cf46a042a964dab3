"""Faults of the program, in words for the person."""

from __future__ import annotations

import logging

from code_assistant.errors import AssistantError
from code_assistant.secret_formats import mask_formats

logger = logging.getLogger(__name__)

FAULT = "Something went wrong in the program, please report it: {error}."


def worker_words(error: BaseException) -> str:
    """Why a worker has failed. What nobody foresaw is logged, too."""
    if isinstance(error, AssistantError):
        return error.person
    logger.error("A worker has failed", exc_info=error)
    return FAULT.format(error=mask_formats(repr(error)))
