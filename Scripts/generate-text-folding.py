#!/usr/bin/env python3
"""Writes the table of text foldings from the Unicode data of one version.

    Scripts/generate-text-folding.py FOLDER > Sources/DflatRuntime/TextFolding/TextFoldingTable.swift

FOLDER has UnicodeData.txt and CaseFolding.txt of Unicode 15.0.0, as https://www.unicode.org/Public/15.0.0/ucd/ or Debian's package
`unicode-data` (in /usr/share/unicode) has them. Another version would change the answers of queries and the contents of indexes that
are stored already, so the files are checked by their hashes. The size of the table is printed to the standard error.

A folding maps each Unicode scalar to a text, whatever stands beside it:

- `case`: the full case folding of CaseFolding.txt, its statuses C and F.
- `caseAndDiacritics`: the canonical decomposition without diacritics, if it has any, and then the case folding. A diacritic is a
  nonspacing mark (Mn) with the combining class of a point of Hebrew, Arabic or Syriac (10 to 36), or of a mark above, below or beside
  a letter (200 and more). Other marks are vowels, viramas, nuktas and voicing marks, which make another letter, and overlays, which
  make another symbol.
"""

import hashlib
import sys
from pathlib import Path

VERSION = "15.0.0"
HASHES = {
    "UnicodeData.txt": "806e9aed65037197f1ec85e12be6e8cd870fc5608b4de0fffd990f689f376a73",
    "CaseFolding.txt": "cdd49e55eae3bbf1f0a3f6580c974a0263cb86a6a08daa10fbf705b4808a56f7",
}
ITSELF = 0xFFFF
LAST_SCALAR = 0x1FFFF  # No scalar above changes.
PAGE_SIZES = (16, 32, 64, 128)


def read(folder, name):
    data = (folder / name).read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    if digest != HASHES[name]:
        sys.exit(f"{name} is not that of Unicode {VERSION}: its SHA-256 is {digest}")
    return data.decode("utf-8").splitlines()


class Unicode:
    def __init__(self, folder):
        self.decompositions = {}
        self.diacritics = set()
        self.case = {}
        for line in read(folder, "UnicodeData.txt"):
            fields = line.split(";")
            scalar, category, combining, decomposition = int(fields[0], 16), fields[2], int(fields[3]), fields[5]
            if category == "Mn" and (10 <= combining <= 36 or combining >= 200):
                self.diacritics.add(scalar)
            if decomposition and not decomposition.startswith("<"):
                self.decompositions[scalar] = [int(part, 16) for part in decomposition.split()]
        for line in read(folder, "CaseFolding.txt"):
            fields = [field.strip() for field in line.split("#")[0].split(";")]
            if len(fields) >= 3 and fields[1] in ("C", "F"):
                self.case[int(fields[0], 16)] = [int(part, 16) for part in fields[2].split()]

    def decomposed(self, scalar):
        parts = self.decompositions.get(scalar)
        return [scalar] if parts is None else [each for part in parts for each in self.decomposed(part)]

    def without_diacritics(self, scalar):
        parts = self.decomposed(scalar)
        kept = [part for part in parts if part not in self.diacritics]
        return [scalar] if len(kept) == len(parts) else kept

    def folded_case(self, scalar):
        return self.case.get(scalar, [scalar])

    def folded(self, scalar):
        """Without diacritics and case, until nothing changes any more."""
        text = [scalar]
        while True:
            bare = [each for part in text for each in self.without_diacritics(part)]
            folded = [each for part in bare for each in self.folded_case(part)]
            if folded == text:
                return text
            text = folded


def scalars():
    return (scalar for scalar in range(0x110000) if not 0xD800 <= scalar <= 0xDFFF)


def utf8(text):
    return "".join(map(chr, text)).encode("utf-8")


def table(folding):
    """What scalars that change are folded to, in UTF-8. Folding twice is folding once."""
    changes = {}
    for scalar in scalars():
        folded = folding(scalar)
        if folded != [scalar]:
            changes[scalar] = utf8(folded)
            assert all(folding(part) == [part] for part in folded), hex(scalar)
            assert scalar <= LAST_SCALAR and len(changes[scalar]) < 8
    return changes


