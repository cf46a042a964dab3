"""All settings, as frozen dataclasses. A field declared here, with its annotation, is the whole of adding a key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from code_assistant.config.declare import Declaration
from code_assistant.config.forms import FOLDER_LIST, PRINTABLE_NAME, WEB_ADDRESS
from code_assistant.config.screen_settings import KeySettings, ScreenSettings

Transport: TypeAlias = Literal["wire", "sdk"]
Platform: TypeAlias = Literal["api", "bedrock", "vertex"]
AuthStyle: TypeAlias = Literal["bearer", "x-api-key"]
Advertise: TypeAlias = Literal["default", "full"]
ReferenceFailure: TypeAlias = Literal["warn", "error"]
Effort: TypeAlias = Literal["", "low", "medium", "high", "xhigh", "max"]


@dataclass(frozen=True, slots=True)
class AnthropicSettings:
    """How Anthropic's models are reached."""

    transport: Annotated[
        Transport,
        Declaration(
            "How requests travel: `wire` is our own HTTP stream, `sdk` is Anthropic's library.", project="never"
        ),
    ] = "wire"
    platform: Annotated[
        Platform,
        Declaration(
            "Where the models are served; `bedrock` and `vertex` need `anthropic.transport` = `sdk`.",
            project="never",
        ),
    ] = "api"
    auth: Annotated[AuthStyle, Declaration("The header that carries the credential.", project="never")] = "bearer"
    base_url: Annotated[
        str,
        Declaration("Address of the service.", project="never", form=WEB_ADDRESS, variable="ANTHROPIC_BASE_URL"),
    ] = "https://api.anthropic.com"


@dataclass(frozen=True, slots=True)
class RequestSettings:
    """What each request to a model asks for."""

    max_output_tokens: Annotated[
        int,
        Declaration("Most tokens that one response may have.", project="tighten", minimum=1, maximum=1_000_000),
    ] = 32_000
    thinking: Annotated[bool, Declaration("Let models that can reason do so first.", project="never")] = True
    effort: Annotated[
        Effort,
        Declaration("How much work a model puts into an answer; empty is the model's own default.", project="never"),
    ] = ""
    max_retries: Annotated[
        int,
        Declaration(
            "How often a request is sent again that failed for a reason which may pass.",
            project="tighten",
            minimum=0,
            maximum=7,
        ),
    ] = 7
    retry_delay_ms: Annotated[
        int,
        Declaration(
            "Milliseconds before the first retry; each further one waits twice as long, unless the service says how "
            "long.",
            project="never",
            minimum=1,
            maximum=60_000,
        ),
    ] = 500
    first_byte_timeout_s: Annotated[
        float,
        Declaration(
            "Seconds to wait for the first byte of an answer; ten times as long for a server on this machine, which "
            "may have to load the model.",
            project="never",
            above=0,
        ),
    ] = 60.0
    silence_timeout_s: Annotated[
        float, Declaration("Seconds in which not a byte of an answer comes.", project="never", above=0)
    ] = 90.0
    content_timeout_s: Annotated[
        float,
        Declaration("Seconds in which only signs of life come, and nothing of the answer.", project="never", above=0),
    ] = 300.0
    connect_timeout_s: Annotated[
        float, Declaration("Seconds to wait for a connection to the service.", project="never", above=0)
    ] = 15.0


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """Where the work on a prompt must stop."""

    max_turns: Annotated[
        int,
        Declaration("Most requests to the model for one prompt.", project="tighten", minimum=0, zero_is_unlimited=True),
    ] = 0


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """What is put before the conversation, and how long that may get."""

    max_memory_bytes: Annotated[
        int,
        Declaration(
            "Most bytes of AGENTS.md and CLAUDE.md files, imports included.",
            project="tighten",
            minimum=0,
            maximum=1_000_000,
        ),
    ] = 64_000
    compact_at: Annotated[
        float,
        Declaration(
            "How much of its model's window a conversation may fill before it is compacted, for each agent by itself; "
            "0 leaves that to `/compact`.",
            project="never",
            minimum=0,
            maximum=1,
        ),
    ] = 0.85


@dataclass(frozen=True, slots=True)
class WebSettings:
    """How the web is searched."""

    search_url: Annotated[
        str,
        Declaration(
            "Address of the search service, which the key in `BRAVE_API_KEY` is sent to.",
            project="never",
            form=WEB_ADDRESS,
        ),
    ] = "https://api.search.brave.com/res/v1/web/search"


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """How sub-agents are spawned."""

    max_depth: Annotated[
        int,
        Declaration(
            "How deep agents may be nested; the main agent is 1, so 1 allows no sub-agents.",
            project="tighten",
            minimum=1,
            maximum=10,
        ),
    ] = 3
    max_parallel: Annotated[
        int,
        Declaration("Most sub-agents of one agent that run at once; others wait.", project="tighten", minimum=1),
    ] = 10
    max_result_tokens: Annotated[
        int,
        Declaration(
            "Longest answer of a sub-agent that its parent reads whole; of a longer one it gets the beginning and a "
            "file to page.",
            project="tighten",
            minimum=100,
        ),
    ] = 20_000
    file_reference_failure: Annotated[
        ReferenceFailure,
        Declaration("What unverified file references make of a sub-agent's answer.", project="never"),
    ] = "warn"
    advertise: Annotated[
        Advertise,
        Declaration("Which fields of spawn_agent models are told about; the others work, too.", project="never"),
    ] = "default"


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """What bounds a whole session, sub-agents included."""

    max_tokens: Annotated[
        int,
        Declaration(
            "Most tokens, sent and received, of all agents together.",
            project="tighten",
            minimum=0,
            zero_is_unlimited=True,
        ),
    ] = 0


@dataclass(frozen=True, slots=True)
class SandboxSettings:
    """The walls around the commands of agents."""

    enabled: Annotated[
        bool,
        Declaration(
            "Run commands of agents in a sandbox where there is one; without it they can do all that you can.",
            project="never",
        ),
    ] = True
    network: Annotated[
        bool,
        Declaration("Let commands in the sandbox reach the network; read-only ones never do.", project="tighten"),
    ] = True
    writable: Annotated[
        str,
        Declaration(
            "Folders beside the opened ones that commands in the sandbox may write, such as caches, with `:` between "
            "them: `~/.cache:~/.npm`.",
            project="never",
            form=FOLDER_LIST,
        ),
    ] = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting. Sections are nested dataclasses; their dotted names are the keys of the files."""

    model: Annotated[
        str, Declaration("Name or alias of a model in the catalogue.", project="never", form=PRINTABLE_NAME)
    ] = "sonnet"
    anthropic: AnthropicSettings = AnthropicSettings()
    request: RequestSettings = RequestSettings()
    limits: LimitSettings = LimitSettings()
    context: ContextSettings = ContextSettings()
    web: WebSettings = WebSettings()
    agents: AgentSettings = AgentSettings()
    session: SessionSettings = SessionSettings()
    sandbox: SandboxSettings = SandboxSettings()
    screen: ScreenSettings = ScreenSettings()  # noqa: RUF009 - frozen, though declared in another module
    keys: KeySettings = KeySettings()  # noqa: RUF009
