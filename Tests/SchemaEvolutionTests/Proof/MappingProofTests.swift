import FBSSchema
import Foundation
import SchemaEvolution
import TestSupport
import Testing

/// What the rules about dates, durations, amounts, UUIDs and URLs say, by two apps on one file.
///
/// The older app stores objects, the newer one reads and changes them, and the older one reads what is left.
@Suite("Stored objects prove what a changed unit or type of values does", .enabled(if: DataOracle.isAvailable))
struct MappingProofTests {
  /// The fields with their attributes in both versions.
  private static let fields: [(name: String, type: String, old: String, new: String)] = [
    ("seconds", "long", "date: \"s\", indexed", "date: \"ms\", indexed"),
    ("amount", "long", "decimal: \"2\", indexed", "decimal: \"4\", indexed"),
    ("pause", "long", "duration: \"s\"", "duration: \"ms\""),
    ("days", "[long]", "date: \"s\"", "date: \"ms\""),
    ("number", "long", "date: \"s\"", "decimal: \"2\""),
    ("name", "string", "", "uuid"),
    ("page", "string", "url", "uuid"),
    ("added", "long", "", "date: \"ms\", indexed"),
    ("removed", "long", "date: \"ms\", indexed", "indexed"),
    ("link", "string", "url", ""),
    ("kept", "long", "date: \"us\", indexed", "date: \"us\", indexed"),
  ]

  private static let identifier = "11111111-2222-3333-4444-555555555555"

  private static let objects = [
    """
    { "id": "a", "counter": 1, "seconds": 1000, "amount": 250, "pause": 3, "days": [1, 2], "number": 400,
      "name": "no UUID", "page": "https://a.example", "added": 5000, "removed": 7000,
      "link": "https://b.example/x", "kept": 8000000 }
    """,
    #"{ "id": "b", "counter": 2, "name": "\#(identifier)", "page": "\#(identifier)" }"#,
  ]

  private static func text(_ attributes: (Int) -> String) -> String {
    let lines = fields.indices.map { number in
      let own = attributes(number)
      return "  \(fields[number].name): \(fields[number].type)\(own.isEmpty ? "" : " (\(own))");\n"
    }
    return "attribute \"primary\";\nnamespace P0;\ntable Post {\n  id: string (primary);\n  counter: int;\n"
      + "\(lines.joined())}\nroot_type Post;\n"
  }

  private struct Outcome: Sendable {
    let findings: [Finding]
    /// What the older app reads before the newer one has changed the objects, and afterwards.
    let before: StoreProgram.Reading
    let after: StoreProgram.Reading
    /// What the newer app reads.
    let seen: StoreProgram.Reading
    let isRewritten: Bool

    /// The properties of the object with an id.
    static func object(_ id: String, in reading: StoreProgram.Reading) -> [String: Dump] {
      for case .members(let members) in reading.rows.values where members["id"] == .text(id) { return members }
      return [:]
    }

    /// The fields that a rule reports.
    func fields(_ rule: String) -> Set<String> {
      Set(
        findings.filter { $0.rule.id == rule }.compactMap { finding in
          finding.message.firstMatch(of: /`([^`]*)`/).map { String($0.1) }
        })
    }
  }

  /// Both apps are compiled once.
  private static let outcome = Result { try run() }

  private static func run() throws -> Outcome {
    let first = try version(text { fields[$0].old })
    let second = try version(text { fields[$0].new })
    // The library in C++ knows no dates: it writes the numbers and texts.
    let plain = text { _ in "" }
    var batch = DataOracle.Batch()
    batch.read(
      writing: plain, written: plain, reading: plain, backward: false,
      objects.map { .init(root: "P0.Post", other: "P0.Post", json: $0) })
    var answers = try DataOracle.shared.get().ask(batch)
    let data = try objects.map { _ in Data(try answers.object().bytes) }
    return try withTemporaryFolder { folder in
      var older = try StoreProgram("old", [(0, first.schema)], in: folder)
      var newer = try StoreProgram("new", [(0, second.schema)], in: folder)
      let store = folder.appendingPathComponent("0.sqlite3").path
      func read(
        _ program: inout StoreProgram, objects: [Data] = [], isRewritten: Bool = false
      ) throws -> StoreProgram.Reading {
        let readings = try program.run([.init(number: 0, store: store, objects: objects, isRewritten: isRewritten)])
        return try #require(readings[0])
      }
      let before = try read(&older, objects: data)
      let seen = try read(&newer, isRewritten: true)
      let after = try read(&older)
      return Outcome(
        findings: SchemaEvolution.compare(old: first, new: second), before: before, after: after, seen: seen,
        isRewritten: seen.isRewritten)
    }
  }

  @Test("Each field of another unit is reported, and read as another value; each other value is the same")
  func units() throws {
    let outcome = try Self.outcome.get()
    #expect((outcome.before.errors + outcome.seen.errors + outcome.after.errors).isEmpty)
    let units: Set = ["seconds", "amount", "pause", "days", "number"]
    let forms: Set = ["name", "page"]
    #expect(outcome.fields("value-unit") == units.union(forms))
    #expect(outcome.fields("value-type") == forms.union(["number", "added", "removed", "link"]))
    let (before, seen) = (Outcome.object("a", in: outcome.before), Outcome.object("a", in: outcome.seen))
    #expect(before["seconds"] == .text("1000.0 s") && seen["seconds"] == .text("1.0 s"))
    #expect(before["amount"] == .text("2.5") && seen["amount"] == .text("0.025"))
    #expect(before["number"] == .text("400.0 s") && seen["number"] == .text("4.0"))
    for field in units { #expect(before[field] != seen[field], "\(field)") }
    // A field that gets or loses its attribute, and one that keeps it.
    #expect(before["added"] == .number("5000", name: nil) && seen["added"] == .text("5.0 s"))
    #expect(before["removed"] == .text("7.0 s") && seen["removed"] == .number("7000", name: nil))
    #expect(before["link"] == .text("https://b.example/x") && seen["link"] == before["link"])
    #expect(before["kept"] == .text("8.0 s") && seen["kept"] == before["kept"])
  }

  @Test("Stored texts of another form read as none, and those of the form as what they say")
  func texts() throws {
    let outcome = try Self.outcome.get()
    let (first, second) = (Outcome.object("a", in: outcome.seen), Outcome.object("b", in: outcome.seen))
    for field in ["name", "page"] {
      #expect(Outcome.object("a", in: outcome.before)[field] != .nothing)
      #expect(first[field] == .nothing, "\(field)")
      #expect(second[field] == .text(Self.identifier), "\(field)")
    }
  }

  @Test("Both versions find objects by the values that they show, whichever attribute a field has")
  func found() throws {
    let outcome = try Self.outcome.get()
    for reading in [outcome.before, outcome.seen, outcome.after] {
      for field in Self.fields where !["name", "page"].contains(field.name) {
        #expect(Set(reading.found[field.name] ?? []) == Set(reading.rows.keys), "\(field.name)")
      }
    }
  }

  @Test("A change by the newer version leaves the stored numbers as they are")
  func changes() throws {
    let outcome = try Self.outcome.get()
    #expect(outcome.isRewritten)
    for id in ["a", "b"] {
      let (before, after) = (Outcome.object(id, in: outcome.before), Outcome.object(id, in: outcome.after))
      #expect(!before.isEmpty)
      for field in Self.fields where !["name", "page"].contains(field.name) {
        #expect(before[field.name] == after[field.name], "\(field.name) of \(id)")
      }
    }
  }
}
