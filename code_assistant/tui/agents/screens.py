"""The screens about sub-agents, and what they do to the session: one agent opened, the list of all, cancelling them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from code_assistant.events import AgentFinished, Event
from code_assistant.tui.agents.agent_screen import AgentScreen
from code_assistant.tui.agents.agent_view import AgentView
from code_assistant.tui.agents.agents_list import AgentsList, MainFacts
from code_assistant.tui.agents.feeds import Feeds
from code_assistant.tui.agents.record import AgentRecord
from code_assistant.tui.agents.words import cost_words
from code_assistant.tui.frame import numbers
from code_assistant.tui.rendering.palette import Palette

if TYPE_CHECKING:
    from code_assistant.agent.session import Session
    from code_assistant.tui.app import CodeAssistantApp

CANCEL = "cancel"

ScreenT = TypeVar("ScreenT", AgentScreen, AgentsList)


class AgentScreens:
    """Takes every event of every sub-agent, after the bridge has."""

    def __init__(self, app: CodeAssistantApp, clock: Callable[[], float]) -> None:
        self._app = app
        self._clock = clock
        self._feeds = Feeds()

    @property
    def records(self) -> dict[str, AgentRecord]:
        return self._app.bridge.agents.records

    @property
    def _session(self) -> Session | None:
        return self._app.core.session

    # What happens to them

    def take(self, event: Event) -> None:
        self._feeds.take(event)
        if isinstance(event, AgentFinished):
            self._ended(self.records.get(event.origin.tool_call_id or ""))

    def count(self, event: Event) -> None:
        """An event of the past: nobody watches, and nothing follows from it."""
        self._feeds.take(event)

    def _ended(self, record: AgentRecord | None) -> None:
        if record is None:
            return
        for text in record.unread:
            self._app.tell(f"{record.name} ended before it read what you said to it: {text}", "warning")
        for screen in self._opened(AgentScreen):
            if screen.record is record:
                screen.agent.ended()

    def paint(self) -> None:
        for screen in (*self._opened(AgentScreen), *self._opened(AgentsList)):
            screen.show()

    def set_palette(self, palette: Palette) -> None:
        for screen in self._opened(AgentScreen):
            screen.set_palette(palette)
        for screen in self._opened(AgentsList):
            screen.rows.palette = palette

    def start_over(self) -> None:
        """Another session: whatever is open about agents of the old one closes."""
        self._close_all()
        self._feeds.clear()

    def _opened(self, kind: type[ScreenT]) -> list[ScreenT]:
        return [screen for screen in self._app.screen_stack if isinstance(screen, kind)]

    def _close_all(self) -> None:
        """Down to the screen below the lowest of ours, with all that opened over it."""
        while self._opened(AgentScreen) or self._opened(AgentsList):
            self._app.pop_screen()

    # What the person wants

    def open(self, record: AgentRecord | None) -> None:
        if record is None:
            self._close_all()
            return
        while any(screen.record is record for screen in self._opened(AgentScreen)):
            if isinstance(top := self._app.screen, AgentScreen) and top.record is record:
                return
            self._app.pop_screen()
        agent = AgentView(record, self._feeds, self._app.clean, self._clock)
        agent.transcript.on_change = self._app.painter.request
        self._app.push_screen(AgentScreen(agent, self, self._app.chosen_theme.palette, self._clock))
        self._app.run_worker(self._load(agent), group="agents", exit_on_error=False)

    async def _load(self, agent: AgentView) -> None:
        await agent.load(self._activity)
        self._app.painter.request(soon=True)

    async def _activity(self, tool_call_id: str) -> tuple[Event, ...]:
        if self._session is not None:
            return await self._session.agent_activity(tool_call_id)
        return await self._app.past.screen.agent_activity(tool_call_id)

    def run(self, argument: str) -> None:
        """The command: `/agents` shows them, `/agents cancel` ends them all."""
        if not argument:
            self.show_list()
        elif argument.lower() == CANCEL:
            count = self.cancel_all()
            self._app.tell(f"Cancelled {numbers.counted(count, 'agent')}." if count else "No agent is running.")
        else:
            self._app.tell(f"/agents {argument} is nothing. There are /agents and /agents {CANCEL}.", "warning")

    def show_list(self) -> None:
        if isinstance(self._app.screen, AgentsList):
            return
        top = self._app.screen
        selected = top.record if isinstance(top, AgentScreen) else None
        app = self._app
        app.push_screen(AgentsList(self._shown, self, app.chosen_theme.palette, self._clock, selected, app.own_keys))

    def cancel(self, record: AgentRecord) -> bool:
        return self._session is not None and self._session.cancel_agent(record.id)

    def cancel_all(self) -> int:
        return self._session.cancel_agents() if self._session is not None else 0

    def steer(self, record: AgentRecord, text: str) -> bool:
        if self._session is None or not self._session.steer_agent(record.id, text):
            return False
        record.unread.append(self._app.clean.text(text))
        return True

    def copy_answer(self, record: AgentRecord) -> None:
        self._app.copy_to_clipboard(record.answer)

    def go_to_prompt(self) -> None:
        if self._app.state.waiting_prompts:
            self._close_all()
            self._app.action_oldest_prompt()

    def _shown(self) -> tuple[Sequence[AgentRecord], MainFacts]:
        state = self._app.state
        words = f"working · {state.model}" if state.working_since is not None else f"idle · {state.model}"
        together = f"{numbers.tokens(state.usage.total)} in all"
        return list(self.records.values()), MainFacts(words, tuple(filter(None, (together, cost_words(state.cost)))))
