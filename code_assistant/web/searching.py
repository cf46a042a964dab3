"""Asks the search service. The key goes to the address it was given for and nowhere else."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from pydantic import BaseModel, ValidationError

from code_assistant.errors import ToolError
from code_assistant.secrets import Masker
from code_assistant.web.addresses import page_address
from code_assistant.web.client import Answer, WebClient
from code_assistant.web.html_tokens import plain_text

KEY_HEADER = "X-Subscription-Token"
MAXIMUM_ANSWER_BYTES = 2_000_000
MAXIMUM_TITLE_CHARACTERS = 200
MAXIMUM_ADDRESS_CHARACTERS = 500
MAXIMUM_SNIPPET_CHARACTERS = 600


class _Result(BaseModel):
    title: str = ""
    url: str
    description: str = ""


class _Results(BaseModel):
    results: list[_Result] = []


class _Reply(BaseModel):
    web: _Results | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """One result in plain words, each on one line and bounded."""

    title: str
    url: str
    snippet: str


@dataclass(frozen=True, slots=True)
class SearchService:
    url: str
    key: str = field(repr=False)
    client: WebClient = field(default_factory=WebClient)
    seconds: float = 30.0

    async def search(self, query: str, most: int) -> tuple[Found, ...]:
        """Raises ToolError in words for whatever the service does not do."""
        base = page_address(self.url)
        address = replace(base, target=f"{base.target}?q={quote(query, safe='')}&count={most}")
        headers = {"Accept": "application/json", KEY_HEADER: self.key}
        timer = asyncio.timeout(self.seconds)
        try:
            # The person chose this address, so it may be one of their own network.
            async with timer, self.client.get(address, headers, private=True) as answer:
                if answer.status != 200:
                    raise _refusal(answer)
                body = await answer.body(MAXIMUM_ANSWER_BYTES)
        except TimeoutError as error:
            if not timer.expired():
                raise
            raise ToolError(f"The search took longer than {self.seconds:g} s and was given up.") from error
        return self._found(body.data, most)

    def _found(self, data: bytes, most: int) -> tuple[Found, ...]:
        try:
            reply = _Reply.model_validate_json(data)
        except ValidationError as error:
            raise ToolError("The search service answers with something else than results.") from error
        masker = Masker((self.key,))
        results = reply.web.results[:most] if reply.web else []
        return tuple(
            Found(
                _bounded(masker.mask(plain_text(each.title)), MAXIMUM_TITLE_CHARACTERS),
                _bounded(masker.mask("".join(each.url.split())), MAXIMUM_ADDRESS_CHARACTERS),
                _bounded(masker.mask(plain_text(each.description)), MAXIMUM_SNIPPET_CHARACTERS),
            )
            for each in results
        )


def _bounded(words: str, most: int) -> str:
    return words if len(words) <= most else f"{words[:most]}…"


def _refusal(answer: Answer) -> ToolError:
    """Without the service's own words, which may repeat what it was sent."""
    match answer.status:
        case 401 | 403:
            return ToolError(
                "The search service refuses the key in BRAVE_API_KEY. Check it, or unset it.",
                model="The search service refuses the person's key; only they can mend that. Go on without searching.",
            )
        case 422:
            return ToolError("The search service does not accept this query, or the key in BRAVE_API_KEY (422).")
        case 429:
            return ToolError("The search service allows no more searches for now (429). Wait before the next one.")
        case status if 300 <= status < 400:
            return ToolError(f"The search service is somewhere else ({status}); the key is not sent there.")
        case status if status >= 500:
            return ToolError(f"The search service has a fault of its own ({status}). Try again later.")
        case status:
            return ToolError(f"The search service answers {status}.")
