import Foundation
import TestSupport

/// The C++ library's own binary search, `LookupByKey`, over sorted vectors of `Fixtures/keys` whose key is a struct or an array.
///
/// FlatBuffers has such keys since version 23. Where flatc is new enough, the comparisons of structs by a struct or by an array of
/// numbers are its own; what version 23.5.26 writes for arrays of enums, and for structs in tables, is no C++ that compiles. The
/// other comparisons are written here: numbers in their order, the first pair that differs decides. The search is the library's.
struct CompositeKeysOracle {
  /// Whether the tools are there: the Makefile installs them.
  static let isAvailable = (try? runTool("flatc", ["--version"])) != nil

  private let program: OracleProgram
  /// Whether the comparisons are flatc's own.
  let hasComparisonsOfFlatc: Bool

  init() throws {
    let file = packageFolder.appendingPathComponent("Fixtures/keys/schema.fbs")
    let schema = try String(contentsOf: file, encoding: .utf8)
    hasComparisonsOfFlatc = try withTemporaryFolder { folder in
      try Data(schema.utf8).write(to: folder.appendingPathComponent("keys.fbs"))
      return (try? runTool("flatc", ["--cpp", "keys.fbs"], in: folder)) != nil
    }
    let text = Self.without(hasComparisonsOfFlatc ? [] : Self.keysOfFlatc, Self.without(Self.otherKeys, schema))
    let comparisons = Self.comparisons + (hasComparisonsOfFlatc ? "" : Self.comparisonsInItsPlace)
    program = try OracleProgram(
      name: "keys-oracle", source: Self.source.replacingOccurrences(of: "// COMPARISONS", with: comparisons),
      schema: ("keys.fbs", text))
  }

  /// What the library says of a vector.
  struct Answer: Equatable {
    /// Whether no element comes before the one in front of it.
    var isSorted: Bool
    /// For each key that was looked for, the index of an element that has it.
    var found: [Int?]
  }

  /// Looks in a vector of one `Index` for the key of each element of the same vector in another.
  /// - Parameter vector: the first letter of the field's name: c, d, h or r.
  func lookUp(_ vector: Character, in haystack: [UInt8], keysOf needles: [UInt8]) throws -> Answer {
    let size = withUnsafeBytes(of: UInt32(haystack.count).littleEndian) { [UInt8]($0) }
    let answer = try program.ask([(vector, size + haystack + needles)])[0]
    let found = stride(from: 1, to: answer.count, by: 4).map { start in
      (0..<4).reduce(Int32(0)) { $0 | Int32(answer[start + $1]) << (8 * $1) }
    }
    return Answer(isSorted: answer[0] == 1, found: found.map { $0 < 0 ? nil : Int($0) })
  }

  private static let keysOfFlatc = ["at: Point", "bytes: [ubyte:4]"]
  private static let otherKeys = ["suits: [Suit:2]", "line: Line"]

  /// The schema with these fields as no keys.
  private static func without(_ keys: [String], _ schema: String) -> String {
    keys.reduce(schema) { $0.replacingOccurrences(of: $1 + " (key)", with: $1) }
  }

  /// A struct is laid out as its only member, and a table has no members of its own.
  private static let comparisons = """
    template<typename T> static int order(T a, T b) { return (a > b) - (a < b); }
    template<typename A> static int orderOfArrays(const A *a, const A *b) {
      for (flatbuffers::uoffset_t i = 0; i < a->size(); i++)
        if (int o = order(a->Get(i), b->Get(i))) return o;
      return 0;
    }
    static int orderOfPoints(const Point &a, const Point &b) {
      if (int o = order(a.x(), b.x())) return o;
      return order(a.y(), b.y());
    }
    struct KeyedHand {
      Hand own;
      auto suits() const { return own.suits(); }
      int KeyCompareWithValue(const flatbuffers::Array<Suit, 2> *key) const { return orderOfArrays(own.suits(), key); }
      bool KeyCompareLessThan(const KeyedHand *other) const { return KeyCompareWithValue(other->suits()) < 0; }
    };
    struct KeyedRow {
      const Line *line() const { return reinterpret_cast<const Row *>(this)->line(); }
      int KeyCompareWithValue(const Line &key) const {
        if (int o = order(line()->isDashed(), key.isDashed())) return o;
        for (flatbuffers::uoffset_t i = 0; i < 2; i++)
          if (int o = orderOfPoints(*line()->ends()->Get(i), *key.ends()->Get(i))) return o;
        return 0;
      }
      bool KeyCompareLessThan(const KeyedRow *other) const { return KeyCompareWithValue(*other->line()) < 0; }
    };
    template<typename T> struct Element { using type = T; };
    template<> struct Element<Hand> { using type = KeyedHand; };
    template<> struct Element<Row> { using type = KeyedRow; };

    """

