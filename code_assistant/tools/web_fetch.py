"""web_fetch: a page of the web as text, under permission for each host on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from code_assistant.tools.tool import Tool, ToolContext, ToolOutput
from code_assistant.tools.tool_input import ToolInput

if TYPE_CHECKING:
    from code_assistant.web.fetching import PageFetcher


class WebFetchInput(ToolInput):
    url: str = Field(min_length=1, description="The whole address: https://example.org/page")


class WebFetch(Tool[WebFetchInput]):
    """Whatever it needs beyond this is loaded when it is called."""

    name = "web_fetch"
    Input = WebFetchInput

    def __init__(self, fetcher: PageFetcher | None = None) -> None:
        self._given = fetcher

    def title(self, arguments: WebFetchInput) -> str:
        from code_assistant.web.addresses import short_address

        return f"Fetching {short_address(arguments.url)}"

    async def run(self, arguments: WebFetchInput, context: ToolContext) -> ToolOutput:
        from code_assistant.tools.fetched_page import fetched_page

        return await fetched_page(arguments.url, self._fetcher(), self.name, context)

    def _fetcher(self) -> PageFetcher:
        if self._given is None:
            from code_assistant.web.fetching import PageFetcher

            self._given = PageFetcher()
        return self._given
