"""The address that is checked is the one that is dialled."""

from __future__ import annotations

from collections.abc import Sequence

import httpcore
import pytest

from code_assistant.errors import ToolError
from code_assistant.web.connecting import CheckedNetwork, resolve
from tests.unit.web.internet import Internet


def network(net: Internet, *, private: bool = False) -> CheckedNetwork:
    return CheckedNetwork(net.resolve, net.dial, private=private)


async def connect(checked: CheckedNetwork, host: str) -> None:
    await checked.connect_tcp(host, 80)
    await checked.aclose()


ANSWERS = [
    ("10.0.0.1",),
    ("127.0.0.1",),
    ("169.254.169.254",),
    ("0.0.0.0",),
    ("::1",),
    ("fe80::1%lo",),
    ("fd00::1",),
    ("::ffff:127.0.0.1",),
    ("64:ff9b::7f00:1",),
    ("93.184.216.34", "127.0.0.1"),
    ("127.0.0.1", "93.184.216.34"),
    ("2606:4700::1111", "93.184.216.34", "10.0.0.1"),
]


@pytest.mark.parametrize("addresses", ANSWERS)
async def test_safe_w2_a_name_that_leads_to_a_private_address_is_not_dialled(
    net: Internet, addresses: Sequence[str]
) -> None:
    net.names["docs.example"] = addresses
    with pytest.raises(ToolError, match="private network or this machine itself"):
        await connect(network(net), "docs.example")
    assert net.dialled == []
    await connect(network(net, private=True), "docs.example")
    assert net.dialled == [(addresses[0], 80)]


async def test_safe_w2_a_name_is_looked_up_once_so_that_it_cannot_change_after_the_check(net: Internet) -> None:
    net.names["rebinding.example"] = [("93.184.216.34",), ("127.0.0.1",)]
    await connect(network(net), "rebinding.example")
    assert net.looked_up == ["rebinding.example"]
    assert net.dialled == [("93.184.216.34", 80)]
    with pytest.raises(ToolError, match="private network"):
        await connect(network(net), "rebinding.example")
    assert net.dialled == [("93.184.216.34", 80)]


async def test_addresses_are_not_looked_up(net: Internet) -> None:
    await connect(network(net), "93.184.216.34")
    await connect(network(net), "2606:4700::1111")
    assert net.looked_up == []
    assert net.dialled == [("93.184.216.34", 80), ("2606:4700::1111", 80)]


async def test_the_next_address_is_tried_where_one_does_not_answer(net: Internet) -> None:
    net.names["example.org"] = ("1.1.1.1", "1.1.1.2", "1.1.1.3")
    net.unreachable = {"1.1.1.1", "1.1.1.2"}
    await connect(network(net), "example.org")
    assert [address for address, _ in net.dialled] == ["1.1.1.1", "1.1.1.2", "1.1.1.3"]


async def test_not_all_of_very_many_addresses_are_tried(net: Internet) -> None:
    net.names["example.org"] = tuple(f"1.1.1.{number}" for number in range(100))
    net.unreachable = set(net.names["example.org"])
    with pytest.raises(httpcore.ConnectError):
        await connect(network(net), "example.org")
    assert len(net.dialled) == 4


@pytest.mark.parametrize("host", ["unknown.example", "nothing.example"])
async def test_a_name_that_nobody_knows(net: Internet, host: str) -> None:
    net.names["nothing.example"] = ()
    with pytest.raises(ToolError, match=f"No host {host} is known"):
        await connect(network(net), host)


async def test_the_system_resolver_knows_this_machine() -> None:
    assert "127.0.0.1" in await resolve("127.0.0.1")