  private static let comparisonsInItsPlace = """
    struct KeyedCell {
      Cell own;
      const Point &at() const { return own.at(); }
      int KeyCompareWithValue(const Point &key) const { return orderOfPoints(own.at(), key); }
      bool KeyCompareLessThan(const KeyedCell *other) const { return KeyCompareWithValue(other->at()) < 0; }
    };
    struct KeyedDigest {
      Digest own;
      auto bytes() const { return own.bytes(); }
      int KeyCompareWithValue(const flatbuffers::Array<uint8_t, 4> *key) const { return orderOfArrays(own.bytes(), key); }
      bool KeyCompareLessThan(const KeyedDigest *other) const { return KeyCompareWithValue(other->bytes()) < 0; }
    };
    template<> struct Element<Cell> { using type = KeyedCell; };
    template<> struct Element<Digest> { using type = KeyedDigest; };
    """

  private static let source = """
    #include <cstdio>
    #include <cstring>
    #include <vector>
    #include "keys_generated.h"

    // COMPARISONS

    static std::vector<uint8_t> answer;

    template<typename T, typename V, typename Key> static void lookUp(const V *haystack, const V *needles, Key key) {
      for (flatbuffers::uoffset_t i = 1; i < haystack->size(); i++)
        if (haystack->Get(i)->KeyCompareLessThan(haystack->Get(i - 1))) answer[0] = 0;
      for (auto needle : *needles) {
        int32_t index = -1;
        if (auto found = haystack->LookupByKey(key(needle)))
          for (flatbuffers::uoffset_t i = 0; i < haystack->size(); i++)
            if (haystack->Get(i) == found) index = int32_t(i);
        auto bytes = reinterpret_cast<const uint8_t *>(&index);
        answer.insert(answer.end(), bytes, bytes + 4);
      }
    }

    template<typename T> static auto structs(const flatbuffers::Vector<const T *> *vector) {
      return reinterpret_cast<const flatbuffers::Vector<const typename Element<T>::type *> *>(vector);
    }
    template<typename T> static auto tables(const flatbuffers::Vector<flatbuffers::Offset<T>> *vector) {
      return reinterpret_cast<const flatbuffers::Vector<flatbuffers::Offset<typename Element<T>::type>> *>(vector);
    }

    int main() {
      for (int kind; (kind = getchar()) != EOF;) {
        uint32_t size, first;
        if (fread(&size, 4, 1, stdin) != 1 || fread(&first, 4, 1, stdin) != 1) return 1;
        // Each is aligned, as a buffer has to be.
        std::vector<uint64_t> haystackBytes(first / 8 + 1), needleBytes((size - 4 - first) / 8 + 1);
        if (fread(haystackBytes.data(), 1, first, stdin) != first) return 1;
        if (fread(needleBytes.data(), 1, size - 4 - first, stdin) != size - 4 - first) return 1;
        auto a = flatbuffers::GetRoot<Index>(haystackBytes.data());
        auto b = flatbuffers::GetRoot<Index>(needleBytes.data());
        answer.assign(1, 1);
        switch (kind) {
          case 'c': lookUp<Cell>(structs(a->cells()), structs(b->cells()), [](auto e) { return e->at(); }); break;
          case 'd': lookUp<Digest>(structs(a->digests()), structs(b->digests()), [](auto e) { return e->bytes(); }); break;
          case 'h': lookUp<Hand>(structs(a->hands()), structs(b->hands()), [](auto e) { return e->suits(); }); break;
          case 'r': lookUp<Row>(tables(a->rows()), tables(b->rows()), [](auto e) { return *e->line(); }); break;
          default: return 1;
        }
        uint32_t count = uint32_t(answer.size());
        fwrite(&count, 4, 1, stdout);
        fwrite(answer.data(), 1, count, stdout);
      }
      return 0;
    }
    """
}
