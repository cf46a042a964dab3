"""Which addresses are public."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

from hypothesis import given
from hypothesis import strategies as some

from code_assistant.web.networks import is_private_by_name, is_public
from tests.rows import each_row

PUBLIC = ["1.1.1.1", "8.8.8.8", "93.184.216.34", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0"]
PUBLIC += ["169.253.255.255", "192.167.1.1", "223.255.255.255", "168.63.129.15", "2606:4700::1111", "2a00::1"]
PUBLIC += ["64:ff9b::808:808", "::ffff:8.8.8.8"]
PRIVATE = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.9.9.9",
]
PRIVATE += [
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.168.1.1",
]
PRIVATE += ["192.88.99.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1"]
PRIVATE += ["255.255.255.255", "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "64:ff9b::7f00:1"]
PRIVATE += [
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::808:808",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "fc00::1",
    "fd00:ec2::254",
]
PRIVATE += ["ff02::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "2002:808:808::", "3fff::1", "4000::1", "100::1"]


@each_row("address", PUBLIC)
def test_safe_w2_public_addresses(address: str) -> None:
    assert is_public(ip_address(address))
    assert not is_private_by_name(str(ip_address(address)))


@each_row("address", PRIVATE)
def test_safe_w2_private_and_special_addresses(address: str) -> None:
    assert not is_public(ip_address(address))


@each_row(
    ("host", "expected"),
    [
        ("localhost", True),
        ("a.localhost", True),
        ("127.0.0.1", True),
        ("::1", True),
        ("localhost.example", False),
        ("notlocalhost", False),
        ("8.8.8.8", False),
    ],
)
def test_what_can_be_seen_to_be_private(host: str, expected: bool) -> None:
    assert is_private_by_name(host) is expected


@given(some.ip_addresses(v=4))
def test_safe_w2_public_is_never_wider_than_what_the_library_knows(address: IPv4Address) -> None:
    if is_public(address):
        assert address.is_global
        assert not address.is_multicast


@given(some.ip_addresses(v=6) | some.integers(0x2000 << 112, (0x4000 << 112) - 1).map(IPv6Address))
def test_safe_w2_the_same_for_ipv6(address: IPv6Address) -> None:
    if is_public(address):
        assert address.is_global
        assert not address.is_multicast
        assert address.sixtofour is None
        assert address.teredo is None
