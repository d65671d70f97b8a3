import FBSSchema
import Foundation
import SchemaEvolution
import TestSupport
import Testing

/// What the rules of additions say that an older version drops, by two apps: the newer one stores objects, the older one
/// changes them, and the newer one reads what is left.
@Suite("Stored objects prove what an older version drops", .enabled(if: DataOracle.isAvailable))
struct AdditionProofTests {
  /// One schema for each number of a program.
  private static let old = [
    """
    attribute "primary"; namespace P0;
    enum Color: byte { red, green }
    enum Mood: byte { calm = 1, wild = 2 }
    enum Flags: ubyte (bit_flags) { first, second }
    struct Spot { x: int; color: Color; moods: [Mood:2]; }
    table Note { text: string; color: Color = green; }
    table Draft { text: string; }
    union Content { note: Note, place: Spot }
    table Post {
      id: string (primary);
      counter: int;
      color: Color = green;
      favourite: Color = null;
      colors: [Color];
      moods: [Mood];
      flags: Flags;
      spot: Spot;
      spots: [Spot];
      note: Note;
      notes: [Note];
      content: Content;
      contents: [Content];
      draft: [ubyte] (nested_flatbuffer: "Draft");
      gone: Color (deprecated);
    }
    root_type Post;
    """,
    """
    attribute "primary"; namespace P1;
    enum Color: byte { red, green }
    table Post { color: Color (primary); counter: int; }
    root_type Post;
    """,
    """
    attribute "primary"; namespace P2;
    table Note { text: string; }
    union Content { note: Note }
    table Post { id: string (primary); counter: int; lead: Content (required); leads: [Content] (required); }
    root_type Post;
    """,
    """
    attribute "primary"; attribute "unique"; namespace P3;
    enum Color: byte { red, green }
    table Post { id: string (primary); counter: int; color: Color = null (unique); other: Color = green (unique); }
    root_type Post;
    """,
  ]

  private static let new = [
    old[0].replacing("red, green }", with: "red, green, blue }")
      .replacing("wild = 2", with: "wild = 2, odd = 3")
      .replacing("first, second", with: "first, second, third")
      .replacing("color: Color = green; }", with: "color: Color = green; stars: int; }")
      .replacing("table Draft { text: string;", with: "table Draft { text: string; more: int;")
      .replacing("place: Spot }", with: "place: Spot, picture: Picture }\ntable Picture { url: string; color: Color; }")
      .replacing("(deprecated);", with: "(deprecated);\n  slug: string;\n  cover: Picture;"),
    old[1].replacing("red, green }", with: "red, green, blue, black }"),
    old[2].replacing("note: Note }", with: "note: Note, text: string }"),
    old[3].replacing("red, green }", with: "red, green, blue, black }"),
  ]

