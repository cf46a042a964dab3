"""What counts as a definition in each language, and what does not."""

from __future__ import annotations

import re

from code_assistant.llm.offline.definitions import broad_pattern, definitions_in
from code_assistant.llm.offline.tool_texts import FileText, Line
from tests.rows import each_row

DEFINITIONS = [
    ("a.py", "class Cart:", "class"),
    ("a.py", "    async def Cart(self):", "function"),
    ("a.py", "Cart: int = 3", "variable"),
    ("a.ts", "export default class Cart {", "class"),
    ("a.js", "export async function Cart() {", "function"),
    ("a.ts", "export interface Cart {", "type"),
    ("a.js", "const Cart = () => {", "variable"),
    ("a.go", "func (s *Shop) Cart() error {", "function"),
    ("a.go", "type Cart struct {", "type"),
    ("a.rs", "    pub(crate) async fn Cart() {", "function"),
    ("a.rs", "pub struct Cart {", "type"),
    ("A.java", "@Entity public final class Cart {", "class"),
    ("A.java", "    public static List<Goods> Cart(int x) {", "method"),
    ("a.kt", "fun Cart(): Int = 3", "function"),
    ("a.c", "static int *Cart(void)", "function"),
    ("a.h", "#define Cart 3", "macro"),
    ("a.cpp", "class Cart {", "type"),
    ("a.rb", "  def self.Cart", "function"),
    ("a.php", "  public function Cart() {", "function"),
    ("a.sh", "Cart() {", "function"),
    ("a.ex", "defmodule Shop.Cart do", "module"),
    ("a.lua", "local function Cart()", "function"),
    ("a.sql", "CREATE TABLE Cart (", "table"),
    ("Makefile", "Cart: all", "target"),
    ("a.proto", "message Cart {", "type"),
]
USES = [
    ("a.py", "cart = Cart()"),
    ("a.py", "if Cart == 3:"),
    ("a.py", "class Carts:"),
    ("a.js", "new Cart()"),
    ("a.go", "x := Cart()"),
    ("a.c", "Cart(3);"),
    ("a.txt", "class Cart:"),
]


@each_row(("path", "line", "kind"), DEFINITIONS)
def test_definitions(path: str, line: str, kind: str) -> None:
    file = FileText(path, (Line(7, line),))
    for name in ("Cart", None):
        (found,) = definitions_in(file, name)
        assert (found.name, found.kind, found.path, found.line) == ("Cart", kind, path, 7)


@each_row(("path", "line"), USES)
def test_uses(path: str, line: str) -> None:
    assert not list(definitions_in(FileText(path, (Line(1, line),)), "Cart"))


@each_row("line", ["class Cart:", "def Cart(x):", "type Cart struct {", "Cart = 3", "fn Cart() {", "Cart() {"])
def test_the_broad_pattern_finds_most(line: str) -> None:
    assert re.search(broad_pattern("Cart"), line)
    assert not re.search(broad_pattern("Cart"), "x.Cart(3)")
