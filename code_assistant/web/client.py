"""Single requests over connections of their own: nothing is kept, sent along or remembered between them."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

import httpcore

from code_assistant import __version__
from code_assistant.errors import ToolError
from code_assistant.web.addresses import PageAddress
from code_assistant.web.connecting import CheckedNetwork, Dialler, Resolver, dial, resolve
from code_assistant.web.media_types import MediaType, media_type
from code_assistant.web.unpacking import ACCEPTED_CODINGS, unpacker_for

USER_AGENT = f"code-assistant/{__version__}"
# Pieces may be single bytes, and come without ever waiting: others must have their turn.
PIECES_PER_TURN = 256


@dataclass(frozen=True, slots=True)
class Body:
    """What was read; `is_cut` when there is more."""

    data: bytes
    is_cut: bool = False


class Answer:
    """The head of an answer, and its body as far as it is wanted."""

    def __init__(self, response: httpcore.Response) -> None:
        self._response = response
        self.status = response.status

    def header(self, name: str) -> str:
        """The first such header, empty where there is none."""
        wanted = name.lower().encode("ascii")
        values = (value for key, value in self._response.headers if key.lower() == wanted)
        return next(values, b"").decode("utf-8", "replace").strip()

    @property
    def media_type(self) -> MediaType:
        return media_type(self.header("content-type"))

    async def body(self, limit: int) -> Body:
        """Read and unpack it, no further than the limit. Raises ToolError for what cannot be unpacked."""
        unpacker = unpacker_for(self.header("content-encoding"))
        data = bytearray()
        packed = pieces = 0
        async for piece in self._response.aiter_stream():
            packed += len(piece)
            data += unpacker.unpack(piece, limit + 1 - len(data))
            # Packed data that unpacks to nothing can go on for ever, too.
            if len(data) > limit or packed > limit:
                return Body(bytes(data[:limit]), is_cut=True)
            pieces += 1
            if pieces % PIECES_PER_TURN == 0:
                await asyncio.sleep(0)
        unpacker.finish()
        return Body(bytes(data))


class WebClient:
    """Sends a GET with the headers it is given and no others that could tell who asks. Uses no proxy."""

    def __init__(self, resolver: Resolver = resolve, dialler: Dialler = dial) -> None:
        self._resolver = resolver
        self._dialler = dialler
        self._certificates: ssl.SSLContext | None = None

    @asynccontextmanager
    async def get(self, address: PageAddress, headers: Mapping[str, str], *, private: bool) -> AsyncGenerator[Answer]:
        """The answer, as long as the context lasts; leaving it closes the connection at once.

        `private` lets the host be one of the person's own network. Raises ToolError in words for whatever fails.
        """
        network = CheckedNetwork(self._resolver, self._dialler, private=private)
        with _in_words(address):
            certificates = await self._trusted() if address.scheme == "https" else None
            try:
                async with httpcore.AsyncConnectionPool(certificates, network_backend=network) as connections:
                    response = await connections.handle_async_request(_request(address, headers))
                    try:
                        yield Answer(response)
                    finally:
                        await response.aclose()
            finally:
                await network.aclose()

    async def _trusted(self) -> ssl.SSLContext:
        """The same certificates as for the model's service. Loading them takes a while, so they are kept."""
        if self._certificates is None:
            import httpx

            try:
                self._certificates = await asyncio.to_thread(httpx.create_ssl_context)
            except OSError as error:
                raise ToolError(
                    f"The certificates that SSL_CERT_FILE or SSL_CERT_DIR name cannot be used: {error}."
                ) from error
        return self._certificates


def _request(address: PageAddress, headers: Mapping[str, str]) -> httpcore.Request:
    own = {"Host": address.authority, "User-Agent": USER_AGENT, "Accept-Encoding": ACCEPTED_CODINGS}
    parts = httpcore.URL(
        scheme=address.scheme.encode("ascii"),
        host=address.host.encode("ascii"),
        port=address.port,
        target=address.target.encode("ascii"),
    )
    sent = [(name.encode("ascii"), value.encode("ascii")) for name, value in (own | dict(headers)).items()]
    return httpcore.Request("GET", parts, headers=[*sent, (b"Connection", b"close")])


@contextmanager
def _in_words(address: PageAddress) -> Generator[None]:
    try:
        yield
    except httpcore.ConnectError as error:
        raise ToolError(f"{address.authority} cannot be reached: {_reason(error, address)}.") from error
    except httpcore.ProtocolError as error:
        raise ToolError(f"{address.authority} {_fault(error)}.") from error
    except (httpcore.NetworkError, ssl.SSLError) as error:
        raise ToolError(f"The connection to {address.authority} broke before the answer was there.") from error


def _reason(error: Exception, address: PageAddress) -> str:
    """Why there is no connection, in plain words where the library's own are not."""
    causes: list[BaseException] = [error]
    while (deeper := causes[-1].__cause__ or causes[-1].__context__) is not None:
        causes.append(deeper)
    for cause in reversed(causes):
        match cause:
            case ssl.SSLCertVerificationError():
                return f"its certificate is not valid ({cause.verify_message})"
            case ssl.SSLError():
                return f"it does not speak TLS properly on port {address.port} ({cause.reason or 'no reason given'})"
            case ConnectionRefusedError():
                return f"nothing accepts connections on port {address.port}"
            case OSError(strerror=str() as words):
                return words.lower()
            case _:
                continue
    return str(error) or "no connection was made"


def _fault(error: httpcore.ProtocolError) -> str:
    # The library's words hold pieces of what was sent.
    if "complete message body" in str(error):
        return "closed the connection before the answer was complete"
    if "without sending a response" in str(error):
        return "closed the connection without an answer"
    return "does not answer in proper HTTP"