  /// Objects of NEW, each with all that is new in it, as JSON.
  private static let objects = [
    [
      """
      { "id": "a", "counter": 1, "color": "blue", "favourite": "blue", "colors": ["green", "blue"],
        "moods": ["wild", "odd"], "flags": "first third", "spot": { "x": 1, "color": "blue", "moods": [2, 3] },
        "spots": [{ "x": 2, "color": "blue", "moods": [1, 3] }],
        "note": { "text": "n", "color": "blue", "stars": 3 }, "notes": [{ "text": "m", "stars": 4 }],
        "content_type": "picture", "content": { "url": "u", "color": "green" },
        "contents_type": ["note", "picture", "place"],
        "contents": [{ "text": "t", "stars": 5 }, { "url": "v" }, { "x": 3, "color": "blue", "moods": [1, 2] }],
        "draft": { "text": "d", "more": 6 }, "slug": "s", "cover": { "url": "w" } }
      """
    ],
    [#"{ "color": "blue" }"#],
    [
      """
      { "id": "a", "lead_type": "text", "lead": "x", "leads_type": ["text", "note"], "leads": ["y", { "text": "t" }] }
      """
    ],
    [
      #"{ "id": "a", "color": "blue", "other": "red" }"#, #"{ "id": "b", "color": "black", "other": "green" }"#,
      #"{ "id": "c", "other": "blue" }"#,
    ],
  ]

  private struct Outcome: Sendable {
    var findings: [[Finding]] = []
    var before: [StoreProgram.Reading] = []
    var rewriting: [StoreProgram.Reading] = []
    var after: [StoreProgram.Reading] = []
    var schemas: [Schema] = []

    /// The only object in a file.
    static func object(in reading: StoreProgram.Reading) -> [String: Dump] {
      guard reading.rows.count == 1, case .members(let members)? = reading.rows.first?.value else { return [:] }
      return members
    }

    /// The only object of a program, as the newer app reads it in the end.
    func object(_ number: Int) -> [String: Dump] { Self.object(in: after[number]) }

    /// What a finding says of each field.
    func fates(_ number: Int) -> [String: String] {
      let labels = findings[number].flatMap(\.labels).map(\.text).filter { $0.hasPrefix("`") }
      return Dictionary(
        labels.map { text in
          let parts = text.split(separator: "`: ", maxSplits: 1)
          return (String(parts[0].dropFirst()), String(parts[parts.count - 1]))
        }
      ) { first, second in first == second ? first : "\(first) / \(second)" }
    }
  }

  /// Both apps are compiled once.
  private static let outcome = Result { try run() }

  private static func run() throws -> Outcome {
    let (first, second) = (try old.map { try version($0) }, try new.map { try version($0) })
    var batch = DataOracle.Batch()
    for (number, texts) in objects.enumerated() {
      batch.read(
        writing: new[number], written: new[number], reading: new[number], backward: false,
        texts.map { .init(root: "P\(number).Post", other: "P\(number).Post", json: $0) })
    }
    var answers = try DataOracle.shared.get().ask(batch)
    let data = try objects.map { try $0.map { _ in Data(try answers.object().bytes) } }
    return try withTemporaryFolder { folder in
      var older = try StoreProgram("old", first.enumerated().map { ($0, $1.schema) }, in: folder)
      var newer = try StoreProgram("new", second.enumerated().map { ($0, $1.schema) }, in: folder)
      func jobs(isWriting: Bool = false, isRewritten: Bool = false) -> [StoreProgram.Job] {
        old.indices.map { number in
          .init(
            number: number, store: folder.appendingPathComponent("\(number).sqlite3").path,
            objects: isWriting ? data[number] : [], isRewritten: isRewritten)
        }
      }
      func all(_ readings: [Int: StoreProgram.Reading]) throws -> [StoreProgram.Reading] {
        try old.indices.map { try #require(readings[$0]) }
      }
      var outcome = Outcome()
      outcome.findings = zip(first, second).map { SchemaEvolution.compare(old: $0, new: $1) }
      outcome.schemas = second.map(\.schema)
      outcome.before = try all(newer.run(jobs(isWriting: true)))
      outcome.rewriting = try all(older.run(jobs(isRewritten: true)))
      outcome.after = try all(newer.run(jobs()))
      return outcome
    }
  }

  @Test("An older version drops exactly the fields that are reported", arguments: 0..<3)
  func fields(_ number: Int) throws {
    let outcome = try Self.outcome.get()
    #expect(outcome.before[number].errors.isEmpty && outcome.rewriting[number].isRewritten)
    #expect(outcome.findings[number].allSatisfy { $0.severity == .note })
    let reported = DroppedFields.reported(by: outcome.findings[number], in: outcome.schemas[number])
    let dropped = DroppedFields(of: outcome.before[number], then: outcome.after[number], in: outcome.schemas[number])
    #expect(reported == dropped.names)
    #expect(reported.count == [12, 1, 2][number])
  }

  @Test("What stands for a value is what the finding says")
  func standIns() throws {
    let outcome = try Self.outcome.get()
    let (object, fates) = (outcome.object(0), outcome.fates(0))
    func number(_ value: Int, _ name: String) -> Dump { .number(String(value), name: name) }
    #expect(object["color"] == number(1, "green") && fates["Post.color"] == "an older version stores `green` instead")
    #expect(object["favourite"] == .nothing && fates["Post.favourite"] == "an older version stores nothing instead")
    #expect(object["colors"] == .list([number(1, "green"), number(0, "red")]))
    #expect(fates["Post.colors"] == "an older version stores `red` instead")
    #expect(object["moods"] == .list([number(2, "wild"), number(1, "calm")]))
    #expect(fates["Post.moods"] == "an older version stores `calm` instead")
    #expect(fates["Spot.color"] == "an older version stores `red` instead")
    #expect(fates["Spot.moods"] == "an older version stores `calm` instead")
    #expect(
      object["spot"]
        == .members([
          "x": .number("1", name: nil), "color": number(0, "red"),
          "moods": .list([number(2, "wild"), number(1, "calm")]),
        ]))
    #expect(object["content"] == .nothing && fates["Post.content"] == "an older version stores nothing instead")
    guard case .list(let contents)? = object["contents"] else { throw ProgramFailure("no contents") }
    #expect(contents.count == 2 && fates["Post.contents"] == "an older version leaves such elements out")
    // Bits and bytes that are not known are kept.
    #expect(object["flags"] == Outcome.object(in: outcome.before[0])["flags"] && fates["Post.flags"] == nil)
    #expect(object["counter"] == .number("1", name: nil))
  }

  @Test("A value that is not known in the primary key takes the object to another key")
  func primaryKey() throws {
    let outcome = try Self.outcome.get()
    #expect(outcome.object(1)["color"] == .number("0", name: "red"))
    #expect(
      outcome.fates(1) == [
        "Post.color": "an older version stores the object under the key `red`, or fails if that is taken"
      ])
  }

  @Test("A unique value that is not known becomes another, or the change fails")
  func unique() throws {
    let outcome = try Self.outcome.get()
    #expect(
      outcome.fates(3) == [
        "Post.color": "an older version stores nothing instead",
        "Post.other": "an older version stores `green` instead, or fails if another object has that",
      ])
    var others: [String: Dump] = [:]
    for object in outcome.after[3].rows.values {
      guard case .members(let members) = object, case .text(let id)? = members["id"] else { continue }
      others[id] = members["other"]
      #expect(members["color"] == .nothing)
    }
    #expect(
      others == ["a": .number("0", name: "red"), "b": .number("1", name: "green"), "c": .number("2", name: "blue")])
  }

  @Test("A required union that is not known is stored as nothing")
  func requiredUnion() throws {
    let outcome = try Self.outcome.get()
    #expect(outcome.object(2)["lead"] == .nothing, "\(outcome.rewriting[2].errors)")
    #expect(
      outcome.fates(2) == [
        "Post.lead": "an older version stores nothing instead, though it is required",
        "Post.leads": "an older version leaves such elements out",
      ])
  }
}