def pool_of(tables):
    """Bytes in which each text is."""
    pool = b""
    for text in sorted({text for table in tables for text in table.values()}, key=lambda text: (-len(text), text)):
        if text not in pool:
            pool += text
    return pool


def pages_of(tables, pool, size):
    pages, numbers, indexes = [], {}, []
    for changes in tables:
        index = []
        for first in range(0, LAST_SCALAR + 1, size):
            page = tuple(
                pool.index(changes[scalar]) << 3 | len(changes[scalar]) if scalar in changes else ITSELF
                for scalar in range(first, first + size)
            )
            if page not in numbers:
                numbers[page] = len(pages)
                pages.append(page)
            index.append(numbers[page])
        # What has no page does not change.
        while pages[index[-1]] == (ITSELF,) * size:
            index.pop()
        indexes.append(index)
    assert len(pages) < 256
    return pages, indexes


def words(data):
    """Little-endian words of eight bytes, as Swift literals."""
    data = data + b"\0" * (-len(data) % 8)
    literals = [f"0x{int.from_bytes(data[at:at + 8], 'little'):016x}" for at in range(0, len(data), 8)]
    return "\n".join("    " + ", ".join(literals[at:at + 5]) + "," for at in range(0, len(literals), 5))


def main():
    unicode = Unicode(Path(sys.argv[1]))
    tables = [table(unicode.folded_case), table(unicode.folded)]
    pool = pool_of(tables)
    assert len(pool) < ITSELF >> 3
    candidates = []
    for size in PAGE_SIZES:
        try:
            pages, indexes = pages_of(tables, pool, size)
        except AssertionError:
            continue
        candidates.append((sum(map(len, indexes)) + 2 * size * len(pages) + len(pool), size, pages, indexes))
    total, size, pages, indexes = min(candidates, key=lambda candidate: candidate[0])
    entries = b"".join(entry.to_bytes(2, "little") for page in pages for entry in page)
    print(
        f"Unicode {VERSION}: {len(tables[0])} and {len(tables[1])} scalars change; {len(pages)} pages of {size}; "
        f"{total} bytes",
        file=sys.stderr,
    )
    assert total < 40_000
    print(f"""// Made by Scripts/generate-text-folding.py from Unicode {VERSION}: do not edit.

/// The two foldings of each Unicode scalar, one by case alone and one by case and diacritics. The table has two levels and
/// takes {total} bytes.
///
/// To fold a scalar, divide it by 2^`pageBits`. The quotient is a place in `caseIndex` or `caseAndDiacriticsIndex`, which
/// holds the number of a page. The remainder is the place in that page, whose entry holds the offset and length of the folded
/// text in the pool, or `itself` if the scalar does not change. The data is that of Unicode {VERSION}. The arrays hold bytes, in
/// little-endian words.
package enum TextFoldingTable {{
  /// The version of Unicode.
  package static let version = "{VERSION}"
  /// How many bits of a scalar are its number in a page.
  static let pageBits = {size.bit_length() - 1}
  /// The entry of a scalar that does not change.
  static let itself: UInt16 = 0x{ITSELF:04x}

  /// The number of the page, a byte for each, of the case folding.
  static let caseIndex: [UInt64] = [
{words(bytes(indexes[0]))}
  ]
  static let caseIndexCount = {len(indexes[0])}

  /// The number of the page, a byte for each, of the folding of case and diacritics.
  static let caseAndDiacriticsIndex: [UInt64] = [
{words(bytes(indexes[1]))}
  ]
  static let caseAndDiacriticsIndexCount = {len(indexes[1])}

  /// The entries of all pages, of two bytes each.
  static let entries: [UInt64] = [
{words(entries)}
  ]

  /// The texts in UTF-8.
  static let pool: [UInt64] = [
{words(pool)}
  ]
}}""")


main()
