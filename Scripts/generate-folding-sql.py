#!/usr/bin/env python3
"""Writes the table of text foldings that functions in PostgreSQL contain, from the one that Swift has.

    Scripts/generate-folding-sql.py > Sources/DflatRuntime/PostgresLayout/FoldingSQLTable.swift

Run it from the root of the repository after `Scripts/generate-text-folding.py`. It takes the folding `caseAndDiacritics` alone, the
only one that indexes have.
"""

import base64
import re
from pathlib import Path

SOURCE = Path("Sources/DflatRuntime/TextFolding/TextFoldingTable.swift")
ITSELF = 0xFFFF
PAGE_BITS = 5


class SwiftTable:
    def __init__(self, source):
        self.source = source
        self.page_bits = self.number("pageBits")
        self.index = self.bytes("caseAndDiacriticsIndex")[: self.number("caseAndDiacriticsIndexCount")]
        self.entries = self.bytes("entries")
        self.pool = self.bytes("pool")
        self.version = re.search(r'static let version = "(.*?)"', source).group(1)

    def number(self, name):
        return int(re.search(rf"static let {name} = (\d+)", self.source).group(1))

    def bytes(self, name):
        """The bytes of an array of little-endian words."""
        literals = re.search(rf"static let {name}: \[UInt64\] = \[(.*?)\]", self.source, re.DOTALL).group(1)
        return b"".join(int(word, 16).to_bytes(8, "little") for word in re.findall(r"0x([0-9a-f]{16})", literals))

    def changes(self):
        """The texts to which scalars are folded that change."""
        changes = {}
        for scalar in range(len(self.index) << self.page_bits):
            page = self.index[scalar >> self.page_bits]
            at = 2 * (page << self.page_bits | scalar & (1 << self.page_bits) - 1)
            entry = int.from_bytes(self.entries[at : at + 2], "little")
            if entry != ITSELF:
                changes[scalar] = self.pool[entry >> 3 : (entry >> 3) + (entry & 7)]
        return changes


def pool_of(changes):
    """Bytes in which each text is."""
    pool = b""
    for text in sorted(set(changes.values()), key=lambda text: (-len(text), text)):
        if text not in pool:
            pool += text
    return pool


def pages_of(changes, pool):
    pages, numbers, index = [], {}, []
    size = 1 << PAGE_BITS
    for first in range(0, max(changes) + 1, size):
        page = tuple(
            pool.index(changes[scalar]) << 3 | len(changes[scalar]) if scalar in changes else ITSELF
            for scalar in range(first, first + size)
        )
        if page not in numbers:
            numbers[page] = len(pages)
            pages.append(page)
        index.append(numbers[page])
    assert len(pages) <= 256
    return pages, index


def main():
    table = SwiftTable(SOURCE.read_text())
    changes = table.changes()
    # The functions give this scalar to bytes that are not UTF-8.
    assert 0 not in changes
    pool = pool_of(changes)
    assert len(pool) < ITSELF >> 3
    pages, index = pages_of(changes, pool)
    entries = b"".join(entry.to_bytes(2, "little") for page in pages for entry in page)
    data = bytes(index) + entries + pool
    text = base64.b64encode(data).decode()
    lines = "\n".join(f"    {text[at:at + 110]}\\" for at in range(0, len(text), 110)).removesuffix("\\")
    print(
        f'''// Made by Scripts/generate-folding-sql.py from TextFoldingTable.swift: do not edit.

/// The folding of case and diacritics of Unicode {table.version}, as functions in PostgreSQL contain it, in {len(data)} bytes.
///
/// The bytes are an index, entries and a pool. A scalar's upper bits lead to a page by the index, a byte for each, and its lower bits to
/// an entry of the page, two bytes in little-endian order: offset (upper 13 bits) and length (lower 3 bits) of a text in the pool, or
/// `itself`. Any change of the table renames the functions and indexes that contain it.
enum FoldingSQLTable {{
  /// The major version of Unicode, which names of indexes contain.
  static let version = "{table.version.split(".")[0]}"
  /// How many bits of a scalar are its number in a page.
  static let pageBits = {PAGE_BITS}
  /// The entry of a scalar that does not change.
  static let itself = {ITSELF}
  /// How many pages the index has. Scalars of further pages do not change.
  static let indexCount = {len(index)}
  /// Where the pool begins. The entries begin behind the index.
  static let poolStart = {len(index) + len(entries)}
  /// The bytes in Base64.
  static let base64 = """
{lines}
    """
}}'''
    )


main()
